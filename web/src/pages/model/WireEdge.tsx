import type { Edge, EdgeProps } from '@xyflow/react';
import { memo } from 'react';
import type { GraphEdge } from '../../engine/types';

export type WireEdge = Edge<{ edge: GraphEdge; picked: boolean }, 'wire'>;

// path joins the points with corners of 6 px.
function path(points: readonly [number, number][]): string {
  const [first, ...rest] = points;
  if (!first) return '';
  let d = `M${first[0]} ${first[1]}`;
  rest.forEach(([x, y], i) => {
    const next = rest[i + 1];
    const before = i === 0 ? first : rest[i - 1]!;
    if (!next) return void (d += `L${x} ${y}`);
    const cut = (ax: number, ay: number) => {
      const length = Math.hypot(ax - x, ay - y) || 1;
      const r = Math.min(6, length / 2) / length;
      return `${x + (ax - x) * r} ${y + (ay - y) * r}`;
    };
    d += `L${cut(before[0], before[1])}Q${x} ${y} ${cut(next[0], next[1])}`;
  });
  return d;
}

// middle is the middle of the longest stretch, where the shape is written.
function middle(points: readonly [number, number][]): [number, number] {
  let best: [number, number] = points[0] ?? [0, 0];
  let longest = -1;
  for (let i = 1; i < points.length; i++) {
    const [a, b] = [points[i - 1]!, points[i]!];
    const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
    if (length > longest) [longest, best] = [length, [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2]];
  }
  return best;
}

export const Wire = memo(function Wire({ data }: EdgeProps<WireEdge>) {
  if (!data) return null;
  const { edge, picked } = data;
  const d = path(edge.points);
  const [x, y] = middle(edge.points);
  return (
    <g className={`wire ${picked ? 'picked' : ''}`}>
      <path className="wire-hit" d={d} />
      <path className="wire-line" d={d} markerEnd="url(#arrow)" />
      {edge.shape && <text x={x + 6} y={y} dominantBaseline="middle">{edge.shape}</text>}
    </g>
  );
});
