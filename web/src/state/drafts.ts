// Drafts are what was edited, kept in this browser alone: an engine that traps, a tab that is closed or a reload loses nothing.
import { getState, notify, set, subscribe, type Document } from './store';

export interface Draft {
  key: string;
  title: string;
  origin: string;
  at: number;
  components: number;
  doc: Document;
}

const keep = 20;
let database: Promise<IDBDatabase> | undefined;

function connect(): Promise<IDBDatabase> {
  database ??= new Promise((resolve, reject) => {
    const request = indexedDB.open('model-verifier', 1);
    request.onupgradeneeded = () => request.result.createObjectStore('drafts', { keyPath: 'key' });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('the browser keeps no drafts'));
  });
  return database;
}

async function store(mode: IDBTransactionMode) {
  return (await connect()).transaction('drafts', mode).objectStore('drafts');
}

const done = <T>(request: IDBRequest<T>) =>
  new Promise<T>((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('the browser keeps no drafts'));
  });

// A page that is left has no time for the database. What it had not saved yet is handed to the next page through storage that is
// written at once.
const handed = 'model-verifier/unsaved';

function handOver(doc: Document) {
  try {
    localStorage.setItem(handed, JSON.stringify(doc));
  } catch {
    // no room for it: the database may still get it
  }
}

async function takeOver() {
  const text = localStorage.getItem(handed);
  if (!text) return;
  await save(JSON.parse(text) as Document);
  localStorage.removeItem(handed);
}

// drafts are newest first.
export async function drafts(): Promise<Draft[]> {
  await takeOver();
  return listed();
}

async function listed(): Promise<Draft[]> {
  const all = (await done((await store('readonly')).getAll())) as Draft[];
  return all.sort((a, b) => b.at - a.at);
}

export async function forget(key: string) {
  await done((await store('readwrite')).delete(key));
}

async function save(doc: Document) {
  const draft: Draft = { key: doc.key, title: doc.title, origin: doc.origin, at: Date.now(), components: doc.model.components.length, doc };
  await done((await store('readwrite')).put(draft));
  if ((await done((await store('readonly')).count())) <= keep) return; // to list them reads every model
  for (const old of (await listed()).slice(keep)) await forget(old.key);
}

// keepDrafts saves the open document shortly after each change, and at once when the page is hidden.
export function keepDrafts() {
  let saved = getState().doc;
  let timer: number | undefined;
  let warned = false;
  const flush = () => {
    window.clearTimeout(timer);
    const { doc } = getState();
    if (!doc || doc === saved) return;
    saved = doc;
    save(doc).then(
      () => set({ savedAt: Date.now() }),
      () => {
        if (!warned) notify('warn', 'This browser keeps no drafts (private window, or no room): download your model before you leave.');
        warned = true;
      },
    );
  };
  subscribe(() => {
    if (getState().doc === saved) return;
    window.clearTimeout(timer);
    timer = window.setTimeout(flush, 400);
  });
  document.addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && flush());
  window.addEventListener('pagehide', () => {
    const { doc } = getState();
    if (doc && doc !== saved) handOver(doc);
    flush();
  });
}

// resume opens the newest draft again, as after a reload.
export async function resume(): Promise<boolean> {
  const [newest] = await drafts().catch(() => []);
  if (!newest || getState().doc) return false;
  set({ doc: newest.doc, past: [], future: [], selection: [] });
  return true;
}
