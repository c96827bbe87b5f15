import { Handle, Position, type Node, type NodeProps } from '@xyflow/react';
import { memo, useSyncExternalStore, type PointerEvent } from 'react';
import type { GraphNode, GraphRow } from '../../engine/types';
import { getState, select, subscribe } from '../../state/store';
import { useWorst } from '../../state/verdict';
import { Glyph } from '../../ui/Glyph';
import { short } from '../../ui/numbers';
import { begin, useLit } from './connecting';
import { toggleOpen, useMeasure } from './drawing';
import { useFound } from './found';

export type BoxNode = Node<{ node: GraphNode; most: { params: number; flops: number } }, 'box' | 'frame'>;

// Ends are where xyflow ties edges to; lines are drawn along the engine's own points.
const Ends = () => (
  <>
    <Handle type="target" position={Position.Top} isConnectable={false} />
    <Handle type="source" position={Position.Bottom} isConnectable={false} />
  </>
);

export const Box = memo(function Box({ data }: NodeProps<BoxNode>) {
  const { node, most } = data;
  return (
    <div className={`gbox ${node.kind}`} style={{ width: node.w, height: node.h }}>
      <Ends />
      {node.kind !== 'box' && <Title node={node} />}
      {node.rows.map((row) => <Row key={row.component} row={row} most={most} />)}
    </div>
  );
});

// Group is a frame: around a block, around the first of several equal ones, or around all of them where they are unfolded.
export const Group = memo(function Group({ data }: NodeProps<BoxNode>) {
  return (
    <div className={`ggroup ${data.node.kind}`} style={{ width: data.node.w, height: data.node.h }}>
      <Ends />
      <Title node={data.node} />
    </div>
  );
});

function Title({ node }: { node: GraphNode }) {
  const folds = node.kind === 'folded' || node.opened;
  const words = (
    <>
      {folds && <span aria-hidden="true">{node.opened ? '▾' : '▸'}</span>}
      <b className="clip">{node.title}</b>
      {node.times > 1 && <b className="gtimes">× {node.times}</b>}
      {node.like && <span className="clip">like {node.like}</span>}
      {node.params !== null && node.params > 0 && <span className="quiet gweights">{short(node.params, 'weights')}{node.times > 1 ? ' each' : ''}</span>}
    </>
  );
  if (!folds) return <div className="gtitle">{words}</div>;
  const label = `${node.opened ? 'Fold' : 'Unfold'} ${node.title}`;
  return <button type="button" tabIndex={-1} className="gtitle nodrag nopan" title={label} aria-label={label} onClick={() => toggleOpen(node.id)}>{words}</button>;
}

function useSelected(id: string) {
  return useSyncExternalStore(subscribe, () => getState().selection.includes(id));
}

const Row = memo(function Row({ row, most }: { row: GraphRow; most: { params: number; flops: number } }) {
  const selected = useSelected(row.component);
  const lit = useLit(row.component);
  const found = useFound(row.component);
  const measure = useMeasure();
  const worst = useWorst(row.component);
  const value = row[measure];
  const share = value ? Math.round((100 * value) / Math.max(1, most[measure])) : 0;
  const drag = (e: PointerEvent) => {
    e.stopPropagation();
    begin(row.component, e.nativeEvent);
  };
  return (
    <div className={`grow-row nodrag ${selected ? 'selected' : ''} ${lit} ${found === false ? 'dim' : ''} ${worst ?? ''}`} data-component={row.component} id={`row-${row.component}`} title={`${row.name || row.component}: ${row.type} ${row.detail}${row.shape ? `, gives ${row.shape}` : ''}`} onClick={(e) => select(e.shiftKey || e.ctrlKey || e.metaKey ? toggled(row.component) : [row.component])}>
      {share > 1 && <span className="gshare" style={{ width: `${share}%` }} />}
      {worst && <span className={`gmark tone-${worst}`}><Glyph name={worst} /></span>}
      {row.name && <span className="gname clip">{row.name}</span>}
      <span className={`gtype clip ${row.name ? '' : 'alone'}`}>{row.type}{row.detail ? ` ${row.detail}` : ''}</span>
      <span className="gnum">{value ? short(value, measure === 'params' ? 'weights' : 'count') : ''}</span>
      <span className="gdot nopan nodrag" title="Drag to connect" onPointerDown={drag} />
    </div>
  );
});

function toggled(id: string): string[] {
  const { selection } = getState();
  return selection.includes(id) ? selection.filter((s) => s !== id) : [...selection, id];
}
