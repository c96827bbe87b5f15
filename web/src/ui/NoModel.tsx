import { useState } from 'react';
import { href } from '../app/router';
import { engine } from '../engine/client';
import { useCall } from '../engine/useCall';
import type { Model, ModelEntry } from '../engine/types';
import { notify, open } from '../state/store';
import { Button } from './Button';

const nothing = {};

// NoModel is what a page shows before there is a model: what it would say, and models to try it with, without leaving the page.
export function NoModel({ title, says, suggest }: { title: string; says: string; suggest: readonly string[] }) {
  const { value } = useCall<{ models: ModelEntry[] }>('view/models', nothing);
  const [busy, setBusy] = useState(false);
  const models = suggest.map((id) => value?.models.find((m) => m.id === id)).filter((m) => m !== undefined);
  const pick = async (m: ModelEntry) => {
    setBusy(true);
    try {
      const { model } = await engine.call<{ model: Model }>('view/model', { id: m.id });
      open({ model, title: m.name, origin: 'the bundled models', notes: [] });
    } catch (thrown) {
      notify('block', thrown instanceof Error ? thrown.message : String(thrown));
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="page stack wide empty">
      <h1>{title}</h1>
      <p className="lede">{says}</p>
      <p><a href={href('/')}>Open your own model</a>, or try it with one of these:</p>
      <div className="row wrap">{models.map((m) => <Button key={m.id} disabled={busy} onClick={() => void pick(m)}>{m.name}</Button>)}</div>
    </div>
  );
}
