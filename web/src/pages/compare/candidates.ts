// The models that are compared, for as long as the tab lives: two to twenty.
import { useSyncExternalStore } from 'react';
import type { Model } from '../../engine/types';

export interface Candidate {
  id: string; // what it is called, and unique
  model: Model;
}

export const most = 20;
let list: readonly Candidate[] = [];
const listeners = new Set<() => void>();

function become(next: readonly Candidate[]) {
  list = next;
  for (const l of listeners) l();
}

export const useCandidates = () => useSyncExternalStore((l) => {
  listeners.add(l);
  return () => void listeners.delete(l);
}, () => list);

// add puts a model behind the others under a name that none of them has. The same model is not added twice.
export function add(title: string, model: Model) {
  if (list.length >= most || list.some((c) => c.model === model)) return;
  let id = title;
  for (let n = 2; list.some((c) => c.id === id); n++) id = `${title} (${n})`;
  become([...list, { id, model }]);
}

export const remove = (id: string) => become(list.filter((c) => c.id !== id));
export const clear = () => become([]);
