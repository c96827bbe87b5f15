// One store: the open document with its undo and redo stacks, the selection, and the notices. Models are never changed in place,
// so a stack of them shares what did not change, and undo has no end but that of memory.
import { useSyncExternalStore } from 'react';
import type { Model } from '../engine/types';

export interface Document {
  key: string; // of its draft
  title: string;
  origin: string; // where it came from, in words
  model: Model;
  notes: string[]; // what the importer said
}

export interface Notice {
  id: number;
  tone: 'info' | 'good' | 'warn' | 'block';
  text: string;
  action?: { label: string; run: () => void };
}

interface Step {
  model: Model;
  what: string;
}

export interface State {
  doc: Document | null;
  past: Step[];
  future: Step[];
  selection: readonly string[];
  notices: readonly Notice[];
  savedAt: number | null; // when the draft was kept last
}

let state: State = { doc: null, past: [], future: [], selection: [], notices: [], savedAt: null };
const listeners = new Set<() => void>();

export const getState = () => state;

export function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function set(change: Partial<State>) {
  state = { ...state, ...change };
  for (const listener of listeners) listener();
}

export function useStore<T>(pick: (s: State) => T): T {
  return useSyncExternalStore(subscribe, () => pick(state));
}

// open shows another document. What was open is kept among the drafts, if it was edited.
export function open(doc: Omit<Document, 'key'> & { key?: string }) {
  const key = doc.key ?? `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`;
  set({ doc: { ...doc, key }, past: [], future: [], selection: [] });
}

export function close() {
  set({ doc: null, past: [], future: [], selection: [] });
}

// edit replaces the model; what says in words how, for the undo button. The same words within a second and a half are one step:
// typing a number is one edit.
let lastEdit = { what: '', at: 0 };
export function edit(what: string, model: Model, options: { merge?: boolean; select?: readonly string[] } = {}) {
  const { doc, past } = state;
  if (!doc || model === doc.model) return;
  const now = Date.now();
  const merged = options.merge && lastEdit.what === what && now - lastEdit.at < 1500 && past.length > 0;
  lastEdit = { what, at: now };
  set({
    doc: { ...doc, model },
    past: merged ? past : [...past, { model: doc.model, what }],
    future: [],
    ...(options.select ? { selection: options.select } : {}),
  });
}

export function undo() {
  const { doc, past, future } = state;
  const step = past.at(-1);
  if (!doc || !step) return;
  lastEdit = { what: '', at: 0 };
  set({ doc: { ...doc, model: step.model }, past: past.slice(0, -1), future: [...future, { model: doc.model, what: step.what }] });
  keepSelection();
}

export function redo() {
  const { doc, past, future } = state;
  const step = future.at(-1);
  if (!doc || !step) return;
  lastEdit = { what: '', at: 0 };
  set({ doc: { ...doc, model: step.model }, past: [...past, { model: doc.model, what: step.what }], future: future.slice(0, -1) });
  keepSelection();
}

function keepSelection() {
  const ids = new Set(state.doc?.model.components.map((c) => c.id));
  if (state.selection.some((id) => !ids.has(id))) set({ selection: state.selection.filter((id) => ids.has(id)) });
}

export function select(ids: readonly string[]) {
  const { selection } = state;
  if (ids.length === selection.length && ids.every((id, i) => id === selection[i])) return;
  set({ selection: ids });
}

export function rename(title: string) {
  if (state.doc) set({ doc: { ...state.doc, title } });
}

let nextNotice = 1;
export function notify(tone: Notice['tone'], text: string, action?: Notice['action']) {
  const notice: Notice = { id: nextNotice++, tone, text, ...(action ? { action } : {}) };
  set({ notices: [...state.notices.filter((n) => n.text !== text).slice(-3), notice] });
  if (tone === 'good' || tone === 'info') window.setTimeout(() => dismiss(notice.id), 8000);
}

export function dismiss(id: number) {
  set({ notices: state.notices.filter((n) => n.id !== id) });
}
