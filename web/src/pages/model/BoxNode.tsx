import { Handle, Position, type Node, type NodeProps } from '@xyflow/react';
import { memo, useSyncExternalStore, type PointerEvent } from 'react';
import type { GraphNode, GraphRow } from '../../engine/types';
import { getState, select, subscribe } from '../../state/store';
import { useVerdict } from '../../state/verdict';
import { Glyph } from '../../ui/Glyph';
import { short } from '../../ui/numbers';
import { begin, useLit } from './connecting';
import { toggleOpen, useView } from './drawing';
import { useFound } from './found';

export type BoxNode = Node<{ node: GraphNode; most: { params: number; flops: number } }, 'box' | 'group'>;

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
      {node.kind === 'folded' && <Title node={node} open={false} />}
      {node.rows.map((row) => <Row key={row.component} row={row} most={most} />)}
    </div>
  );
});

export const Group = memo(function Group({ data }: NodeProps<BoxNode>) {
  return (
    <div className="ggroup" style={{ width: data.node.w, height: data.node.h }}>
      <Ends />
      <Title node={data.node} open />
    </div>
  );
});

function Title({ node, open }: { node: GraphNode; open: boolean }) {
  const word = open ? 'Fold' : 'Unfold';
  return (
    <button type="button" tabIndex={-1} className="gtitle nodrag" title={`${word} ${node.title}`} aria-label={`${word} ${node.title}`} onClick={() => toggleOpen(node.id)}>
      <span aria-hidden="true">{open ? '▾' : '▸'}</span>
      <span className="clip grow">{node.title}</span>
      {node.times > 1 && <b>× {node.times}</b>}
      {node.params !== null && node.params > 0 && <span className="quiet">{short(node.params, 'weights')}{node.times > 1 ? ' each' : ''}</span>}
    </button>
  );
}

function useSelected(id: string) {
  return useSyncExternalStore(subscribe, () => getState().selection.includes(id));
}

const Row = memo(function Row({ row, most }: { row: GraphRow; most: { params: number; flops: number } }) {
  const selected = useSelected(row.component);
  const lit = useLit(row.component);
  const found = useFound(row.component);
  const { measure } = useView();
  const worst = useVerdict().byComponent.get(row.component)?.[0]?.severity;
  const value = row[measure];
  const share = value ? Math.max(2, Math.round((100 * value) / Math.max(1, most[measure]))) : 0;
  const drag = (e: PointerEvent) => {
    e.stopPropagation();
    begin(row.component, e.nativeEvent);
  };
  return (
    <div className={`grow-row nodrag ${selected ? 'selected' : ''} ${lit} ${found === false ? 'dim' : ''} ${worst ?? ''}`} data-component={row.component} id={`row-${row.component}`} onClick={(e) => select(e.shiftKey || e.ctrlKey || e.metaKey ? toggled(row.component) : [row.component])}>
      {share > 0 && <span className="gshare" style={{ width: `${share}%` }} />}
      {worst && <span className={`gmark tone-${worst}`}><Glyph name={worst} /></span>}
      <span className="gname clip">{row.name || row.component}</span>
      <span className="gtype clip">{row.type}{row.detail ? ` ${row.detail}` : ''}</span>
      <span className="gnum">{value ? short(value, measure === 'params' ? 'weights' : 'count') : ''}</span>
      <span className="gdot nopan nodrag" title="Drag to connect" onPointerDown={drag} />
    </div>
  );
});

function toggled(id: string): string[] {
  const { selection } = getState();
  return selection.includes(id) ? selection.filter((s) => s !== id) : [...selection, id];
}
