import { useMemo } from 'react';
import type { TableRow } from '../../engine/types';
import { getState, select, useStore } from '../../state/store';
import { useVerdict } from '../../state/verdict';
import { Glyph } from '../../ui/Glyph';
import { Table, type Column } from '../../ui/Table';
import { exact, short } from '../../ui/numbers';

// TableView is the same model as rows in the order in which they run; the selection is shared with the drawing.
export function TableView({ rows }: { rows: readonly TableRow[] }) {
  const selection = useStore((s) => s.selection);
  const { byComponent } = useVerdict();
  const selected = useMemo(() => new Set(selection), [selection]);
  const columns = useMemo<Column<TableRow>[]>(() => [
    { key: 'name', title: 'Name', sort: (r) => r.name || r.id, cell: (r) => {
      const worst = byComponent.get(r.id)?.[0];
      return <>{worst && <span className={`tone-${worst.severity}`} title={worst.message}><Glyph name={worst.severity} /> </span>}{r.name || r.id}</>;
    } },
    { key: 'type', title: 'Type', sort: (r) => r.type, cell: (r) => <span className="mono">{r.type}</span> },
    { key: 'shape', title: 'Result', cell: (r) => <span className="mono">{r.shape || '–'}</span> },
    { key: 'params', title: 'Weights', right: true, sort: (r) => r.params, cell: (r) => <span title={r.params === null ? 'not known' : exact(r.params)}>{r.params === null ? '–' : r.params === 0 ? '' : short(r.params, 'weights')}</span> },
    { key: 'flops', title: 'FLOPs', right: true, sort: (r) => r.flops, cell: (r) => <span title={r.flops === null ? 'not known' : exact(r.flops)}>{r.flops === null ? '–' : r.flops === 0 ? '' : short(r.flops)}</span> },
  ], [byComponent]);
  const pick = (id: string, add: boolean) => {
    const now = getState().selection;
    select(add ? (now.includes(id) ? now.filter((s) => s !== id) : [...now, id]) : [id]);
  };
  if (rows.length === 0) return <p className="quiet pad">No component is like that.</p>;
  return <Table label="Components" columns={columns} rows={rows} id={(r) => r.id} selected={selected} onSelect={pick} height="100%" />;
}
