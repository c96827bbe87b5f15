import { ReactFlowProvider } from '@xyflow/react';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { href, navigate, useRoute } from '../../app/router';
import type { Model } from '../../engine/types';
import { resume } from '../../state/drafts';
import { openModel } from '../../state/opening';
import { unpack } from '../../state/sharing';
import { notify, useStore } from '../../state/store';
import { useVerdict } from '../../state/verdict';
import { Button } from '../../ui/Button';
import { useActions } from './actions';
import { AddPanel } from './AddPanel';
import { ConnectDialog, GroupDialog } from './Dialogs';
import { Drawing } from './Drawing';
import { beginWith, show, useDrawing, useView } from './drawing';
import { Findings } from './Findings';
import { setFound } from './found';
import { Inspector } from './Inspector';
import { parse } from './search';
import { Source } from './Source';
import { TableView } from './TableView';
import { Toolbar } from './Toolbar';
import { useTypes } from './types';
import './model.css';

export default function ModelPage() {
  const isOpen = useStore((s) => s.doc !== null);
  const waiting = useArriving();
  if (isOpen) return <ReactFlowProvider><Editor /></ReactFlowProvider>;
  if (waiting) return <p className="page quiet">Opening…</p>;
  return (
    <div className="page stack wide">
      <h1>No model is open</h1>
      <p>A model is drawn here, with its findings on the component that they are about. Every edit gets its verdict at once.</p>
      <p><a className="button primary" href={href('/')}>Open a model</a></p>
    </div>
  );
}

// useArriving opens what the link carries, or what was open before a reload.
function useArriving(): boolean {
  const { params } = useRoute();
  const packed = params.get('g');
  const [waiting, setWaiting] = useState(true);
  useEffect(() => {
    if (!packed) {
      void resume().finally(() => setWaiting(false));
      return;
    }
    unpack(packed).then(async (value) => {
      const { title, model } = value as { title?: string; model: Model };
      await openModel(model, title ?? 'Model from a link', 'a link', []);
      navigate('/model', undefined, 'replace');
    }).catch((e: Error) => notify('block', e.message)).finally(() => setWaiting(false));
  }, [packed]);
  return waiting;
}

function Editor() {
  const view = useView();
  const docKey = useStore((s) => s.doc?.key);
  useEffect(() => beginWith(docKey), [docKey]);
  const drawn = useDrawing(view.open);
  const types = useTypes();
  const [dialog, setDialog] = useState<'connect' | 'group' | null>(null);
  const [edge, setEdge] = useState<{ from: string; to: string } | null>(null);
  const actions = useActions(setDialog, edge, setEdge);
  const { rows, found, problem } = useSearch(drawn.answer?.components);
  const close = useCallback(() => setDialog(null), []);
  return (
    <div className={`model sheet-${view.sheet}`}>
      <aside className="column left" aria-label="Findings and palette">
        <Tabs label="Left column" value={view.left} options={[['findings', 'Findings'], ['add', 'Add']]} onChange={(left) => show({ left })} />
        <div className="scroll">{view.left === 'findings' ? <Findings /> : <AddPanel types={types} />}</div>
      </aside>
      <section className="middle" aria-label="Model">
        <Toolbar found={found} problem={problem} />
        {drawn.error && <p className="notice block" role="alert">{drawn.error.message}</p>}
        <div className="stage">
          {view.mode === 'table'
            ? drawn.answer && <TableView rows={rows ?? []} />
            : drawn.answer && <Drawing answer={drawn.answer} edge={edge} onEdge={setEdge} />}
          {!drawn.answer && drawn.pending && <p className="pad quiet" role="status">Drawing…</p>}
        </div>
      </section>
      <aside className="column right inspector" aria-label="Selected and source">
        <Tabs label="Right column" value={view.right} options={[['selected', 'Selected'], ['source', 'Source']]} onChange={(right) => show({ right })} />
        <div className="scroll">{view.right === 'selected' ? <Inspector types={types} answer={drawn.answer} actions={actions} /> : <Source />}</div>
      </aside>
      {dialog === 'connect' && <ConnectDialog onClose={close} />}
      {dialog === 'group' && <GroupDialog onClose={close} />}
    </div>
  );
}

function Tabs<T extends string>({ label, value, options, onChange }: { label: string; value: T; options: [T, string][]; onChange: (v: T) => void }) {
  return (
    <div className="tabs" role="group" aria-label={label}>
      {options.map(([v, title]) => <button key={v} type="button" aria-pressed={v === value} onClick={() => onChange(v)}>{title}</button>)}
      <Button small look="quiet" className="close-sheet" aria-label="Close" onClick={() => show({ sheet: 'none' })}>✕</Button>
    </div>
  );
}

function useSearch(components: readonly import('../../engine/types').TableRow[] | undefined) {
  const { query } = useView();
  const { byComponent } = useVerdict();
  const parsed = useMemo(() => parse(query, (id) => byComponent.get(id)?.[0]?.severity), [query, byComponent]);
  const rows = useMemo(() => (parsed.match ? components?.filter(parsed.match) : components), [parsed, components]);
  useEffect(() => setFound(parsed.match && rows ? new Set(rows.map((r) => r.id)) : null), [parsed, rows]);
  useEffect(() => () => setFound(null), []);
  return { rows, found: parsed.match ? (rows?.length ?? 0) : null, problem: parsed.problem };
}
