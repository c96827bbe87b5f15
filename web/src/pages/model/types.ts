import { useCall } from '../../engine/useCall';
import type { ComponentType } from '../../engine/types';

const nothing = {};

// useTypes is the catalogue: what can be added, and the parameters of each.
export function useTypes(): readonly ComponentType[] {
  return useCall<{ types: ComponentType[] }>('view/types', nothing, { delayMs: 0 }).value?.types ?? none;
}
const none: readonly ComponentType[] = [];

const alike = (name: string) => name.toLowerCase().replaceAll(/[_-]/g, '');

// typeOf finds a component's type under any of its spellings.
export function typeOf(types: readonly ComponentType[], name: string): ComponentType | undefined {
  const wanted = alike(name);
  return types.find((t) => t.id === name) ?? types.find((t) => alike(t.id) === wanted || t.aliases?.some((a) => alike(a) === wanted));
}
