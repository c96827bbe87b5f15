import { useMemo } from 'react';
import { href } from '../../app/router';
import type { MemoryCurve, Phase } from '../../engine/answers';
import { memory } from '../../ui/amounts';
import { Plot, type Series } from '../../ui/chart/Plot';
import { Table } from '../../ui/Table';

const names: Record<Phase, string> = { forward: 'forward', loss: 'loss', backward: 'backward', optimizer: 'optimizer' };

const when: Record<Phase, string> = { forward: 'in the forward pass', loss: 'while the loss is computed', backward: 'in the backward pass', optimizer: "in the optimizer's step" };

// CurvePlot is the memory of one training step, and what lives at its peak.
export function CurvePlot({ curve }: { curve: MemoryCurve }) {
  const { points, peak } = curve;
  const x = useMemo(() => points.map((p) => p.at), [points]);
  const series = useMemo<Series[]>(() => {
    const all: Series[] = [
      { name: 'weights', colour: '--c1', values: points.map(() => curve.weightBytes) },
      { name: 'optimizer', colour: '--c4', values: points.map((p) => curve.stateBytes + p.stepBytes) },
      { name: 'gradients', colour: '--c2', values: points.map((p) => p.gradientBytes) },
      { name: 'activations', colour: '--c3', values: points.map((p) => p.activationBytes) },
      { name: 'logits and loss', colour: '--c5', values: points.map((p) => p.logitBytes) },
      { name: 'in passing', colour: '--edge', values: points.map((p) => p.passingBytes + curve.inputBytes) },
    ];
    return all.filter((s) => s.values.some((v) => v !== null && v > 0));
  }, [points, curve]);
  const bands = useMemo(() => {
    const out: { from: number; to: number; name: string }[] = [];
    points.forEach((p, i) => {
      const last = out.at(-1);
      if (last?.name === names[p.phase]) last.to = i;
      else out.push({ from: i, to: i, name: names[p.phase] });
    });
    return out.map((b) => ({ ...b, to: Math.min(points.length - 1, b.to + 1) }));
  }, [points]);
  if (!peak) return <p className="quiet">{curve.lacks || 'There is nothing to draw.'}</p>;
  const at = points.find((p) => p.at === peak.at);
  return (
    <>
      <p>The peak is <b>{at ? when[at.phase] : ''}</b>{at?.component ? <>, at <a href={href('/model', { select: at.component })}>{at.component}</a></> : null}: {memory(peak.bytes)} allocated{curve.microBatch > 0 ? `, in each micro-batch of ${curve.microBatch}` : ''}.</p>
      <Plot label="Memory over one training step" x={x} xName="moments of a step" xText={(n) => moment(points.find((p) => p.at === n))} yName="allocated" yText={memory} bytes series={series} stacked bands={bands} mark={{ x: peak.at, name: `peak ${memory(peak.bytes)}` }} height={260} />
      <details className="as-table">
        <summary>What is saved for backward at the peak</summary>
        <Table label="What is saved for backward at the peak" rows={[...peak.saved, ...(peak.rest.count ? [{ ...peak.rest, what: `${peak.rest.count} others` }] : [])]} id={(l) => l.component ?? 'others'} columns={[
          { key: 'what', title: 'Component', cell: (l) => (l.component ? <a href={href('/model', { select: l.component })}>{l.what}</a> : l.what) },
          { key: 'bytes', title: 'Memory', right: true, cell: (l) => memory(l.bytes), sort: (l) => l.bytes }]} />
      </details>
    </>
  );
}

const moment = (p: MemoryCurve['points'][number] | undefined) => (p ? `${names[p.phase]}${p.component ? `, ${p.component}` : ''}` : '');
