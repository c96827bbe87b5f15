import { useState } from 'react';
import { useCommands } from '../../app/commands';
import { useCall } from '../../engine/useCall';
import type { ModelEntry } from '../../engine/types';
import { openBundled, openExample } from '../../state/opening';
import { notify } from '../../state/store';
import { Button } from '../../ui/Button';
import { exact, short } from '../../ui/numbers';

const first = ['llama-3.1-8b', 'qwen3-8b', 'gpt2-small', 'bert-base', 'resnet50', 'vit-b-16', 'mixtral-8x7b', 'deepseek-v3', 'stable-diffusion-1.5', 'whisper-tiny', 'mamba-130m'];
const nothing = {};
const none: ModelEntry[] = [];
const go = (work: Promise<void>) => void work.catch((e: Error) => notify('block', e.message));

// WellKnown is a row of models to open, all of them on request, and a broken one to mend.
export function WellKnown() {
  const models = useCall<{ models: ModelEntry[] }>('view/models', nothing).value?.models ?? none;
  const [all, setAll] = useState(false);
  const [query, setQuery] = useState('');
  useCommands([
    { id: 'example', group: 'Open', title: 'A broken model, to mend', run: () => go(openExample()) },
    ...models.map((m) => ({ id: `open-${m.id}`, group: 'Open', title: m.name, run: () => go(openBundled(m)) })),
  ]);
  const some = first.map((id) => models.find((m) => m.id === id)).filter((m): m is ModelEntry => m !== undefined);
  const shown = all ? models.filter((m) => `${m.name} ${m.id} ${m.family}`.toLowerCase().includes(query.toLowerCase())) : some;
  return (
    <section className="stack" aria-labelledby="known">
      <div className="row wrap">
        <h2 id="known" className="grow">Or begin with one of these</h2>
        {all && <input className="input filter" type="search" autoFocus aria-label="Search models" placeholder="Search: whisper, decoder…" value={query} onChange={(e) => setQuery(e.target.value)} />}
        {models.length > some.length && <Button look="quiet" small onClick={() => setAll(!all)}>{all ? 'Show fewer' : `Show all ${models.length}`}</Button>}
      </div>
      <div className="known">
        <button className="card broken" onClick={() => go(openExample())}>
          <b>A broken model</b><span className="quiet">Find the fault, mend it with one click</span>
        </button>
        {shown.map((m) => (
          <button key={m.id} className="card" onClick={() => go(openBundled(m))}>
            <b className="clip">{m.name}</b><span className="quiet clip" title={`${exact(m.params)} weights`}>{m.family} · {short(m.params, 'weights')}</span>
          </button>
        ))}
      </div>
    </section>
  );
}
