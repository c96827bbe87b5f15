import { useMemo } from 'react';
import type { DiffAnswer } from '../../engine/answers';
import { dollars } from '../../ui/amounts';
import { exact, plural } from '../../ui/numbers';
import { Table, type Column } from '../../ui/Table';
import type { Candidate } from './candidates';
import { Drawing, type Mark } from './Drawing';

interface Row {
  key: string;
  mark: Mark;
  name: string;
  type: string;
  what: string;
}

const words: Record<Mark, string> = { added: '+ added', removed: '− removed', changed: '≠ changed', rewired: '↺ rewired' };
const signed = (n: number, text: (n: number) => string) => `${n > 0 ? '+' : n < 0 ? '−' : '±'}${text(Math.abs(n))}`;

const columns: Column<Row>[] = [
  { key: 'mark', title: 'Change', cell: (r) => <span className={`change ${r.mark}`}>{words[r.mark]}</span>, sort: (r) => r.mark, width: '7rem' },
  { key: 'name', title: 'Component', cell: (r) => r.name, sort: (r) => r.name },
  { key: 'type', title: 'Type', cell: (r) => <span className="mono">{r.type}</span>, sort: (r) => r.type },
  { key: 'what', title: 'What', cell: (r) => <span className="words">{r.what}</span> },
];

// Changes are the difference of two models as a table, and on both drawings.
export function Changes({ diff, before, after }: { diff: DiffAnswer; before: Candidate; after: Candidate }) {
  const rows = useMemo<Row[]>(() => [
    ...diff.changed.map((c) => ({ key: `c${c.after.id}`, mark: 'changed' as const, name: c.after.name, type: c.after.type, what: c.lines.map((l) => l.replace(`${c.after.name}.`, '')).join('; ') })),
    ...diff.added.map((p) => ({ key: `a${p.id}`, mark: 'added' as const, name: p.name, type: p.type, what: '' })),
    ...diff.removed.map((p) => ({ key: `r${p.id}`, mark: 'removed' as const, name: p.name, type: p.type, what: '' })),
    ...diff.rewired.map((c) => ({ key: `w${c.after.id}`, mark: 'rewired' as const, name: c.after.name, type: c.after.type, what: 'other inputs, or in another order' })),
  ], [diff]);
  const old = useMemo(() => new Map<string, Mark>([...diff.removed.map((p) => [p.id, 'removed'] as const), ...diff.changed.map((c) => [c.before.id, 'changed'] as const), ...diff.rewired.map((c) => [c.before.id, 'rewired'] as const)]), [diff]);
  const now = useMemo(() => new Map<string, Mark>([...diff.added.map((p) => [p.id, 'added'] as const), ...diff.changed.map((c) => [c.after.id, 'changed'] as const), ...diff.rewired.map((c) => [c.after.id, 'rewired'] as const)]), [diff]);
  const d = diff.diff;
  if (rows.length === 0) return <p>Nothing changed: the two have the same structure.</p>;
  return (
    <>
      <p>
        {plural(diff.added.length, 'component')} added, {diff.removed.length} removed, {diff.changed.length} changed, {diff.rewired.length} rewired; {d.blastRadius} downstream.
        {d.paramsDelta !== null && ` Weights ${signed(d.paramsDelta, exact)}.`}{d.memoryDeltaGb !== null && ` Training memory ${signed(d.memoryDeltaGb, (n) => `${n} GB`)}.`}{d.costDeltaUsd !== null && ` Cost ${signed(d.costDeltaUsd, dollars)}.`}
        {d.legalityChanged && <b> Legality {d.legalityChanged}.</b>}
      </p>
      <div className="drawings">
        <Drawing title={`Before: ${before.id}`} model={before.model} marks={old} />
        <Drawing title={`After: ${after.id}`} model={after.model} marks={now} />
      </div>
      <Table label="Changes" columns={columns} rows={rows} id={(r) => r.key} height={rows.length > 14 ? '26rem' : (undefined as never)} />
    </>
  );
}
