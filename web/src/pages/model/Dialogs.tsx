import { useEffect, useMemo, useRef, useState } from 'react';
import { useCall } from '../../engine/useCall';
import { getState } from '../../state/store';
import { Button } from '../../ui/Button';
import { Field } from '../../ui/Field';
import { groupSelection } from './actions';
import { connect, type Targets } from './connecting';

// ConnectDialog connects by keyboard: the legal targets are offered, the others say why not.
export function ConnectDialog({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [query, setQuery] = useState('');
  const [from] = useState(() => getState().selection.at(-1) ?? '');
  const request = useMemo(() => ({ model: getState().doc?.model, from }), [from]);
  const { value, error } = useCall<Targets>('view/targets', request, { delayMs: 0 });
  useEffect(() => dialog.current?.showModal(), []);
  const legal = value?.legal.filter((id) => id.toLowerCase().includes(query.toLowerCase())) ?? [];
  const others = Object.entries(value?.why ?? {}).filter(([id]) => (query || value?.legal.length === 0) && id.toLowerCase().includes(query.toLowerCase())).slice(0, 8);
  const go = (to: string | undefined) => {
    if (!to) return;
    connect(from, to);
    onClose();
  };
  return (
    <dialog ref={dialog} className="dialog" aria-label={`Connect ${from}`} onClose={onClose}>
      <form className="pad stack" onSubmit={(e) => { e.preventDefault(); go(legal[0]); }}>
        <Field label={`Connect ${from} to`} hint={value ? (value.legal.length ? `${value.legal.length} targets are legal.` : 'No target is legal as the model is now:') : 'Asking the engine…'} error={error?.message}>
          {(c) => <input className="input" autoFocus id={c.id} aria-describedby={c['aria-describedby']} value={query} placeholder="Type to search, Enter takes the first" onChange={(e) => setQuery(e.target.value)} />}
        </Field>
        <ul className="choices">{legal.slice(0, 40).map((id) => <li key={id}><button type="button" className="linkish" onClick={() => go(id)}>{id}</button></li>)}</ul>
        {others.length > 0 && <ul className="small quiet reasons">{others.map(([id, why]) => <li key={id}>{id}: {why}</li>)}</ul>}
        <div className="row"><span className="grow" /><Button onClick={onClose}>Cancel</Button></div>
      </form>
    </dialog>
  );
}

export function GroupDialog({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [name, setName] = useState('block');
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="dialog" aria-label="Group" onClose={onClose}>
      <form className="pad stack" onSubmit={(e) => { e.preventDefault(); groupSelection(name.trim()); onClose(); }}>
        <Field label="Name of the block" hint="The selected components are shown in one block of this name. Empty takes them out of theirs.">
          {(c) => <input className="input" autoFocus id={c.id} aria-describedby={c['aria-describedby']} value={name} onChange={(e) => setName(e.target.value)} onFocus={(e) => e.target.select()} />}
        </Field>
        <div className="row"><span className="grow" /><Button onClick={onClose}>Cancel</Button><Button look="primary" type="submit">Group</Button></div>
      </form>
    </dialog>
  );
}
