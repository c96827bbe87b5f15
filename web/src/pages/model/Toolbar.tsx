import { useState } from 'react';
import { redo, undo, useStore } from '../../state/store';
import { useVerdict } from '../../state/verdict';
import { Button } from '../../ui/Button';
import { show, useView } from './drawing';
import { ExportMenu } from './ExportMenu';

// Toolbar has what acts on the whole model: search, view, undo, and ways out.
export function Toolbar({ found, problem }: { found: number | null; problem: string }) {
  const view = useView();
  const past = useStore((s) => s.past.at(-1)?.what);
  const future = useStore((s) => s.future.at(-1)?.what);
  return (
    <div className="toolbar no-print" role="toolbar" aria-label="Model">
      <div className="row search">
        <input className="input model-search" type="search" aria-label="Search components" placeholder="Search: type:conv, weights > 10M, a name  ( / )" value={view.query} aria-invalid={Boolean(problem)} title={problem} onChange={(e) => show({ query: e.target.value })} />
        {(found !== null || problem) && <span className={`small ${problem ? 'tone-block' : 'quiet'}`} role="status">{problem || `${found} found`}</span>}
      </div>
      <div className="row" role="group" aria-label="View">
        <Button small look="quiet" keys="t" aria-pressed={view.mode === 'drawing'} onClick={() => show({ mode: 'drawing' })}>Drawing</Button>
        <Button small look="quiet" keys="t" aria-pressed={view.mode === 'table'} onClick={() => show({ mode: 'table' })}>Table</Button>
      </div>
      <Button small look="quiet" className="measure" keys="w" title="What the numbers and bars on the drawing show" onClick={() => show({ measure: view.measure === 'params' ? 'flops' : 'params' })}>Show: {view.measure === 'params' ? 'weights' : 'FLOPs'}</Button>
      <div className="row">
        <Button small look="quiet" keys="Ctrl Z" title={past ? `Undo: ${past}` : 'Nothing to undo'} aria-label="Undo" disabled={past === undefined} onClick={undo}>↶</Button>
        <Button small look="quiet" keys="Ctrl Shift Z" title={future ? `Redo: ${future}` : 'Nothing to redo'} aria-label="Redo" disabled={future === undefined} onClick={redo}>↷</Button>
      </div>
      <span className="grow" />
      <Sheets />
      <ExportMenu />
    </div>
  );
}

// Sheets are the buttons that bring the columns over the drawing on a narrow screen.
function Sheets() {
  const view = useView();
  const { answer } = useVerdict();
  const [n] = [answer?.findings.length ?? 0];
  const on = (sheet: 'left' | 'right') => view.sheet === sheet;
  return (
    <div className="row sheets">
      <Button small look="quiet" aria-pressed={on('left')} onClick={() => show({ sheet: on('left') ? 'none' : 'left', left: 'findings' })}>Findings{n ? ` ${n}` : ''}</Button>
      <Button small look="quiet" aria-pressed={on('right')} onClick={() => show({ sheet: on('right') ? 'none' : 'right' })}>Details</Button>
    </div>
  );
}

export function useMenu() {
  const [open, setOpen] = useState(false);
  return { open, toggle: () => setOpen(!open), close: () => setOpen(false) };
}
