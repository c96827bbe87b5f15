import type { Card, MemoryCurve, PlanRecord } from '../../engine/answers';
import { memory } from '../../ui/amounts';
import { Legend } from '../../ui/chart/Plot';
import { useWidth } from '../../ui/chart/useWidth';
import { Table } from '../../ui/Table';
import '../../ui/chart/chart.css';
import { partsOf } from './parts';

const row = 26;
const left = 96;
const right = 88;

// MemoryBar holds what training takes against what each card has: one bar for the run, a mark for each card, with a word beside it.
export function MemoryBar({ plan, peak, cards, chosen, onCard }: { plan: PlanRecord; peak: NonNullable<MemoryCurve['peak']>; cards: readonly Card[]; chosen: string | undefined; onCard: (id: string) => void }) {
  const [box, width] = useWidth();
  const m = plan.memory;
  if (!m) return null;
  const parts = partsOf(m, peak);
  const shown = sizes(cards);
  const most = Math.max(m.cardBytes, shown.at(-1)?.bytes ?? 0) * 1.02;
  const at = (n: number) => left + (n / most) * (width - left - right);
  let from = 0;
  return (
    <div className="stackbar" ref={box}>
      <svg width={width} height={row * (shown.length + 1) + 12} role="img" aria-label={`Training takes ${memory(m.cardBytes)} of a card. ${shown.map((c) => `${c.names.join(', ')} with ${memory(c.bytes)}: ${m.cardBytes <= c.bytes ? 'fits' : 'does not fit'}`).join('. ')}.`}>
        <text x={left - 8} y={row - 9} textAnchor="end">this run</text>
        {parts.map((p) => {
          const x = at(from);
          from += p.bytes;
          return <rect key={p.name} x={x} y={4} width={Math.max(0, at(from) - x)} height={row - 8} style={{ fill: `var(${p.colour})` }}><title>{`${p.name}: ${memory(p.bytes)}`}</title></rect>;
        })}
        <text x={Math.min(at(m.cardBytes) + 6, width - right + 6)} y={row - 9} style={{ fill: 'var(--ink)', fontWeight: 600 }}>{memory(m.cardBytes)}</text>
        <line x1={at(m.cardBytes)} x2={at(m.cardBytes)} y1={2} y2={row * (shown.length + 1) + 4} className="cap" strokeDasharray="3 3" />
        {shown.map((c, i) => {
          const y = row * (i + 1) + 6;
          const fits = m.cardBytes <= c.bytes;
          return (
            <g key={c.bytes}>
              <text x={left - 8} y={y + 14} textAnchor="end">{memory(c.bytes)}</text>
              <rect className="track" x={left} y={y + 2} width={at(c.bytes) - left} height={row - 10} rx={2}><title>{c.names.join(', ')}</title></rect>
              <line className={`cap ${c.ids.includes(chosen ?? '') ? 'chosen' : ''}`} x1={at(c.bytes)} x2={at(c.bytes)} y1={y} y2={y + row - 6} />
              {at(c.bytes) > width - right - 140
                ? <text x={left + 6} y={y + 14}>{clip(c.ids.join(', '), (at(c.bytes) - left) / 7)}</text>
                : <text x={at(c.bytes) + 6} y={y + 14}>{clip(c.ids.join(', '), (width - right - at(c.bytes)) / 7)}</text>}
              <text x={width - right + 6} y={y + 14} className={fits ? 'yes' : 'no'}>{fits ? '✓ fits' : '✕ too small'}</text>
            </g>
          );
        })}
      </svg>
      <Legend series={parts} stacked />
      <details className="as-table">
        <summary>As a table, and every card</summary>
        <Table label="Parts of the memory" rows={parts} id={(p) => p.name} columns={[{ key: 'part', title: 'Part', cell: (p) => p.name }, { key: 'bytes', title: 'Memory', right: true, cell: (p) => memory(p.bytes), sort: (p) => p.bytes }, { key: 'what', title: 'What it is', cell: (p) => p.what }]} />
        <Table label="Cards" rows={cards} id={(c) => c.id} onSelect={onCard} selected={new Set(chosen ? [chosen] : [])} columns={[
          { key: 'card', title: 'Card', cell: (c) => c.name }, { key: 'has', title: 'Memory', right: true, cell: (c) => memory(c.bytes), sort: (c) => c.bytes },
          { key: 'price', title: '$ an hour', right: true, cell: (c) => c.usdPerHour, sort: (c) => c.usdPerHour }, { key: 'fits', title: 'Fits', cell: (c) => (m.cardBytes <= c.bytes ? 'fits' : 'too small') },
          { key: 'source', title: 'Price from', cell: (c) => `${c.source}, ${c.date}` }]} />
      </details>
    </div>
  );
}

const clip = (text: string, most: number) => (text.length <= most ? text : most < 4 ? '' : `${text.slice(0, Math.max(1, Math.floor(most) - 1))}…`);

// sizes groups cards by what they hold, the smallest first.
function sizes(cards: readonly Card[]) {
  const out = new Map<number, { bytes: number; ids: string[]; names: string[] }>();
  for (const c of cards) {
    const key = Math.round(c.bytes / 2 ** 30);
    const one = out.get(key) ?? { bytes: c.bytes, ids: [], names: [] };
    one.bytes = Math.min(one.bytes, c.bytes);
    one.ids.push(c.id);
    one.names.push(c.name);
    out.set(key, one);
  }
  return [...out.values()].sort((a, b) => a.bytes - b.bytes);
}
