import type { MemoryCurve, PlanMemory } from '../../engine/answers';

export interface PartOfMemory {
  name: string;
  colour: string;
  bytes: number;
  what: string;
}

// looks are the colours and the meanings of what lives at the peak, under the engine's own names.
const looks: Record<string, [colour: string, what: string]> = {
  'weights': ['--c1', 'the parameters and buffers'],
  'optimizer states': ['--c4', 'what the optimizer keeps for each weight'],
  'gradients': ['--c2', 'of the weights that are trained'],
  'activations': ['--c3', 'saved for backward'],
  'logits and loss': ['--c5', 'the results, the loss and their gradients'],
  'optimizer step': ['--c5', 'what the optimizer makes while it works'],
  'in passing': ['--edge', 'gradients of activations, and workspaces'],
  'inputs and targets': ['--line', 'one batch'],
};

// partsOf are what is allocated at the peak, and what the allocator and the process take beside it: together what a card must hold.
export function partsOf(m: PlanMemory, peak: NonNullable<MemoryCurve['peak']>): PartOfMemory[] {
  const live = peak.live.map((l) => ({ name: l.what, colour: looks[l.what]?.[0] ?? '--c6', bytes: l.bytes, what: looks[l.what]?.[1] ?? '' }));
  return [...live, { name: 'reserved', colour: '--c6', bytes: m.cardBytes - m.peakBytes, what: "pieces that PyTorch's allocator keeps at the most, workspace, and the context of the process" }].filter((p) => p.bytes > 0);
}
