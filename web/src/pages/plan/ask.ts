// What the Plan page asks for: the choices of a person, kept in the address so that a link carries them.
import { useCallback, useEffect, useState } from 'react';
import { navigate, useRoute } from '../../app/router';
import type { PlanRequest, Training } from '../../engine/answers';
import type { Model } from '../../engine/types';

export interface Choices {
  batch?: number;
  seqLen?: number;
  precision?: string;
  optimizer?: string;
  attention?: string;
  checkpointing?: boolean;
  fusedLoss?: boolean;
  microBatch?: number;
  lora?: number; // rank
  gpu?: string;
  epochs?: number;
  samples?: number;
}

const numbers = ['batch', 'seqLen', 'microBatch', 'lora', 'epochs', 'samples'] as const;
const words = ['precision', 'optimizer', 'attention', 'gpu'] as const;
const switches = ['checkpointing', 'fusedLoss'] as const;

export function read(params: URLSearchParams): Choices {
  const out: Choices = {};
  for (const name of numbers) {
    const n = Number(params.get(name));
    if (Number.isInteger(n) && n > 0) out[name] = n;
  }
  for (const name of words) {
    const text = params.get(name);
    if (text) out[name] = text;
  }
  for (const name of switches) if (params.get(name) === 'yes') out[name] = true;
  return out;
}

export function write(choices: Choices): Record<string, string> {
  const out: Record<string, string> = {};
  for (const name of [...numbers, ...words]) if (choices[name] !== undefined) out[name] = String(choices[name]);
  for (const name of switches) if (choices[name]) out[name] = 'yes';
  return out;
}

// useChoices are those of the address; a change is written there when the hand rests.
export function useChoices(): [Choices, (change: Partial<{ [K in keyof Choices]: Choices[K] | undefined }>) => void] {
  const { params, path } = useRoute();
  const [choices, setChoices] = useState<Choices>(() => read(params));
  const [wrote, setWrote] = useState('');
  useEffect(() => {
    const text = params.toString();
    if (text !== wrote) setChoices(read(params));
  }, [params]); // eslint-disable-line
  useEffect(() => {
    if (path !== '/plan') return;
    const next = write(choices);
    const text = new URLSearchParams(next).toString();
    if (text === params.toString()) return;
    const timer = window.setTimeout(() => {
      setWrote(text);
      navigate('/plan', next, 'replace');
    }, 250);
    return () => window.clearTimeout(timer);
  }, [choices]); // eslint-disable-line
  const change = useCallback((by: Partial<{ [K in keyof Choices]: Choices[K] | undefined }>) => {
    setChoices((old) => {
      const next: Record<string, unknown> = { ...old, ...by };
      for (const [name, value] of Object.entries(next)) if (value === undefined || value === false) delete next[name];
      return next as Choices;
    });
  }, []);
  return [choices, change];
}

// request is the plan that the choices ask for.
export function request(model: Model, c: Choices): PlanRequest {
  const training: Training = {};
  for (const name of ['batch', 'precision', 'optimizer', 'epochs', 'samples', 'checkpointing', 'microBatch', 'fusedLoss', 'gpu'] as const) {
    if (c[name] !== undefined) Object.assign(training, { [name]: c[name] });
  }
  if (c.lora) training.lora = { rank: c.lora };
  return { model, training, ...(c.seqLen ? { seq_len: c.seqLen } : {}), ...(c.attention ? { attention: c.attention } : {}) };
}

// applied are the choices that a row of "what makes it fit" asks for.
export function applied(t: Training & { attention?: string }): Partial<Choices> {
  return {
    batch: t.batch, precision: t.precision, optimizer: t.optimizer, attention: t.attention, checkpointing: t.checkpointing ?? false,
    fusedLoss: t.fusedLoss ?? false, microBatch: t.microBatch, lora: t.lora?.rank, gpu: t.gpu,
  } as Partial<Choices>;
}
