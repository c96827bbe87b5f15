import { useEffect, useMemo, useRef } from 'react';
import { useCall } from '../../engine/useCall';
import type { GraphAnswer, GraphNode, Model } from '../../engine/types';

export type Mark = 'added' | 'removed' | 'changed' | 'rewired';

const signs: Record<Mark, string> = { added: '+', removed: '−', changed: '≠', rewired: '↺' };
const rowHeight = 26;
const titleHeight = 28;

// Drawing is a model in layers with marks on what differs: a sign, and a colour that says the same.
export function Drawing({ title, model, marks }: { title: string; model: Model; marks: ReadonlyMap<string, Mark> }) {
  const ask = useMemo(() => ({ model }), [model]);
  const { value, error } = useCall<GraphAnswer>('view/graph', ask);
  const paper = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const p = paper.current;
    if (p) p.scrollLeft = (p.scrollWidth - p.clientWidth) / 2;
  }, [value]);
  const frames = useMemo(() => new Set(value?.nodes.map((n) => n.parent)), [value]);
  return (
    <figure className="drawing">
      <figcaption>{title}</figcaption>
      {error ? <p className="quiet">{error.message}</p> : !value ? <p className="quiet">Drawing…</p> : (
        <div className="paper" ref={paper} tabIndex={0} role="region" aria-label={`${title}, drawn; the table below lists the same changes`}>
          <svg width={value.width + 2} height={value.height + 2} aria-hidden="true">
            {value.nodes.filter((n) => frames.has(n.id)).map((n) => <Box key={n.id} node={n} marks={marks} />)}
            {value.edges.map((e, i) => <polyline key={i} className="edge" points={e.points.map((p) => p.join(',')).join(' ')} />)}
            {value.nodes.filter((n) => !frames.has(n.id)).map((n) => <Box key={n.id} node={n} marks={marks} />)}
          </svg>
        </div>
      )}
    </figure>
  );
}

type Drawn = GraphNode & { hides?: string[] };

function Box({ node, marks }: { node: Drawn; marks: ReadonlyMap<string, Mark> }) {
  const { x, y, w, h, kind, rows, times } = node;
  const hidden = (node.hides ?? []).flatMap((id) => marks.get(id) ?? []);
  const own = rows.flatMap((r) => marks.get(r.component) ?? []);
  const titled = kind !== 'box' || times > 1;
  const head = titled ? titleHeight : 0;
  const all = new Set([...own, ...hidden]);
  const one = all.size === 1 ? [...all][0] : all.size > 1 ? 'changed' : undefined;
  return (
    <g className={`node ${kind} ${one ?? ''}`} transform={`translate(${x} ${y})`}>
      <rect width={w} height={h} rx={5} />
      {titled && <text x={10} y={18} className="title">{cut(node.title, w - 60)}{times > 1 ? ` × ${times}` : ''}{hidden.length > 0 ? `  ${signs[one ?? 'changed']} ${hidden.length} within` : ''}</text>}
      {rows.map((r, i) => {
        const mark = marks.get(r.component);
        return (
          <g key={r.component} className={`r ${mark ?? ''}`} transform={`translate(0 ${head + i * rowHeight})`}>
            {mark && <rect className="wash" x={1} y={1} width={w - 2} height={rowHeight - 1} />}
            <text x={10} y={17}>{mark ? `${signs[mark]} ` : ''}{cut(r.name || r.type, w * 0.55)}</text>
            <text x={w - 10} y={17} textAnchor="end" className="type">{cut(r.type, w * 0.4)}</text>
          </g>
        );
      })}
    </g>
  );
}

const cut = (text: string, pixels: number) => (text.length * 7 <= pixels ? text : `${text.slice(0, Math.max(3, Math.floor(pixels / 7) - 1))}…`);
