import { useEffect, useMemo, useState } from 'react';
import { engine, files } from '../../engine/client';
import { useCall } from '../../engine/useCall';
import type { Model } from '../../engine/types';
import { edit, getState, useStore } from '../../state/store';
import { asGraph } from '../../state/opening';
import { Button } from '../../ui/Button';
import { copy } from './exporting';

type Kind = 'notation' | 'json' | 'torch';
const kinds: [Kind, string][] = [['notation', 'Notation'], ['json', 'JSON'], ['torch', 'PyTorch']];

// Source is the model as text, in step with the drawing both ways; PyTorch is written only.
export function Source() {
  const model = useStore((s) => s.doc?.model);
  const [kind, setKind] = useState<Kind>('notation');
  if (!model) return null;
  return (
    <div className="source">
      <div className="row wrap bar" role="group" aria-label="Form of the source">
        {kinds.map(([k, title]) => <Button key={k} small look="quiet" aria-pressed={k === kind} onClick={() => setKind(k)}>{title}</Button>)}
      </div>
      {kind === 'json' && <JsonSource model={model} />}
      {kind === 'notation' && <NotationSource model={model} />}
      {kind === 'torch' && <TorchSource model={model} />}
    </div>
  );
}

function Text({ text, error, label, onChange }: { text: string; error: string; label: string; onChange?: (text: string) => void }) {
  return (
    <>
      <textarea className="input code" spellCheck={false} aria-label={label} readOnly={!onChange} value={text} onChange={(e) => onChange?.(e.target.value)} aria-invalid={Boolean(error)} />
      <div className="row bar">
        <span className="grow small tone-block" role="status">{error}</span>
        <Button small onClick={() => void copy(text)}>Copy</Button>
      </div>
    </>
  );
}

// useText is what is typed until it can be read, and what the model says otherwise.
function useText(fromModel: string, read: (text: string) => Promise<Model>) {
  const [typed, setTyped] = useState<string | null>(null);
  const [error, setError] = useState('');
  useEffect(() => {
    if (typed === null) return;
    const timer = window.setTimeout(() => {
      read(typed).then(
        (model) => { setError(''); if (getState().doc) edit('Edit the source', model, { merge: true }); },
        (e: Error) => setError(e.message),
      );
    }, 250);
    return () => window.clearTimeout(timer);
  }, [typed, read]);
  useEffect(() => {
    if (document.activeElement?.classList.contains('code') && typed !== null) return; // do not pull the text from under the caret
    setTyped(null);
    setError('');
  }, [fromModel, typed]);
  return { text: typed ?? fromModel, error, onChange: setTyped };
}

const readJson = async (text: string): Promise<Model> => {
  const model = asGraph(text);
  if (model) return model;
  JSON.parse(text);
  throw new Error('a graph is an object with a list components');
};

function JsonSource({ model }: { model: Model }) {
  const text = useMemo(() => JSON.stringify(model, null, 1), [model]);
  return <Text label="Graph as JSON" {...useText(text, readJson)} />;
}

const readNotation = (text: string) => engine.call<{ model: Model }>('view/notation', { text }).then((a) => a.model);

function NotationSource({ model }: { model: Model }) {
  const request = useMemo(() => ({ model }), [model]);
  const { value, error } = useCall<{ text: string }>('view/notation', request);
  const state = useText(value?.text ?? '', readNotation);
  return <Text label="Graph in the short notation" {...state} error={state.error || (error?.message ?? '')} />;
}

function TorchSource({ model }: { model: Model }) {
  const request = useMemo(() => ({ model, to: 'torch' }), [model]);
  const { value, error, pending } = useCall<{ name: string; text: string }>('files/export', request, { from: files, delayMs: 150 });
  return <Text label="Exported PyTorch" text={value?.text ?? (pending ? 'Writing…' : '')} error={error?.message ?? ''} />;
}
