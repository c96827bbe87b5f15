import { useMemo, useState } from 'react';
import type { Card, UseAnswer } from '../../engine/answers';
import { useCall } from '../../engine/useCall';
import type { Model } from '../../engine/types';
import { memory } from '../../ui/amounts';
import { Plot, type Series } from '../../ui/chart/Plot';
import { Figure } from '../../ui/Figure';
import { Segments } from '../../ui/Segments';
import { assumed, measured } from './words';
import { exact } from '../../ui/numbers';

const contexts = [256, 512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536, 131_072];
const batches = [1, 4, 16, 64, 256];
const colours = ['--c1', '--c2', '--c3', '--c4', '--c5', '--c6'];
const precisions = [{ value: 'bf16', text: 'bf16' }, { value: 'fp32', text: 'fp32' }, { value: 'int8', text: 'int8' }, { value: 'int4', text: 'int4' }] as const;

// UsePlot is what using the model takes: over the context for a few batches, or over the batch where it writes no tokens.
export function UsePlot({ model, cards, chosen }: { model: Model; cards: readonly Card[]; chosen: string | undefined }) {
  const [precision, setPrecision] = useState<(typeof precisions)[number]['value']>('bf16');
  const ask = useMemo(() => ({ model, batch: batches, context: contexts, precision }), [model, precision]);
  const { value, error } = useCall<UseAnswer>('view/inference', ask);
  const lines = useMemo(() => {
    const most = Math.max(0, ...(value?.cells.map((c) => c.cardBytes) ?? []));
    const some = cards.filter((c) => (chosen ? c.id === chosen : ['T4', 'A100-40GB', 'H100'].includes(c.id)) && c.bytes < most * 1.5);
    return some.map((c) => ({ at: c.bytes, name: c.id }));
  }, [cards, chosen, value]);
  if (error) return <p className="notice block">{error.message}</p>;
  if (!value) return <p className="quiet">Working…</p>;
  if (value.lacks) return <p className="quiet">Not known: {value.lacks}.</p>;
  const tokens = value.context.length > 0;
  const x = tokens ? value.context : value.batch;
  const cell = (batch: number, context: number) => value.cells.find((c) => c.batch === batch && (!tokens || c.context === context));
  const series: Series[] = tokens
    ? value.batch.map((b, i) => ({ name: `batch ${b}`, colour: colours[i % 6] ?? '--c1', values: x.map((c) => cell(b, c)?.cardBytes ?? null) }))
    : [{ name: 'on the card', colour: '--c1', values: x.map((b) => cell(b, 0)?.cardBytes ?? null) }];
  const beyond = value.cells.find((c) => c.notRun);
  return (
    <div className="stack">
      <div className="row wrap">
        <Segments label="Precision" options={precisions} value={precision} onChange={setPrecision} />
        <span>weights <Figure value={memory(value.weightBytes)} exact={`${exact(value.weightBytes)} bytes`} /></span>
        {tokens && <span>cache <Figure value={memory(value.kvBytesPerToken)} exact={`${exact(value.kvBytesPerToken)} bytes for one token of one sequence`} error={measured(value.errorPercent)} assumes={assumed(value.assumptions)} /> a token</span>}
      </div>
      <Plot label={tokens ? 'Memory of inference over the context, by batch' : 'Memory of inference over the batch'} x={x} xScale="powers" xName={tokens ? 'tokens of context' : 'batch'} xText={(n) => (tokens ? `${exact(n)} tokens` : `batch ${n}`)} xTicks={(n) => (n >= 1024 ? `${n / 1024}k` : String(n))} yName="on the card, in powers of two" yText={memory} yPowers series={series} lines={lines} height={280} />
      {beyond && <p className="quiet small">The model does not run with {exact(beyond.context)} tokens and more; what its cache would take is drawn all the same.</p>}
    </div>
  );
}
