import type { KeyboardEvent } from 'react';
import type { GridAnswer, GridCell } from '../../engine/answers';
import { gb, percent } from '../../ui/amounts';
import { Glyph, type GlyphName } from '../../ui/Glyph';

export type Shade = 'verdict' | 'memory' | 'bubble';

// state is what a cell says in a word and a sign; its colour says the same.
export function state(c: GridCell): { tone: 'good' | 'warn' | 'block'; glyph: GlyphName; word: string } {
  if (!c.legal) return { tone: 'block', glyph: 'block', word: 'refused' };
  if (c.fits === false) return { tone: 'block', glyph: 'stop', word: 'too large' };
  if (c.verdict !== 'pass') return { tone: 'warn', glyph: 'warn', word: 'warns' };
  return { tone: 'good', glyph: 'good', word: c.fits === null ? 'legal' : 'fits' };
}

// level is how full a cell is drawn, from 0 to 1.
function level(c: GridCell, shade: Shade, grid: GridAnswer): number {
  if (shade === 'bubble') return c.bubble ?? 0;
  const most = grid.bytes > 0 ? grid.bytes / 1e9 : Math.max(...grid.cells.map((x) => x.peakGb ?? 0), 1);
  return Math.min(1, (c.peakGb ?? 0) / most);
}

// GridTable is a table of splits. Arrow keys move among the cells that exist.
export function GridTable({ grid, shade, picked, onPick }: { grid: GridAnswer; shade: Shade; picked: string; onPick: (key: string) => void }) {
  const onKey = (e: KeyboardEvent<HTMLButtonElement>) => {
    const moves: Record<string, readonly [number, number]> = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
    const [dx, dy] = moves[e.key] ?? [0, 0];
    const { tp, pp } = e.currentTarget.dataset;
    if (!dx && !dy) return;
    const next = [grid.tp[grid.tp.indexOf(Number(tp)) + dy], grid.pp[grid.pp.indexOf(Number(pp)) + dx]];
    const to = e.currentTarget.closest('table')?.querySelector<HTMLButtonElement>(`button[data-tp="${next[0]}"][data-pp="${next[1]}"]`);
    if (!to) return;
    e.preventDefault();
    to.focus();
  };
  return (
    <div className="grid-box" role="region" aria-label="Splits" tabIndex={0}>
      <table className="grid">
        <caption className="hidden">Rows are tensor-parallel sizes, columns pipeline-parallel sizes</caption>
        <thead><tr><th scope="col">tp \ pp</th>{grid.pp.map((pp) => <th key={pp} scope="col">pp {pp}</th>)}</tr></thead>
        <tbody>
          {grid.tp.map((tp) => (
            <tr key={tp}>
              <th scope="row">tp {tp}</th>
              {grid.pp.map((pp) => {
                const c = grid.cells.find((x) => x.tp === tp && x.pp === pp);
                return <td key={pp}>{c && <Cell cell={c} grid={grid} shade={shade} picked={picked === `${tp}/${pp}`} onPick={onPick} onKey={onKey} />}</td>;
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell({ cell, grid, shade, picked, onPick, onKey }: { cell: GridCell; grid: GridAnswer; shade: Shade; picked: boolean; onPick: (key: string) => void; onKey: (e: KeyboardEvent<HTMLButtonElement>) => void }) {
  const s = state(cell);
  const figure = shade === 'bubble' ? (cell.bubble === null ? '–' : `${percent(cell.bubble)} idle`) : shade === 'memory' ? (cell.peakGb === null ? '–' : gb(cell.peakGb)) : s.word;
  const says = `, tensor ${cell.tp}, pipeline ${cell.pp}: ${s.word}, ${cell.peakGb === null ? 'memory not known' : gb(cell.peakGb)}, ${cell.bubble === null ? 'bubble not known' : `${percent(cell.bubble)} bubble`}`;
  return (
    <button type="button" className={`cell ${s.tone}`} aria-pressed={picked} data-tp={cell.tp} data-pp={cell.pp} onClick={() => onPick(`${cell.tp}/${cell.pp}`)} onKeyDown={onKey}>
      {shade !== 'verdict' && <meter className="fill" aria-hidden="true" min={0} max={1} value={level(cell, shade, grid)} />}
      <span className="row"><Glyph name={s.glyph} />{figure}</span>
      <span className="small">dp {cell.dp}</span>
      <span className="hidden">{says}</span>
    </button>
  );
}
