import { memo } from 'react';
import type { Component, ComponentType, GraphAnswer, Json, Model, TableRow } from '../../engine/types';
import { applyFix, withName, withParam, withoutConnection } from '../../state/edits';
import { edit, getState, rename, select, useStore } from '../../state/store';
import { useVerdict } from '../../state/verdict';
import { Button } from '../../ui/Button';
import { Field } from '../../ui/Field';
import { Figure } from '../../ui/Figure';
import { Finding } from '../../ui/Finding';
import { exact, flops, plural, short } from '../../ui/numbers';
import type { Actions } from './actions';
import { ParamField } from './ParamField';
import { typeOf } from './types';

interface Props {
  types: readonly ComponentType[];
  answer: GraphAnswer | undefined;
  actions: Actions;
}

// Inspector shows what is selected: nothing is the model, one is a form, several can be moved together.
export function Inspector({ types, answer, actions }: Props) {
  const model = useStore((s) => s.doc?.model);
  const selection = useStore((s) => s.selection);
  if (!model) return null;
  const chosen = model.components.filter((c) => selection.includes(c.id));
  const [first] = chosen;
  if (!first) return <Whole model={model} answer={answer} />;
  if (chosen.length > 1) return <Several chosen={chosen} answer={answer} actions={actions} />;
  return <One key={first.id} component={first} type={typeOf(types, first.type)} row={answer?.components.find((c) => c.id === first.id)} actions={actions} />;
}

function Numbers({ params, work, lacks }: { params: number | null; work: number | null; lacks?: string[] | undefined }) {
  const why = lacks?.length ? `not known of ${lacks.slice(0, 3).join(', ')}${lacks.length > 3 ? ' and others' : ''}` : 'the model does not say enough';
  return (
    <dl className="numbers">
      <div><dt>Weights</dt><dd><Figure value={params === null ? null : short(params, 'weights')} exact={params === null ? undefined : `exactly ${exact(params)}`} why={why} /></dd></div>
      <div><dt>Forward, one sample</dt><dd><Figure value={work === null ? null : flops(work)} exact={work === null ? undefined : `exactly ${exact(work)} FLOPs, a multiply-add is two`} why={why} /></dd></div>
    </dl>
  );
}

function Whole({ model, answer }: { model: Model; answer: GraphAnswer | undefined }) {
  const title = useStore((s) => s.doc?.title ?? '');
  const origin = useStore((s) => s.doc?.origin ?? '');
  const notes = useStore((s) => s.doc?.notes);
  return (
    <div className="pad stack wide">
      <Field label="Title">{(c) => <input id={c.id} className="input" value={title} onChange={(e) => rename(e.target.value)} />}</Field>
      {answer && <Numbers params={answer.params} work={answer.flops} lacks={answer.lacks} />}
      <p className="quiet">{plural(model.components.length, 'component')}, from {origin}. Kept in this browser as you edit.</p>
      {notes && notes.length > 0 && <details><summary>{plural(notes.length, 'note')} of the importer</summary><ul className="stack small">{notes.map((n) => <li key={n}>{n}</li>)}</ul></details>}
      <div className="small quiet keys">
        <h3>Keys</h3>
        <p><kbd>↑</kbd> <kbd>↓</kbd> select · <kbd>Space</kbd> fold · <kbd>a</kbd> add · <kbd>c</kbd> connect · <kbd>Delete</kbd> remove · <kbd>Ctrl D</kbd> duplicate · <kbd>Ctrl G</kbd> group · <kbd>/</kbd> search · <kbd>t</kbd> table · <kbd>Ctrl K</kbd> everything</p>
      </div>
    </div>
  );
}

function Several({ chosen, answer, actions }: { chosen: Component[]; answer: GraphAnswer | undefined; actions: Actions }) {
  const rows = answer?.components.filter((r) => chosen.some((c) => c.id === r.id)) ?? [];
  const sum = (member: 'params' | 'flops') => (rows.some((r) => r[member] === null) ? null : rows.reduce((n, r) => n + (r[member] ?? 0), 0));
  return (
    <div className="pad stack wide">
      <h2>{plural(chosen.length, 'component')}</h2>
      <Numbers params={sum('params')} work={sum('flops')} />
      <ActionRow actions={actions} />
      <ul className="small">{chosen.slice(0, 30).map((c) => <li key={c.id}><button className="linkish" onClick={() => select([c.id])}>{c.name ?? c.id}</button> <span className="quiet mono">{c.type}</span></li>)}</ul>
      {chosen.length > 30 && <p className="quiet small">and {chosen.length - 30} more</p>}
    </div>
  );
}

function ActionRow({ actions }: { actions: Actions }) {
  return (
    <div className="row wrap">
      <Button small keys="c" onClick={actions.connect}>Connect to…</Button>
      <Button small keys="Ctrl D" onClick={actions.duplicate}>Duplicate</Button>
      <Button small keys="Ctrl G" onClick={actions.group}>Group</Button>
      <Button small keys="Delete" onClick={actions.remove}>Remove</Button>
    </div>
  );
}

const One = memo(function One({ component, type, row, actions }: { component: Component; type: ComponentType | undefined; row: TableRow | undefined; actions: Actions }) {
  const { byComponent } = useVerdict();
  const findings = byComponent.get(component.id) ?? [];
  const set = (param: string, value: Json | undefined) => {
    const { doc } = getState();
    if (doc) edit(`Change ${param} of ${component.name ?? component.id}`, withParam(doc.model, component.id, param, value), { merge: true });
  };
  const setName = (name: string) => {
    const { doc } = getState();
    if (doc) edit(`Rename ${component.id}`, withName(doc.model, component.id, name), { merge: true });
  };
  const known = new Set(type?.params.map((p) => alike(p.name)));
  const others = Object.entries(component.params ?? {}).filter(([k]) => !known.has(alike(k)));
  return (
    <div className="pad stack wide">
      <div>
        <h2 className="mono">{type?.id ?? component.type}</h2>
        <p className="quiet">{type ? <>{type.title}. <a href={`/t/${encodeURIComponent(type.id)}.html`} target="_blank" rel="noreferrer">Its page</a></> : 'This type is not in the catalogue.'}</p>
      </div>
      {findings.length > 0 && <ul className="panel">{findings.map((f, i) => <Finding key={i} finding={f} onFix={(x) => void applyFix(x)} />)}</ul>}
      {row && <Numbers params={row.params} work={row.flops} />}
      {row && <p>Result <b className="mono">{row.shape || '– (not known)'}</b></p>}
      <ActionRow actions={actions} />
      <Field label="Name" hint={`Its id is ${component.id}`}>{(c) => <input className="input" id={c.id} aria-describedby={c['aria-describedby']} value={component.name ?? ''} placeholder={component.id} onChange={(e) => setName(e.target.value)} />}</Field>
      {type?.params.map((p) => <ParamField key={p.name} param={p} value={valueOf(component, p.name)} onChange={(v) => set(p.name, v)} />)}
      {others.map(([k, v]) => <ParamField key={k} param={{ name: k, kind: typeof v === 'number' ? 'float' : Array.isArray(v) ? 'ints' : typeof v === 'boolean' ? 'bool' : 'string', required: false, doc: 'As written in the model' }} value={v} onChange={(next) => set(k, next)} />)}
      <Ties id={component.id} />
    </div>
  );
});

const alike = (name: string) => name.toLowerCase().replaceAll(/[_-]/g, '');
const valueOf = (c: Component, name: string) => Object.entries(c.params ?? {}).find(([k]) => alike(k) === alike(name))?.[1];

// Ties are the connections of a component, each with a button that takes it away.
function Ties({ id }: { id: string }) {
  const model = useStore((s) => s.doc?.model);
  const from = model?.connections?.filter((c) => c.to === id) ?? [];
  const to = model?.connections?.filter((c) => c.from === id) ?? [];
  const cut = (a: string, b: string) => model && edit(`Disconnect ${a} from ${b}`, withoutConnection(model, a, b));
  const list = (title: string, ends: { other: string; cut: () => void }[]) => (
    <div>
      <h3 className="quiet small">{title}</h3>
      {ends.length === 0 && <p className="quiet small">nothing</p>}
      <ul>{ends.map((e) => (
        <li key={e.other} className="row"><button className="linkish grow clip" onClick={() => select([e.other])}>{e.other}</button><Button small look="quiet" aria-label={`Disconnect ${e.other}`} title="Disconnect" onClick={e.cut}>✕</Button></li>
      ))}</ul>
    </div>
  );
  return (
    <div className="ties">
      {list('Reads from', from.map((c) => ({ other: c.from, cut: () => cut(c.from, c.to) })))}
      {list('Feeds', to.map((c) => ({ other: c.to, cut: () => cut(c.from, c.to) })))}
    </div>
  );
}
