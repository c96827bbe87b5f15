// Drawings, which the engine lays out. The last one is kept: what was drawn to open a model is what its page shows first.
import { engine } from '../engine/client';
import type { GraphAnswer, Model } from '../engine/types';

let last: { model: Model; open: readonly string[]; answer: GraphAnswer } | null = null;

const same = (a: readonly string[], b: readonly string[]) => a.length === b.length && a.every((id, i) => id === b[i]);

// drawn is the drawing of a model where that is the last one that was made.
export function drawn(model: Model, open: readonly string[]): GraphAnswer | undefined {
  return last && last.model === model && same(last.open, open) ? last.answer : undefined;
}

export async function draw(model: Model, open: readonly string[], first = false): Promise<GraphAnswer> {
  const answer = drawn(model, open) ?? (await engine.call<GraphAnswer>('view/graph', { model, open }, { lane: 'view/graph', first }));
  last = { model, open, answer };
  return answer;
}

// warm has the engine draw and judge models of two kinds, so that the browser has compiled what a first model needs.
export async function warm() {
  for (const [name, request] of [['view/example', {}], ['view/model', { id: 'llama-3.2-1b' }]] as const) {
    const { model } = await engine.call<{ model: Model }>(name, request);
    await engine.call('view/graph', { model, open: [] });
    await engine.call('lint', { model });
  }
}
