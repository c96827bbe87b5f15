import { useMemo, useState } from 'react';
import { percent } from '../../ui/amounts';
import { Plot, type Series } from '../../ui/chart/Plot';
import { Segments } from '../../ui/Segments';
import type { Epoch, Run } from './api';

const metrics = [{ value: 'valAcc', text: 'Accuracy' }, { value: 'valLoss', text: 'Validation loss' }, { value: 'trainLoss', text: 'Training loss' }] as const;
type Metric = (typeof metrics)[number]['value'];
const colours = ['--c1', '--c2', '--c3', '--c4', '--c5', '--c6'];

// Curves are the epochs of one run, or of several over each other. They grow while a run goes on.
export function Curves({ runs }: { runs: readonly Run[] }) {
  const [metric, setMetric] = useState<Metric>('valAcc');
  const length = Math.max(...runs.map((r) => Math.max(r.config.epochs, r.epochs.length)), 1);
  const x = useMemo(() => Array.from({ length }, (_, i) => i + 1), [length]);
  const series = useMemo<Series[]>(() => runs.map((r, i) => ({ name: name(r, runs), colour: colours[i % 6] ?? '--c1', dashed: i > 2, values: x.map((n) => of(r.epochs.find((e) => e.epoch === n), metric)) })), [runs, x, metric]);
  const live = runs.some((r) => r.status === 'running');
  return (
    <div className="stack">
      <div className="row wrap"><Segments label="Metric" options={metrics} value={metric} onChange={setMetric} />{live && <span className="quiet small" role="status">Grows as epochs end.</span>}</div>
      {runs.every((r) => r.epochs.length === 0)
        ? <p className="quiet">No epoch has ended yet.</p>
        : <Plot label={`${metrics.find((m) => m.value === metric)?.text} by epoch`} x={x} xName="epoch" xText={(n) => `epoch ${n}`} xTicks={(n) => String(n)} yName={metrics.find((m) => m.value === metric)?.text ?? ''} yText={metric === 'valAcc' ? percent : (n) => n.toPrecision(3)} series={series} />}
    </div>
  );
}

const of = (e: Epoch | undefined, metric: Metric) => e?.[metric] ?? null;
const name = (r: Run, all: readonly Run[]) => {
  const text = `${r.dataset}, ${r.config.optimizer}, lr ${r.config.lr}`;
  return all.filter((o) => `${o.dataset}, ${o.config.optimizer}, lr ${o.config.lr}` === text).length > 1 ? `${text} (${r.job_id.slice(0, 6)})` : text;
};
