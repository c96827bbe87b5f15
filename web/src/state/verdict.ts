// The verdict of the open document: asked a moment after each edit, kept while the next one is worked out.
import { useSyncExternalStore } from 'react';
import { engine, Superseded } from '../engine/client';
import type { LintAnswer, LintFinding, Model, Severity } from '../engine/types';
import { getState, notify, subscribe } from './store';

export interface Verdict {
  model: Model | null; // that the answer is about
  answer: LintAnswer | undefined;
  byComponent: ReadonlyMap<string, readonly LintFinding[]>;
  error: Error | undefined;
  pending: boolean;
  tookMs: number | null; // from the edit to the answer
  count: number; // of answers so far
}

const none: Verdict = { model: null, answer: undefined, byComponent: new Map(), error: undefined, pending: false, tookMs: null, count: 0 };
let verdict = none;
const listeners = new Set<() => void>();

function become(next: Verdict) {
  verdict = next;
  for (const listener of listeners) listener();
}

function listen(listener: () => void) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export const getVerdict = () => verdict;
export const useVerdict = () => useSyncExternalStore(listen, getVerdict);

// useWorst is the severity of the worst finding of one component: who uses it is drawn again only where that changes.
export const useWorst = (id: string): Severity | undefined => useSyncExternalStore(listen, () => verdict.byComponent.get(id)?.[0]?.severity);

function index(findings: LintFinding[]): Map<string, LintFinding[]> {
  const by = new Map<string, LintFinding[]>();
  for (const f of findings) {
    if (!f.component) continue;
    const list = by.get(f.component);
    if (list) list.push(f);
    else by.set(f.component, [f]);
  }
  return by;
}

function ask(model: Model) {
  const began = performance.now();
  become({ ...verdict, pending: true });
  engine.call<LintAnswer>('lint', { model }, { lane: 'lint', first: true }).then(
    (answer) => {
      if (getState().doc?.model !== model) return;
      become({ model, answer, byComponent: index(answer.findings), error: undefined, pending: false, tookMs: performance.now() - began, count: verdict.count + 1 });
    },
    (error: Error) => {
      if (error instanceof Superseded || getState().doc?.model !== model) return;
      become({ ...none, model, error, count: verdict.count + 1 });
      if (engine.state === 'ready' || engine.state === 'loading') notify('block', error.message);
    },
  );
}

// followVerdict asks whenever the model is another one. Edits of one turn are asked about once, before any page that shows the model
// asks for its drawing; a newer question replaces one that still waits.
export function followVerdict() {
  let asked: Model | null = null;
  let due = false;
  subscribe(() => {
    const model = getState().doc?.model ?? null;
    if (model === asked) return;
    asked = model;
    if (!model) return become(none);
    if (due) return;
    due = true;
    queueMicrotask(() => {
      due = false;
      if (asked) ask(asked);
    });
  });
}
