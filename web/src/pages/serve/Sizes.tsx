import type { ServeAnswer } from '../../engine/answers';
import { gb } from '../../ui/amounts';
import { Glyph } from '../../ui/Glyph';
import { Table, type Column } from '../../ui/Table';
import { exact } from '../../ui/numbers';

type Row = ServeAnswer['splits'][number];

const columns: Column<Row>[] = [
  { key: 'size', title: 'Cards', right: true, cell: (s) => s.size, sort: (s) => s.size, width: '4rem' },
  { key: 'legal', title: 'Verdict', cell: (s) => (s.legal ? <span className="num tone-good"><Glyph name="good" /> starts</span> : <span className="num tone-block"><Glyph name="block" /> refused</span>), sort: (s) => (s.legal ? 0 : 1) },
  { key: 'weights', title: 'Weights a card', right: true, cell: (s) => (s.memory ? gb(s.memory.weightsGb) : '–'), sort: (s) => s.memory?.weightsGb ?? null },
  { key: 'kv', title: 'Left for the cache', right: true, cell: (s) => (s.memory ? gb(s.memory.kvGb) : '–'), sort: (s) => s.memory?.kvGb ?? null },
  { key: 'sequences', title: 'Sequences', right: true, cell: (s) => s.concurrent === null ? '–' : exact(s.concurrent), sort: (s) => s.concurrent },
  { key: 'why', title: 'Why not', cell: (s) => (s.why ? <span className="words">{s.why}</span> : '') },
];

// Sizes is the command judged again with every tensor-parallel size.
export function Sizes({ splits }: { splits: Row[] }) {
  const legal = splits.filter((s) => s.legal).map((s) => s.size);
  return (
    <>
      <p>{legal.length > 0 ? <>Legal: <b>{legal.join(', ')}</b>.</> : 'None of these starts.'} The command was judged again with each.</p>
      <Table label="Tensor-parallel sizes" columns={columns} rows={splits} id={(s) => String(s.size)} />
    </>
  );
}
