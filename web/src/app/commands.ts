// Commands are what the palette lists and keys run. Pages add theirs while they are shown.
import { useEffect, useRef } from 'react';

export interface Command {
  id: string;
  title: string;
  group: string;
  keys?: string; // as people read it: "Ctrl K", "g m", "Delete"
  enabled?: boolean;
  run: () => void;
}

const sets = new Map<symbol, () => readonly Command[]>();

// useCommands offers commands while the component is shown. The list is read anew whenever it is needed.
export function useCommands(list: readonly Command[]) {
  const latest = useRef(list);
  latest.current = list;
  useEffect(() => {
    const me = Symbol();
    sets.set(me, () => latest.current);
    return () => void sets.delete(me);
  }, []);
}

// currentCommands begins with those of the page, which are nearer to what somebody does than those of the shell.
export const currentCommands = () => [...sets.values()].flatMap((list) => list()).toSorted((a, b) => Number(a.group === 'App' || a.group === 'Go to') - Number(b.group === 'App' || b.group === 'Go to'));
const typing = (e: EventTarget | null) => e instanceof HTMLElement && (e.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(e.tagName));

function name(e: KeyboardEvent): string {
  const key = e.key === ' ' ? 'Space' : e.key.length === 1 ? (e.ctrlKey || e.metaKey || e.altKey ? e.key.toUpperCase() : e.key) : e.key;
  return [e.ctrlKey || e.metaKey ? 'Ctrl' : '', e.altKey ? 'Alt' : '', e.shiftKey && key.length > 1 || (e.shiftKey && (e.ctrlKey || e.metaKey)) ? 'Shift' : '', key].filter(Boolean).join(' ');
}

// followKeys runs commands by their keys. In a text field only those with Ctrl are taken, and undo and copy are the field's own.
export function followKeys() {
  let before = '';
  let at = 0;
  window.addEventListener('keydown', (e) => {
    if (e.defaultPrevented || e.isComposing) return;
    const pressed = name(e);
    if (typing(e.target) && (!pressed.startsWith('Ctrl') || /^Ctrl (Shift )?[ZYCVXA]$/.test(pressed))) return;
    if (document.querySelector('dialog[open]') && pressed !== 'Ctrl K') return;
    const chain = e.timeStamp - at < 1000 && before ? `${before} ${pressed}` : '';
    const list = currentCommands().filter((c) => c.enabled !== false);
    const command = list.find((c) => chain && c.keys === chain) ?? list.find((c) => c.keys === pressed);
    [before, at] = [command ? '' : pressed, e.timeStamp];
    if (!command) return;
    e.preventDefault();
    command.run();
  });
}
