// What stands in the tips of figures: the error that plan states, and each of its assumptions.
export const measured = (percent: number | null): string | undefined =>
  percent === null ? 'Computed; no run of this kind was measured.' : `Within ±${percent} % of what was measured in nineteen of twenty runs of this kind.`;

export const assumed = (text: string): string[] => text.split('; ').map((s) => s.charAt(0).toUpperCase() + s.slice(1));
