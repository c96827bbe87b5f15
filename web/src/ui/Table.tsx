import { useMemo, useRef, useState, type KeyboardEvent, type ReactNode, type UIEvent } from 'react';

export interface Column<Row> {
  key: string;
  title: string;
  cell: (row: Row) => ReactNode;
  sort?: (row: Row) => number | string | null; // nulls come last
  right?: boolean;
  width?: string;
}

interface Props<Row> {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  id: (row: Row) => string;
  selected?: ReadonlySet<string>;
  onSelect?: (id: string, add: boolean) => void;
  height?: string; // with it the table scrolls by itself and draws only the rows in view
}

const rowHeight = 29;

// Table sorts by its head, selects by click, arrows and Enter, and draws only what is in view where its height is given.
export function Table<Row>({ label, columns, rows, id, selected, onSelect, height }: Props<Row>) {
  const [order, setOrder] = useState<{ key: string; down: boolean } | null>(null);
  const [top, setTop] = useState(0);
  const body = useRef<HTMLTableSectionElement>(null);
  const sorted = useMemo(() => sort(rows, columns, order), [rows, columns, order]);
  const windowed = height !== undefined && sorted.length > 120;
  const first = windowed ? Math.max(0, Math.floor(top / rowHeight) - 15) : 0;
  const last = windowed ? Math.min(sorted.length, first + 90) : sorted.length;

  const onKey = (event: KeyboardEvent<HTMLTableRowElement>) => {
    const row = event.currentTarget;
    const to = event.key === 'ArrowDown' ? row.nextElementSibling : event.key === 'ArrowUp' ? row.previousElementSibling : null;
    if (to instanceof HTMLElement && to.tabIndex >= 0) {
      event.preventDefault();
      to.focus();
    } else if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      onSelect?.(row.dataset.id ?? '', event.shiftKey);
    }
  };

  return (
    <div className="table" role="region" aria-label={label} tabIndex={0} style={height ? { height } : undefined} onScroll={windowed ? (e: UIEvent<HTMLDivElement>) => setTop(e.currentTarget.scrollTop) : undefined}>
      <table aria-rowcount={sorted.length + 1}>
        <thead>
          <tr>
            {columns.map((c) => (
              <th key={c.key} scope="col" className={c.right ? 'right' : undefined} style={c.width ? { width: c.width } : undefined} aria-sort={order?.key === c.key ? (order.down ? 'descending' : 'ascending') : undefined}>
                {c.sort
                  ? <button type="button" onClick={() => setOrder((o) => (o?.key === c.key ? (o.down === Boolean(c.right) ? { key: c.key, down: !o.down } : null) : { key: c.key, down: Boolean(c.right) }))}>{c.title}{order?.key === c.key ? (order.down ? ' ↓' : ' ↑') : ''}</button>
                  : c.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {first > 0 && <tr aria-hidden="true" style={{ height: first * rowHeight }}><td colSpan={columns.length} /></tr>}
          {sorted.slice(first, last).map((row) => {
            const key = id(row);
            const picked = selected?.has(key) ?? false;
            return (
              <tr key={key} data-id={key} className={onSelect ? 'can' : undefined} tabIndex={onSelect ? 0 : undefined} aria-selected={onSelect ? picked : undefined} onClick={onSelect ? (e) => onSelect(key, e.shiftKey || e.ctrlKey || e.metaKey) : undefined} onKeyDown={onSelect ? onKey : undefined}>
                {columns.map((c) => <td key={c.key} className={c.right ? 'right' : undefined}>{c.cell(row)}</td>)}
              </tr>
            );
          })}
          {last < sorted.length && <tr aria-hidden="true" style={{ height: (sorted.length - last) * rowHeight }}><td colSpan={columns.length} /></tr>}
        </tbody>
      </table>
    </div>
  );
}

function sort<Row>(rows: readonly Row[], columns: readonly Column<Row>[], order: { key: string; down: boolean } | null): readonly Row[] {
  const by = order && columns.find((c) => c.key === order.key)?.sort;
  if (!by || !order) return rows;
  const sign = order.down ? -1 : 1;
  return rows.map((row, at) => ({ row, at, value: by(row) })).sort((a, b) => {
    if (a.value === b.value) return a.at - b.at;
    if (a.value === null) return 1;
    if (b.value === null) return -1;
    return (a.value < b.value ? -1 : 1) * sign;
  }).map((r) => r.row);
}
