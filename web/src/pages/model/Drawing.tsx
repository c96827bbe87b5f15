import { Background, MiniMap, ReactFlow, useReactFlow, type EdgeTypes, type NodeTypes } from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { useCommands } from '../../app/commands';
import type { GraphAnswer } from '../../engine/types';
import { getState, select, useStore } from '../../state/store';
import { Box, Group, type BoxNode } from './BoxNode';
import { ConnectingLine } from './ConnectingLine';
import { show, toggleOpen, unfold } from './drawing';
import { Wire, type WireEdge } from './WireEdge';

const nodeTypes: NodeTypes = { box: Box, frame: Group };
const edgeTypes: EdgeTypes = { wire: Wire };

const minimap = { width: 150, height: 110 };

interface Props {
  answer: GraphAnswer;
  edge: { from: string; to: string } | null;
  onEdge: (edge: { from: string; to: string } | null) => void;
}

// Drawing shows what the engine has laid out. Nodes and edges that did not change keep their objects, so that they are not
// drawn again.
export function Drawing({ answer, edge, onEdge }: Props) {
  const nodes = useNodes(answer);
  const edges = useEdges(answer, edge);
  const flow = useReactFlow();
  const docKey = useStore((s) => s.doc?.key);
  const fitted = useRef<string>(undefined);
  useEffect(() => {
    if (fitted.current === docKey) return;
    fitted.current = docKey;
    void showAll(flow, answer);
  }, [docKey, answer, flow]);
  useFitWhenResized(flow, answer);
  const settled = useSettled();
  useFollowSelection(answer);
  useCommands([
    { id: 'fit', group: 'View', title: 'Show the whole model', keys: 'f', run: () => void flow.fitView({ padding: 0.08 }) },
    { id: 'zoom-in', group: 'View', title: 'Zoom in', keys: '+', run: () => void flow.zoomIn() },
    { id: 'zoom-out', group: 'View', title: 'Zoom out', keys: '-', run: () => void flow.zoomOut() },
    { id: 'unfold', group: 'View', title: 'Unfold every block', run: () => show({ open: answer.nodes.filter((n) => n.kind === 'folded' || n.opened).map((n) => n.id) }) },
    { id: 'fold', group: 'View', title: 'Fold every block', run: () => show({ open: [] }) },
  ]);
  const onKey = (e: KeyboardEvent) => {
    if (e.key !== 'ArrowDown' && e.key !== 'ArrowUp' && e.key !== ' ' && e.key !== 'Enter') return;
    e.preventDefault();
    const shown = answer.nodes.flatMap((n) => n.rows.map((r) => r.component));
    const order = answer.components.map((c) => c.id).filter((id) => shown.includes(id));
    const at = order.indexOf(getState().selection.at(-1) ?? '');
    if (e.key === ' ') {
      const block = blockOf(answer, order[at]);
      if (block) toggleOpen(block);
    } else if (e.key === 'Enter') document.querySelector<HTMLElement>('.inspector input, .inspector button')?.focus();
    else {
      const to = order[Math.min(order.length - 1, Math.max(0, at + (e.key === 'ArrowDown' ? 1 : -1)))];
      if (to) select([to]);
    }
  };
  return (
    <div className="canvas" role="group" tabIndex={0} aria-label="Drawing. Arrow up and down select components, space folds a block, Enter edits." onKeyDown={onKey}>
      <ReactFlow<BoxNode, WireEdge>
        nodes={nodes} edges={edges} nodeTypes={nodeTypes} edgeTypes={edgeTypes}
        nodesDraggable={false} nodesConnectable={false} nodesFocusable={false} edgesFocusable={false} elementsSelectable={false}
        onlyRenderVisibleElements minZoom={0.05} maxZoom={2} deleteKeyCode={null} selectionKeyCode={null} multiSelectionKeyCode={null} zoomActivationKeyCode={null} panActivationKeyCode={null}
        panOnScroll zoomOnDoubleClick={false} proOptions={{ hideAttribution: true }}
        onPaneClick={() => { select([]); onEdge(null); }}
        onEdgeClick={(_, e) => e.data?.edge.fromComponent && e.data.edge.toComponent && onEdge({ from: e.data.edge.fromComponent, to: e.data.edge.toComponent })}
      >
        <svg className="hidden" aria-hidden="true"><defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" className="arrow" /></marker></defs></svg>
        <Background gap={24} size={1} color="var(--line)" bgColor="var(--well)" />
        {settled && <MiniMap pannable zoomable ariaLabel="Overview" nodeColor={(n) => (n.type === 'frame' ? 'var(--line)' : 'var(--edge)')} style={minimap} maskColor="color-mix(in srgb, var(--well) 70%, transparent)" bgColor="var(--raised)" nodeBorderRadius={6} />}
      </ReactFlow>
      <ConnectingLine />
    </div>
  );
}

// blockOf is the block around a component that can be folded or unfolded.
function blockOf(answer: GraphAnswer, component: string | undefined): string | undefined {
  let node = answer.nodes.find((n) => n.rows.some((r) => r.component === component));
  while (node && node.kind !== 'folded' && !node.opened) {
    const { parent } = node;
    node = answer.nodes.find((n) => n.id === parent);
  }
  return node?.id;
}

// showAll fits the model into the view; a long one begins at its top, readable.
async function showAll(flow: ReturnType<typeof useReactFlow>, answer: GraphAnswer) {
  const area = document.querySelector('.canvas')?.getBoundingClientRect();
  if (!area) return;
  const whole = Math.min(area.width / (answer.width + 80), area.height / (answer.height + 80));
  if (whole >= 0.55) return void flow.fitView({ padding: 0.08, maxZoom: 1.1 });
  const zoom = Math.min(1, Math.max(0.55, (area.width - 60) / (answer.width + 1)));
  await flow.setViewport({ x: (area.width - answer.width * zoom) / 2, y: 28, zoom });
}

// useSettled is true once the first drawing is on the screen: the overview can wait for it.
function useSettled(): boolean {
  const [settled, setSettled] = useState(false);
  useEffect(() => {
    const timer = window.setTimeout(() => setSettled(true), 250);
    return () => window.clearTimeout(timer);
  }, []);
  return settled;
}

// useFitWhenResized shows the model anew where the drawing gets a quarter wider or narrower, as when a phone is turned.
function useFitWhenResized(flow: ReturnType<typeof useReactFlow>, answer: GraphAnswer) {
  const latest = useRef(answer);
  latest.current = answer;
  useEffect(() => {
    const canvas = document.querySelector('.canvas');
    if (!canvas) return;
    let width = canvas.clientWidth;
    const observer = new ResizeObserver(() => {
      if (Math.abs(canvas.clientWidth - width) < width / 4) return;
      width = canvas.clientWidth;
      void showAll(flow, latest.current);
    });
    observer.observe(canvas);
    return () => observer.disconnect();
  }, [flow]);
}

function useNodes(answer: GraphAnswer): BoxNode[] {
  const kept = useRef(new Map<string, { text: string; node: BoxNode }>());
  return useMemo(() => {
    const next = new Map<string, { text: string; node: BoxNode }>();
    const most = { params: Math.max(1, ...answer.components.map((c) => c.params ?? 0)), flops: Math.max(1, ...answer.components.map((c) => c.flops ?? 0)) };
    for (const node of answer.nodes) {
      const text = JSON.stringify([node, most]);
      const old = kept.current.get(node.id);
      next.set(node.id, old?.text === text ? old : {
        text,
        node: { id: node.id, type: node.rows.length === 0 && !node.like ? 'frame' : 'box', position: { x: node.x, y: node.y }, width: node.w, height: node.h, zIndex: node.rows.length === 0 && !node.like ? 0 : 1, data: { node, most } },
      });
    }
    kept.current = next;
    return [...next.values()].map((n) => n.node);
  }, [answer]);
}

function useEdges(answer: GraphAnswer, picked: { from: string; to: string } | null): WireEdge[] {
  const kept = useRef(new Map<string, { text: string; edge: WireEdge }>());
  return useMemo(() => {
    const next = new Map<string, { text: string; edge: WireEdge }>();
    answer.edges.forEach((edge, i) => {
      const isPicked = picked !== null && edge.fromComponent === picked.from && edge.toComponent === picked.to;
      const id = `${edge.from}>${edge.to}#${i}`;
      const text = JSON.stringify(edge) + isPicked;
      const old = kept.current.get(id);
      next.set(id, old?.text === text ? old : { text, edge: { id, type: 'wire', source: edge.from, target: edge.to, data: { edge, picked: isPicked } } });
    });
    kept.current = next;
    return [...next.values()].map((e) => e.edge);
  }, [answer, picked]);
}

// useFollowSelection brings what is selected elsewhere into view, and unfolds the block that hides it.
function useFollowSelection(answer: GraphAnswer) {
  const flow = useReactFlow();
  const id = useStore((s) => (s.selection.length === 1 ? s.selection[0] : undefined));
  useEffect(() => {
    if (id === undefined) return;
    const node = answer.nodes.find((n) => n.rows.some((r) => r.component === id));
    if (!node) {
      const hiding = answer.nodes.find((n) => n.hides?.includes(id));
      if (hiding) unfold(hiding.id);
      return;
    }
    const at = node.rows.findIndex((r) => r.component === id);
    const y = node.y + ((at + 0.5) / node.rows.length) * node.h;
    const area = document.querySelector('.canvas')?.getBoundingClientRect();
    if (!area) return;
    const { x, y: top } = flow.flowToScreenPosition({ x: node.x + node.w / 2, y });
    const inside = x > area.left + 20 && x < area.right - 20 && top > area.top + 30 && top < area.bottom - 30;
    if (!inside) void flow.setCenter(node.x + node.w / 2, y, { zoom: flow.getZoom(), duration: 120 });
  }, [id, answer, flow]);
}
