import { useEffect, useState } from 'react';
import { navigate } from '../../app/router';
import { drafts, forget, type Draft } from '../../state/drafts';
import { open, useStore } from '../../state/store';
import { Button } from '../../ui/Button';
import { plural } from '../../ui/numbers';

function ago(at: number): string {
  const minutes = Math.round((Date.now() - at) / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${plural(minutes, 'minute')} ago`;
  if (minutes < 48 * 60) return `${plural(Math.round(minutes / 60), 'hour')} ago`;
  return new Date(at).toLocaleDateString();
}

// Drafts are what was opened in this browser before; nothing of them is anywhere else.
export function Drafts() {
  const [list, setList] = useState<Draft[]>([]);
  const savedAt = useStore((s) => s.savedAt);
  useEffect(() => void drafts().then(setList, () => setList([])), [savedAt]);
  if (list.length === 0) return null;
  const go = (d: Draft) => {
    open(d.doc);
    navigate('/model');
  };
  return (
    <section className="stack" aria-labelledby="drafts">
      <h2 id="drafts">Go on where you were</h2>
      <ul className="drafts">
        {list.slice(0, 6).map((d) => (
          <li key={d.key} className="row">
            <button className="linkish clip" onClick={() => go(d)}>{d.title}</button>
            <span className="quiet small grow clip">{plural(d.components, 'component')}, {ago(d.at)}</span>
            <Button small look="quiet" aria-label={`Forget ${d.title}`} onClick={() => void forget(d.key).then(() => setList(list.filter((x) => x.key !== d.key)))}>Forget</Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
