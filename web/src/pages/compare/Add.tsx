import { useRef, useState } from 'react';
import { engine, files } from '../../engine/client';
import { useCall } from '../../engine/useCall';
import type { Model, ModelEntry, Opened } from '../../engine/types';
import { asGraph } from '../../state/opening';
import { notify, useStore } from '../../state/store';
import { Button } from '../../ui/Button';
import { add, most, useCandidates } from './candidates';

const nothing = {};
const message = (thrown: unknown) => (thrown instanceof Error ? thrown.message : String(thrown));

// Add puts models on the table: the open one, what it was before the edits, bundled ones, and files.
export function Add() {
  const doc = useStore((s) => s.doc);
  const first = useStore((s) => s.past[0]?.model);
  const list = useCandidates();
  const picker = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  const models = useCall<{ models: ModelEntry[] }>('view/models', nothing).value?.models ?? [];
  const bundled = async (id: string) => {
    const entry = models.find((m) => m.id === id);
    if (!entry) return;
    const { model } = await engine.call<{ model: Model }>('view/model', { id });
    add(entry.name, model);
  };
  const file = async (f: File) => {
    const text = await f.text();
    const model = asGraph(text) ?? (await files.call<Opened>('files/open', { name: f.name, text })).model;
    if (!model) throw new Error(`${f.name} is no model that can be read without a question: open it on the Start page first`);
    add(model.name ?? f.name, model);
  };
  const work = (what: Promise<unknown>) => {
    setBusy(true);
    what.catch((thrown: unknown) => notify('block', message(thrown))).finally(() => setBusy(false));
  };
  const full = list.length >= most || busy;
  return (
    <div className="row wrap">
      {doc && !list.some((c) => c.model === doc.model) && <Button disabled={full} onClick={() => add(doc.title, doc.model)}>Add {doc.title}</Button>}
      {doc && first && first !== doc.model && !list.some((c) => c.model === first) && <Button disabled={full} onClick={() => add(`${doc.title}, before the edits`, first)}>Add it as it was before the edits</Button>}
      <select className="input bundled" aria-label="Add a well-known model" disabled={full} value="" onChange={(e) => work(bundled(e.target.value))}>
        <option value="">Add a well-known model…</option>
        {models.map((m) => <option key={m.id} value={m.id}>{m.name}</option>)}
      </select>
      <Button disabled={full} onClick={() => picker.current?.click()}>Add files</Button>
      <input ref={picker} type="file" multiple className="hidden" tabIndex={-1} aria-label="Files to compare" onChange={(e) => { const all = [...(e.target.files ?? [])]; e.target.value = ''; work(all.reduce((p, f) => p.then(() => file(f)), Promise.resolve())); }} />
      {list.length === 0 && models.length > 0 && <Button look="primary" disabled={busy} onClick={() => work(bundled('gpt2-small').then(() => bundled('gpt2-xl')))}>Compare GPT-2 with GPT-2 XL</Button>}
      {list.length >= most && <span className="quiet">Twenty are compared at the most.</span>}
    </div>
  );
}
