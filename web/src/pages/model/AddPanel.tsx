import { useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { engine } from '../../engine/client';
import type { Component, ComponentType, Json, LintAnswer, Model } from '../../engine/types';
import { freshId, withAdded, withEdits } from '../../state/edits';
import { edit, getState, useStore } from '../../state/store';
import { Field } from '../../ui/Field';

// AddPanel is the palette: every type of the catalogue, by group or by search. What is added goes behind what is selected.
export function AddPanel({ types }: { types: readonly ComponentType[] }) {
  const [query, setQuery] = useState('');
  const behind = useStore((s) => s.selection.at(-1));
  const list = useRef<HTMLDivElement>(null);
  const groups = useMemo(() => byGroup(types, query), [types, query]);
  const onKey = (e: KeyboardEvent) => {
    const buttons = [...(list.current?.querySelectorAll('button') ?? [])];
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
      e.preventDefault();
      buttons[Math.max(0, Math.min(buttons.length - 1, at + (e.key === 'ArrowDown' ? 1 : -1)))]?.focus();
    } else if (e.key === 'Enter' && at < 0) buttons[0]?.click();
  };
  return (
    <div className="stack pad add" onKeyDown={onKey}>
      <Field label="Add a component" hint={behind ? `It goes behind ${behind}, and feeds what that fed.` : 'Select a component first to put it behind that one.'}>
        {(control) => <input id={control.id} aria-describedby={control['aria-describedby']} className="input add-search" type="search" placeholder="linear, attention, pool…" value={query} onChange={(e) => setQuery(e.target.value)} />}
      </Field>
      <div ref={list} className="stack">
        {groups.map(([group, members]) => (
          <div key={group}>
            <h3 className="quiet small">{group}</h3>
            {members.map((t) => (
              <button key={t.id} type="button" className="add-type" title={t.doc} onClick={() => void add(t)}>
                <span className="mono">{t.id}</span><span className="quiet clip">{t.title}</span>
              </button>
            ))}
          </div>
        ))}
        {groups.length === 0 && <p className="quiet">No type has these words. Types are named as in PyTorch: conv2d, layerNorm, gru.</p>}
      </div>
    </div>
  );
}

function byGroup(types: readonly ComponentType[], query: string): [string, ComponentType[]][] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const rank = (t: ComponentType) => (words[0] && t.id.toLowerCase().startsWith(words[0]) ? 0 : 1);
  const found = types.filter((t) => words.every((w) => `${t.id} ${t.title} ${t.group} ${t.aliases?.join(' ') ?? ''}`.toLowerCase().includes(w)));
  const groups = new Map<string, ComponentType[]>();
  for (const t of words.length ? found.toSorted((a, b) => rank(a) - rank(b)) : found) {
    const list = groups.get(t.group);
    if (list) list.push(t);
    else groups.set(t.group, [t]);
  }
  return [...groups];
}

// add puts a component in, with the values that it must have; those that follow from its input are left out where the type allows.
async function add(type: ComponentType) {
  const { doc, selection } = getState();
  if (!doc) return;
  const behind = selection.at(-1);
  const params: Record<string, Json> = {};
  for (const p of type.params) if (p.required && !p.lazy) params[p.name] = p.default ?? guess(p.kind, p.min, p.values);
  const component: Component = { id: freshId(doc.model, type.id), type: type.id, params };
  const after = await settled(withAdded(doc.model, component, behind), component.id);
  if (getState().doc?.model === doc.model) edit(`Add ${type.id}`, after, { select: [component.id] });
}

// settled takes the values that the engine proposes for a new component, so that it fits what arrives.
async function settled(model: Model, id: string): Promise<Model> {
  for (let round = 0; round < 3; round++) {
    const answer = await engine.call<LintAnswer>('lint', { model }).catch(() => null);
    const finding = answer?.findings.find((f) => f.component === id && f.edit?.length && f.edit.every((e) => e.component === id));
    if (!finding?.edit) break;
    model = withEdits(model, finding.edit);
  }
  return model;
}

function guess(kind: string, min: number | undefined, values: string[] | undefined): Json {
  if (values?.[0] !== undefined) return values[0];
  if (kind === 'bool') return false;
  if (kind === 'dims' || kind === 'ints') return [Math.max(1, min ?? 1)];
  if (kind === 'string') return '';
  return kind === 'float' ? 0 : Math.max(64, min ?? 1);
}
