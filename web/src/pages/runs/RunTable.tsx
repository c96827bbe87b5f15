import { useMemo } from 'react';
import { dollars, duration } from '../../ui/amounts';
import { Glyph, type GlyphName } from '../../ui/Glyph';
import { Table, type Column } from '../../ui/Table';
import type { Run } from './api';

export const states: Record<Run['status'], { tone: string; glyph: GlyphName }> = {
  queued: { tone: 'info', glyph: 'info' }, running: { tone: 'info', glyph: 'work' }, completed: { tone: 'good', glyph: 'good' }, error: { tone: 'block', glyph: 'block' }, cancelled: { tone: 'warn', glyph: 'stop' },
};

export const when = (text: string) => (text ? new Date(text).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' }) : '');

export function RunTable({ runs, picked, onPick }: { runs: readonly Run[]; picked: readonly string[]; onPick: (id: string, also: boolean) => void }) {
  const chosen = useMemo(() => new Set(picked), [picked]);
  const columns = useMemo<Column<Run>[]>(() => [
    { key: 'pick', title: 'Pick', width: '2.5rem', cell: (r) => <input type="checkbox" aria-label={`Compare ${r.job_id}`} checked={chosen.has(r.job_id)} onClick={(e) => e.stopPropagation()} onChange={() => onPick(r.job_id, true)} /> },
    { key: 'status', title: 'State', cell: (r) => <span className={`tone-${states[r.status].tone}`}><Glyph name={states[r.status].glyph} /> {r.cancelling ? 'ending' : r.status}</span>, sort: (r) => r.status },
    { key: 'at', title: 'Submitted', cell: (r) => when(r.created_at), sort: (r) => r.created_at },
    { key: 'data', title: 'Dataset', cell: (r) => r.dataset, sort: (r) => r.dataset },
    { key: 'where', title: 'On', cell: (r) => r.gpu ?? r.mode, sort: (r) => r.gpu ?? r.mode },
    { key: 'wall', title: 'Took', right: true, cell: (r) => (r.wall_sec === undefined ? '–' : duration(r.wall_sec)), sort: (r) => r.wall_sec ?? null },
    { key: 'planned', title: 'Planned', right: true, cell: (r) => (r.planned_usd > 0 ? dollars(r.planned_usd) : '–'), sort: (r) => r.planned_usd },
    { key: 'cost', title: 'Came to', right: true, cell: (r) => (r.completed_at ? dollars(r.est_cost_usd) : '–'), sort: (r) => r.est_cost_usd },
    { key: 'structure', title: 'Structure', cell: (r) => <span className="mono">{r.fingerprint}</span>, sort: (r) => r.fingerprint },
  ], [chosen, onPick]);
  return <Table label="Training runs" columns={columns} rows={runs} id={(r) => r.job_id} selected={chosen} onSelect={onPick} height={runs.length > 14 ? '26rem' : (undefined as never)} />;
}
