import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { engine, Superseded, type Engine, type EngineState } from './client';

export interface Answer<T> {
  value: T | undefined; // of the last request that was answered; kept while a newer one runs
  error: Error | undefined;
  pending: boolean;
}

// useCall asks the engine whenever the request changes, a moment after the last change. A null request asks nothing.
export function useCall<T>(name: string, request: unknown, options: { delayMs?: number; from?: Engine } = {}): Answer<T> {
  const { delayMs = 30, from = engine } = options;
  const [answer, setAnswer] = useState<Answer<T>>({ value: undefined, error: undefined, pending: request !== null });
  const body = useJson(request);
  const lane = useRef(`${name}#${Math.random()}`);
  useEffect(() => {
    if (body === null) {
      setAnswer({ value: undefined, error: undefined, pending: false });
      return;
    }
    let current = true;
    setAnswer((a) => (a.pending ? a : { ...a, pending: true }));
    const timer = window.setTimeout(() => {
      from.call<T>(name, JSON.parse(body), { lane: lane.current }).then(
        (value) => current && setAnswer({ value, error: undefined, pending: false }),
        (error: Error) => current && !(error instanceof Superseded) && setAnswer({ value: undefined, error, pending: false }),
      );
    }, delayMs);
    return () => {
      current = false;
      window.clearTimeout(timer);
    };
  }, [name, body, delayMs, from]);
  return answer;
}

// useJson is the text of a request, made again only when the request is another object.
function useJson(request: unknown): string | null {
  const last = useRef<{ request: unknown; text: string | null }>({ request: undefined, text: null });
  if (last.current.request !== request) last.current = { request, text: request === null ? null : JSON.stringify(request) };
  return last.current.text;
}

export function useEngineState(of: Engine = engine): EngineState {
  return useSyncExternalStore(of.subscribe, () => of.state);
}
