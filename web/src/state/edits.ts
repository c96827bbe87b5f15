// Edits of the model as pure functions, and the store's version of each. The engine judges what comes of them.
import { engine } from '../engine/client';
import type { Component, Connection, Json, LintFinding, Model, ParamEdit } from '../engine/types';
import { edit, getState } from './store';

const alike = (name: string) => name.toLowerCase().replaceAll(/[_-]/g, '');

// spelled is the name under which a component already has a parameter: in_features is inFeatures.
function spelled(component: Component, param: string): string {
  return Object.keys(component.params ?? {}).find((k) => k === param || alike(k) === alike(param)) ?? param;
}

export function withParam(model: Model, id: string, param: string, value: Json | undefined): Model {
  return {
    ...model,
    components: model.components.map((c) => {
      if (c.id !== id) return c;
      const { [spelled(c, param)]: _, ...rest } = c.params ?? {};
      if (value === undefined) return { ...c, params: rest };
      return { ...c, params: { ...c.params, [spelled(c, param)]: value } };
    }),
  };
}

export function withEdits(model: Model, edits: readonly ParamEdit[]): Model {
  return edits.reduce((m, e) => withParam(m, e.component, e.param, e.value), model);
}

export function withName(model: Model, id: string, name: string): Model {
  return { ...model, components: model.components.map((c) => (c.id === id ? { ...c, name } : c)) };
}

// freshId is the type with the least number that no component has.
export function freshId(model: Model, type: string): string {
  const taken = new Set(model.components.map((c) => c.id));
  const stem = type.replaceAll(/[^A-Za-z0-9_]/g, '') || 'component';
  for (let n = 1; ; n++) if (!taken.has(`${stem}${n}`)) return `${stem}${n}`;
}

// withAdded adds a component. Behind another it takes over what that one feeds, so that a chain stays a chain.
export function withAdded(model: Model, component: Component, behind?: string): Model {
  const at = behind === undefined ? -1 : model.components.findIndex((c) => c.id === behind);
  const components = [...model.components];
  components.splice(at < 0 ? components.length : at + 1, 0, component);
  const connections = (model.connections ?? []).map((c) => (at >= 0 && c.from === behind ? { ...c, from: component.id } : c));
  if (at >= 0 && behind !== undefined) connections.push({ from: behind, to: component.id });
  return { ...model, components, connections };
}

export function withConnection(model: Model, from: string, to: string): Model {
  if (from === to || model.connections?.some((c) => c.from === from && c.to === to)) return model;
  return { ...model, connections: [...(model.connections ?? []), { from, to }] };
}

export function withoutConnection(model: Model, from: string, to: string): Model {
  return { ...model, connections: (model.connections ?? []).filter((c) => c.from !== from || c.to !== to) };
}

// without removes components; what fed one of them feeds its readers, so that the rest stays connected.
export function without(model: Model, ids: readonly string[]): Model {
  const gone = new Set(ids);
  let connections: Connection[] = model.connections ?? [];
  for (const id of ids) {
    const before = connections.filter((c) => c.to === id && c.from !== id).map((c) => c.from);
    const next: Connection[] = [];
    for (const c of connections) {
      if (c.to === id) continue;
      if (c.from !== id) next.push(c);
      else if (before.length === 1) next.push({ ...c, from: before[0] ?? '' });
    }
    connections = next.filter((c, i) => next.findIndex((d) => d.from === c.from && d.to === c.to) === i);
  }
  return { ...model, components: model.components.filter((c) => !gone.has(c.id)), connections };
}

// duplicated copies components with the connections among them, and feeds the copy from what the originals end in.
export function duplicated(model: Model, ids: readonly string[]): { model: Model; copies: string[] } {
  const renamed = new Map<string, string>();
  let out = model;
  const chosen = model.components.filter((c) => ids.includes(c.id));
  for (const c of chosen) {
    const id = freshId(out, c.type);
    renamed.set(c.id, id);
    out = { ...out, components: [...out.components, { ...c, id, ...(c.name ? { name: `${c.name} copy` } : {}) }] };
  }
  const inner = (model.connections ?? []).filter((c) => renamed.has(c.from) && renamed.has(c.to)).map((c) => ({ ...c, from: renamed.get(c.from) ?? '', to: renamed.get(c.to) ?? '' }));
  const lastOne = chosen.at(-1);
  const firstCopy = chosen[0] && renamed.get(chosen[0].id);
  const lastCopy = lastOne && renamed.get(lastOne.id);
  const outer = (model.connections ?? []).map((c) => (lastOne && lastCopy && c.from === lastOne.id && !renamed.has(c.to) ? { ...c, from: lastCopy } : c));
  if (lastOne && firstCopy) outer.push({ from: lastOne.id, to: firstCopy });
  return { model: { ...out, connections: [...outer, ...inner] }, copies: [...renamed.values()] };
}

// grouped shows components in a block of their own; an empty name takes them out of it.
export function grouped(model: Model, ids: readonly string[], name: string): Model {
  return {
    ...model,
    components: model.components.map((c) => {
      if (!ids.includes(c.id)) return c;
      const { group: _, ...rest } = c;
      return name ? { ...rest, id: c.id, type: c.type, group: name } : { ...rest, id: c.id, type: c.type };
    }),
  };
}

// applyFix makes the change that a finding proposes. The engine makes it, because it knows every spelling of a parameter; without
// the engine it is made here.
export async function applyFix(finding: LintFinding) {
  const { doc } = getState();
  if (!doc || !finding.edit) return;
  const { model } = doc;
  const edits = finding.edit;
  const after = await engine.call<{ model: Model }>('view/edit', { model, edits }).then((a) => a.model, () => withEdits(model, edits));
  if (getState().doc?.model === model) edit(finding.fix ?? `Fix ${finding.rule}`, after, { select: finding.component ? [finding.component] : [] });
}
