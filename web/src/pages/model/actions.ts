// What can be done with the selection, for buttons, keys and the palette alike.
import { useMemo } from 'react';
import { useCommands } from '../../app/commands';
import { duplicated, grouped, without, withoutConnection } from '../../state/edits';
import { edit, getState, select, useStore } from '../../state/store';
import { plural } from '../../ui/numbers';
import { getView, show } from './drawing';

export interface Actions {
  remove: () => void;
  duplicate: () => void;
  group: () => void;
  connect: () => void;
}

export function useActions(ask: (dialog: 'connect' | 'group') => void, edge: { from: string; to: string } | null, onEdge: (e: null) => void): Actions {
  const any = useStore((s) => s.selection.length > 0);
  const actions = useMemo<Actions>(() => ({
    remove: () => {
      const { doc, selection } = getState();
      if (!doc) return;
      if (edge) {
        edit(`Disconnect ${edge.from} from ${edge.to}`, withoutConnection(doc.model, edge.from, edge.to));
        onEdge(null);
      } else if (selection.length) edit(`Remove ${selection.length === 1 ? selection[0] : plural(selection.length, 'component')}`, without(doc.model, selection), { select: [] });
    },
    duplicate: () => {
      const { doc, selection } = getState();
      if (!doc || !selection.length) return;
      const { model, copies } = duplicated(doc.model, selection);
      edit(`Duplicate ${selection.length === 1 ? selection[0] : plural(selection.length, 'component')}`, model, { select: copies });
    },
    group: () => ask('group'),
    connect: () => ask('connect'),
  }), [ask, edge, onEdge]);
  const focus = (selector: string) => window.setTimeout(() => document.querySelector<HTMLElement>(selector)?.focus(), 30);
  useCommands([
    { id: 'remove', group: 'Edit', title: edge ? 'Remove the connection' : 'Remove the selected components', keys: 'Delete', enabled: any || edge !== null, run: actions.remove },
    { id: 'remove-2', group: 'Edit', title: 'Remove', keys: 'Backspace', enabled: any || edge !== null, run: actions.remove },
    { id: 'duplicate', group: 'Edit', title: 'Duplicate the selected components', keys: 'Ctrl D', enabled: any, run: actions.duplicate },
    { id: 'group', group: 'Edit', title: 'Group the selected components', keys: 'Ctrl G', enabled: any, run: actions.group },
    { id: 'connect', group: 'Edit', title: 'Connect the selected component to…', keys: 'c', enabled: any, run: actions.connect },
    { id: 'all', group: 'Edit', title: 'Select every component', keys: 'Ctrl A', run: () => select(getState().doc?.model.components.map((c) => c.id) ?? []) },
    { id: 'none', group: 'Edit', title: 'Select nothing', keys: 'Escape', enabled: any || edge !== null, run: () => { select([]); onEdge(null); } },
    { id: 'add', group: 'Edit', title: 'Add a component', keys: 'a', run: () => { show({ left: 'add', sheet: 'left' }); focus('.add-search'); } },
    { id: 'findings', group: 'View', title: 'Show the findings', keys: 'i', run: () => show({ left: 'findings', sheet: 'left' }) },
    { id: 'search', group: 'View', title: 'Search components', keys: '/', run: () => focus('.model-search') },
    { id: 'table', group: 'View', title: 'Drawing or table', keys: 't', run: () => show({ mode: getView().mode === 'table' ? 'drawing' : 'table' }) },
    { id: 'source', group: 'View', title: 'Source beside the drawing', keys: 'o', run: () => show({ right: getView().right === 'source' ? 'selected' : 'source', sheet: 'right' }) },
    { id: 'measure', group: 'View', title: 'Weights or FLOPs on the drawing', keys: 'w', run: () => show({ measure: getView().measure === 'params' ? 'flops' : 'params' }) },
  ]);
  return actions;
}

export function groupSelection(name: string) {
  const { doc, selection } = getState();
  if (doc) edit(name ? `Group as ${name}` : 'Ungroup', grouped(doc.model, selection, name));
}
