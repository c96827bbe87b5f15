// Connecting by dragging from one component to another. While a line is drawn the engine has said which targets are legal: those
// are lit, and the others say why they are not.
import { useSyncExternalStore } from 'react';
import { engine } from '../../engine/client';
import { edit, getState, notify, select } from '../../state/store';
import { withConnection } from '../../state/edits';

export interface Targets {
  legal: string[];
  why: Record<string, string>;
}

export interface Connecting {
  from: string;
  targets: Targets | null; // null until the engine has answered
  line: { x1: number; y1: number; x2: number; y2: number } | null; // in the window
  over: string | null;
}

let connecting: Connecting | null = null;
const listeners = new Set<() => void>();

function become(next: Connecting | null) {
  connecting = next;
  for (const l of listeners) l();
}

function subscribe(l: () => void) {
  listeners.add(l);
  return () => void listeners.delete(l);
}

export const useConnecting = () => useSyncExternalStore(subscribe, () => connecting);

// useLit says how one component shows during a connection: legal, not legal, or as always.
export function useLit(id: string): 'legal' | 'illegal' | 'from' | '' {
  return useSyncExternalStore(subscribe, () => {
    if (!connecting) return '';
    if (connecting.from === id) return 'from';
    if (!connecting.targets) return '';
    return connecting.targets.legal.includes(id) ? 'legal' : 'illegal';
  });
}

export function targets(from: string): Promise<Targets> {
  return engine.call<Targets>('view/targets', { model: getState().doc?.model, from });
}

export function connect(from: string, to: string) {
  const { doc } = getState();
  if (doc) edit(`Connect ${from} to ${to}`, withConnection(doc.model, from, to), { select: [to] });
}

const under = (x: number, y: number) => document.elementFromPoint(x, y)?.closest<HTMLElement>('[data-component]')?.dataset.component ?? null;

// begin follows the pointer until it is let go.
export function begin(from: string, start: PointerEvent) {
  select([from]);
  become({ from, targets: null, line: null, over: null });
  targets(from).then(
    (t) => connecting?.from === from && become({ ...connecting, targets: t }),
    (e: Error) => notify('block', e.message),
  );
  const move = (e: PointerEvent) => {
    if (connecting) become({ ...connecting, line: { x1: start.clientX, y1: start.clientY, x2: e.clientX, y2: e.clientY }, over: under(e.clientX, e.clientY) });
  };
  const end = (e: PointerEvent | KeyboardEvent) => {
    window.removeEventListener('pointermove', move);
    window.removeEventListener('pointerup', end);
    window.removeEventListener('keydown', escape);
    const was = connecting;
    become(null);
    if (!was || !(e instanceof PointerEvent)) return;
    const to = under(e.clientX, e.clientY);
    if (!to || to === from) return;
    if (was.targets?.legal.includes(to) ?? true) connect(from, to);
    else notify('warn', `${from} cannot feed ${to}: ${was.targets?.why[to] ?? 'the engine refuses it'}.`, { label: 'Connect anyway', run: () => connect(from, to) });
  };
  const escape = (e: KeyboardEvent) => e.key === 'Escape' && end(e);
  window.addEventListener('pointermove', move);
  window.addEventListener('pointerup', end);
  window.addEventListener('keydown', escape);
}
