import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { engine, Superseded, type Engine, type EngineState } from './client';

export interface Answer<T> {
  value: T | undefined; // of the last request that was answered; kept while a newer one runs
  error: Error | undefined;
  pending: boolean;
}

// useCall asks the engine whenever the request is another object, a moment after the last change; so memoize the request. A null
// request asks nothing.
export function useCall<T>(name: string, request: unknown, options: { delayMs?: number; from?: Engine } = {}): Answer<T> {
  const { delayMs = 30, from = engine } = options;
  const [answer, setAnswer] = useState<Answer<T>>({ value: undefined, error: undefined, pending: request !== null });
  const lane = useRef(`${name}#${Math.random()}`);
  useEffect(() => {
    if (request === null) {
      setAnswer({ value: undefined, error: undefined, pending: false });
      return;
    }
    let current = true;
    setAnswer((a) => (a.pending ? a : { ...a, pending: true }));
    const timer = window.setTimeout(() => {
      from.call<T>(name, request, { lane: lane.current }).then(
        (value) => current && setAnswer({ value, error: undefined, pending: false }),
        (error: Error) => current && !(error instanceof Superseded) && setAnswer({ value: undefined, error, pending: false }),
      );
    }, delayMs);
    return () => {
      current = false;
      window.clearTimeout(timer);
    };
  }, [name, request, delayMs, from]);
  return answer;
}

export function useEngineState(of: Engine = engine): EngineState {
  return useSyncExternalStore(of.subscribe, () => of.state);
}
