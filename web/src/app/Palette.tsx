import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { currentCommands, type Command } from './commands';

// match is true where every word of the query occurs in the title, so that "pl llama" finds "Open Llama in plan".
function match(command: Command, query: string) {
  const text = `${command.group} ${command.title}`.toLowerCase();
  return query.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

export function Palette({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const [commands] = useState(() => currentCommands().filter((c) => c.enabled !== false));
  const found = useMemo(() => commands.filter((c) => match(c, query)).slice(0, 60), [commands, query]);
  useEffect(() => dialog.current?.showModal(), []);

  const run = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    window.setTimeout(command.run);
  };
  const onKey = (e: KeyboardEvent) => {
    const step = e.key === 'ArrowDown' ? 1 : e.key === 'ArrowUp' ? -1 : 0;
    if (step) {
      e.preventDefault();
      const to = (at + step + found.length) % Math.max(1, found.length);
      setAt(to);
      document.getElementById(`command-${to}`)?.scrollIntoView({ block: 'nearest' });
    } else if (e.key === 'Enter') {
      e.preventDefault();
      run(found[at]);
    }
  };
  return (
    <dialog ref={dialog} className="dialog palette" aria-label="Commands" onClose={onClose} onClick={(e) => e.target === dialog.current && dialog.current?.close()}>
      <input className="input" autoFocus placeholder="What do you want to do?" aria-label="Command" role="combobox" aria-expanded="true" aria-controls="commands" aria-activedescendant={found.length ? `command-${at}` : undefined} value={query} onChange={(e) => { setQuery(e.target.value); setAt(0); }} onKeyDown={onKey} />
      <ul id="commands" role="listbox" aria-label="Commands">
        {found.map((c, i) => (
          <li key={c.id} id={`command-${i}`} role="option" aria-selected={i === at} onMouseMove={() => setAt(i)} onClick={() => run(c)}>
            <span className="quiet group">{c.group}</span>
            <span className="grow clip">{c.title}</span>
            {c.keys && <kbd>{c.keys}</kbd>}
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="quiet none">No command has these words.</p>}
    </dialog>
  );
}
