import { useMemo, useState } from 'react';
import type { DiffAnswer, RankAnswer } from '../../engine/answers';
import { useCall } from '../../engine/useCall';
import { Button } from '../../ui/Button';
import { Segments } from '../../ui/Segments';
import { Add } from './Add';
import { clear, remove, useCandidates } from './candidates';
import { Changes } from './Changes';
import { Ranking } from './Ranking';
import '../plan/plan.css';
import './compare.css';

const ties = [{ value: '', text: 'Leave ties' }, { value: 'cost', text: 'Cheapest first' }, { value: 'params', text: 'Smallest first' }] as const;

export default function ComparePage() {
  const list = useCandidates();
  const [tie, setTie] = useState<(typeof ties)[number]['value']>('');
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const before = list.find((c) => c.id === from) ?? list[0];
  const after = list.find((c) => c.id === to && c !== before) ?? list.find((c) => c !== before);
  const rank = useMemo(() => (list.length > 1 ? { candidates: list.map(({ id, model }) => ({ id, model })), ...(tie ? { tieBreak: tie } : {}) } : null), [list, tie]);
  const diff = useMemo(() => (before && after ? { before: before.model, after: after.model } : null), [before, after]);
  const ranked = useCall<RankAnswer>('rank', rank);
  const changed = useCall<DiffAnswer>('view/diff', diff);
  return (
    <div className="page stack wide">
      <h1>Compare</h1>
      {list.length < 2 && <p className="lede quiet">Put two to twenty models beside each other: what was added, removed and changed, what each costs, and which one to train first, as far as that was measured.</p>}
      <Add />
      {list.length > 0 && (
        <ul className="chips" aria-label="Models that are compared">
          {list.map((c) => <li key={c.id}>{c.id}<Button small look="quiet" aria-label={`Remove ${c.id}`} onClick={() => remove(c.id)}>✕</Button></li>)}
          {list.length > 1 && <li className="plain"><Button small look="quiet" onClick={clear}>Remove all</Button></li>}
        </ul>
      )}
      {ranked.error && <p className="notice block" role="alert">{ranked.error.message}</p>}
      {ranked.value && list.length > 1 && (
        <section className="panel part">
          <div className="row wrap"><h2 id="rank" className="grow">Cost side by side, and which first</h2><Segments label="Ties" options={ties} value={tie} onChange={setTie} /></div>
          <Ranking answer={ranked.value} />
        </section>
      )}
      {before && after && (
        <section className="panel part diff">
          <h2 id="changes">What changed</h2>
          <div className="row wrap pick">
            <label>from <select className="input" value={before.id} onChange={(e) => setFrom(e.target.value)}>{list.map((c) => <option key={c.id}>{c.id}</option>)}</select></label>
            <label>to <select className="input" value={after.id} onChange={(e) => setTo(e.target.value)}>{list.filter((c) => c !== before).map((c) => <option key={c.id}>{c.id}</option>)}</select></label>
            <Button small onClick={() => { setFrom(after.id); setTo(before.id); }}>Swap</Button>
          </div>
          {changed.error && <p className="notice block" role="alert">{changed.error.message}</p>}
          {changed.value && <Changes diff={changed.value} before={before} after={after} />}
        </section>
      )}
    </div>
  );
}
