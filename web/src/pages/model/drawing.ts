// The drawing of the open document, which the engine lays out: asked after each edit and each fold, kept while the next is made.
import { useEffect, useState, useSyncExternalStore } from 'react';
import { Superseded } from '../../engine/client';
import type { GraphAnswer } from '../../engine/types';
import { draw, drawn as kept } from '../../state/drawing';
import { useStore } from '../../state/store';

export interface Drawn {
  answer: GraphAnswer | undefined;
  error: Error | undefined;
  pending: boolean;
}

export function useDrawing(open: readonly string[]): Drawn {
  const model = useStore((s) => s.doc?.model ?? null);
  const key = useStore((s) => s.doc?.key);
  const [drawn, setDrawn] = useState<Drawn & { key: string | undefined }>(() => ({ answer: model ? kept(model, open) : undefined, error: undefined, pending: true, key }));
  useEffect(() => {
    if (!model) return;
    let current = true;
    draw(model, open).then(
      (answer) => current && setDrawn({ answer, error: undefined, pending: false, key }),
      (error: Error) => current && !(error instanceof Superseded) && setDrawn((d) => ({ answer: d.key === key ? d.answer : undefined, error, pending: false, key })),
    );
    return () => void (current = false);
  }, [model, open, key]);
  return drawn.key === key ? drawn : { answer: undefined, error: undefined, pending: true };
}

// View is how the Model page shows things; it is kept while other pages are open.
export interface View {
  open: readonly string[]; // folded blocks that are shown in full
  mode: 'drawing' | 'table';
  measure: 'params' | 'flops';
  query: string;
  left: 'findings' | 'add';
  right: 'selected' | 'source';
  sheet: 'none' | 'left' | 'right'; // which column lies over the drawing on a narrow screen
}

let view: View = { open: [], mode: 'drawing', measure: 'params', query: '', left: 'findings', right: 'selected', sheet: 'none' };
const listeners = new Set<() => void>();

export function show(change: Partial<View>) {
  view = { ...view, ...change };
  for (const l of listeners) l();
}
export const getView = () => view;
function listen(listener: () => void) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
export const useView = () => useSyncExternalStore(listen, getView);
export const useMeasure = () => useSyncExternalStore(listen, () => view.measure);

// unfold shows a block in full, whether or not that was asked before.
export function unfold(id: string) {
  if (!view.open.includes(id)) show({ open: [...view.open, id] });
}

export function toggleOpen(id: string) {
  show({ open: view.open.includes(id) ? view.open.filter((o) => o !== id) : [...view.open, id] });
}

// beginWith forgets the search and the unfolded blocks of the document before.
let begun: string | undefined;
export function beginWith(key: string | undefined) {
  if (begun !== undefined && begun !== key) show({ open: [], query: '' });
  begun = key;
}
