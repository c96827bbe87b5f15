// Scales of charts: from figures to pixels, and the ticks of an axis.
export interface Scale {
  (value: number): number;
  ticks: number[];
  from: number;
  to: number;
}

// steps are round numbers that an axis may count by.
function step(range: number, count: number, base: number): number {
  const unit = base === 1024 ? 1024 ** Math.floor(Math.log(Math.max(range, 1)) / Math.log(1024)) : 1;
  const rough = range / unit / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough || 1));
  const of = base === 1024 ? [1, 2, 4, 5, 8, 10] : [1, 2, 5, 10];
  return (of.find((m) => m * power >= rough) ?? 10) * power * unit;
}

// linear begins at zero, so that areas can be compared. base 1024 has ticks at round numbers of bytes.
export function linear(to: number, pixels: [number, number], count = 5, base: 10 | 1024 = 10): Scale {
  const by = step(to || 1, count, base);
  const end = Math.ceil((to || 1) / by) * by;
  const scale = ((v: number) => pixels[0] + ((v / end) * (pixels[1] - pixels[0]))) as Scale;
  scale.ticks = Array.from({ length: Math.round(end / by) + 1 }, (_, i) => i * by);
  scale.from = 0;
  scale.to = end;
  return scale;
}

// span is linear between two numbers, without round ends.
export function span(from: number, to: number, pixels: [number, number], count = 6): Scale {
  const width = to - from || 1;
  const by = Math.max(1, step(width, count, 10));
  const scale = ((v: number) => pixels[0] + (((v - from) / width) * (pixels[1] - pixels[0]))) as Scale;
  scale.ticks = [];
  for (let t = Math.ceil(from / by) * by; t <= to; t += by) scale.ticks.push(t);
  scale.from = from;
  scale.to = to;
  return scale;
}

// powers is logarithmic, with the given values as ticks.
export function powers(values: readonly number[], pixels: [number, number]): Scale {
  const low = Math.log2(values[0] ?? 1);
  const width = Math.log2(values.at(-1) ?? 2) - low || 1;
  const scale = ((v: number) => pixels[0] + (((Math.log2(Math.max(v, 1e-9)) - low) / width) * (pixels[1] - pixels[0]))) as Scale;
  scale.ticks = [...values];
  scale.from = values[0] ?? 1;
  scale.to = values.at(-1) ?? 2;
  return scale;
}

// octaves is logarithmic from a power of two to another, with at most eight ticks.
export function octaves(least: number, most: number, pixels: [number, number]): Scale {
  const low = Math.floor(Math.log2(Math.max(least, 1e-9)));
  const high = Math.max(low + 1, Math.ceil(Math.log2(Math.max(most, 1e-9))));
  const by = Math.max(1, Math.ceil((high - low) / 7));
  const ticks = Array.from({ length: Math.floor((high - low) / by) + 1 }, (_, i) => 2 ** (low + i * by));
  const scale = ((v: number) => pixels[0] + (((Math.log2(Math.max(v, 2 ** low)) - low) / (high - low)) * (pixels[1] - pixels[0]))) as Scale;
  return Object.assign(scale, { ticks, from: 2 ** low, to: 2 ** high });
}
