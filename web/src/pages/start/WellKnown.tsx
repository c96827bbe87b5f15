import { useState } from 'react';
import { useCall } from '../../engine/useCall';
import type { ModelEntry } from '../../engine/types';
import { openBundled, openExample } from '../../state/opening';
import { notify } from '../../state/store';
import { Button } from '../../ui/Button';
import { short } from '../../ui/numbers';

const shown = ['llama-3.1-8b', 'gpt2-small', 'resnet50', 'bert-base', 'vit-b16', 'mixtral-8x7b', 'unet', 'mamba-130m'];
const nothing = {};

export function WellKnown() {
  const { value } = useCall<{ models: ModelEntry[] }>('view/models', nothing);
  const [all, setAll] = useState(false);
  const models = value?.models ?? [];
  const some = shown.map((id) => models.find((m) => m.id === id)).filter((m): m is ModelEntry => m !== undefined);
  const go = (work: Promise<void>) => work.catch((e: Error) => notify('block', e.message));
  return (
    <section className="stack" aria-labelledby="known">
      <h2 id="known">Or begin with one of these</h2>
      <div className="known">
        <button className="card broken" onClick={() => void go(openExample())}>
          <b>A broken model</b><span className="quiet">Find the fault, and mend it with one click</span>
        </button>
        {(all ? models : some).map((m) => (
          <button key={m.id} className="card" onClick={() => void go(openBundled(m))}>
            <b>{m.name}</b><span className="quiet">{m.family}, {short(m.params, 'weights')} weights</span>
          </button>
        ))}
      </div>
      {models.length > some.length && <div><Button look="quiet" onClick={() => setAll(!all)}>{all ? 'Show fewer' : `Show all ${models.length} models`}</Button></div>}
    </section>
  );
}
