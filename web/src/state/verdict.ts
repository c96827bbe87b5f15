// The verdict of the open document: asked a moment after each edit, kept while the next one is worked out.
import { useSyncExternalStore } from 'react';
import { engine, Superseded } from '../engine/client';
import type { LintAnswer, LintFinding, Model } from '../engine/types';
import { getState, notify, subscribe } from './store';

export interface Verdict {
  model: Model | null; // that the answer is about
  answer: LintAnswer | undefined;
  byComponent: ReadonlyMap<string, readonly LintFinding[]>;
  error: Error | undefined;
  pending: boolean;
  tookMs: number | null; // from the edit to the answer
}

const none: Verdict = { model: null, answer: undefined, byComponent: new Map(), error: undefined, pending: false, tookMs: null };
let verdict = none;
const listeners = new Set<() => void>();

function become(next: Verdict) {
  verdict = next;
  for (const listener of listeners) listener();
}

export const getVerdict = () => verdict;
export const useVerdict = () =>
  useSyncExternalStore((l) => {
    listeners.add(l);
    return () => void listeners.delete(l);
  }, getVerdict);

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
  engine.call<LintAnswer>('lint', { model }, { lane: 'lint' }).then(
    (answer) => {
      if (getState().doc?.model !== model) return;
      become({ model, answer, byComponent: index(answer.findings), error: undefined, pending: false, tookMs: performance.now() - began });
    },
    (error: Error) => {
      if (error instanceof Superseded || getState().doc?.model !== model) return;
      become({ ...none, model, error });
      if (engine.state === 'ready' || engine.state === 'loading') notify('block', error.message);
    },
  );
}

let asked: Model | null = null;

// judge asks about a model before it is opened: one that the engine does not take is never opened. Its answer is used when it is.
export async function judge(model: Model): Promise<void> {
  const began = performance.now();
  const answer = await engine.call<LintAnswer>('lint', { model });
  asked = model;
  become({ model, answer, byComponent: index(answer.findings), error: undefined, pending: false, tookMs: performance.now() - began });
}

// followVerdict asks whenever the model is another one. Edits that follow each other within 16 ms are asked about once.
export function followVerdict() {
  let timer: number | undefined;
  subscribe(() => {
    const model = getState().doc?.model ?? null;
    if (model === asked) return;
    asked = model;
    window.clearTimeout(timer);
    if (!model) return become(none);
    timer = window.setTimeout(() => ask(model), 16);
  });
}
