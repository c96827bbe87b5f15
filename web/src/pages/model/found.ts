// What the search has found, told to each row by itself, so that typing re-renders only rows that change.
import { useSyncExternalStore } from 'react';

let found: ReadonlySet<string> | null = null; // null: nothing is searched for
const listeners = new Set<() => void>();

export function setFound(ids: ReadonlySet<string> | null) {
  found = ids;
  for (const l of listeners) l();
}

function subscribe(l: () => void) {
  listeners.add(l);
  return () => void listeners.delete(l);
}

// useFound is undefined where nothing is searched for.
export const useFound = (id: string): boolean | undefined => useSyncExternalStore(subscribe, () => found?.has(id));
