// Numbers as people write them. Exact values are left to Figure's tip.
const names: [number, string][] = [[1e18, 'E'], [1e15, 'P'], [1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k']];

function three(n: number): string {
  const text = n >= 100 ? n.toFixed(0) : n >= 10 ? n.toFixed(1) : n.toFixed(2);
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

// short is 7.05M for 7,052,544; with weights a thousand million is B, as model names say it.
export function short(n: number, kind: 'count' | 'weights' = 'count'): string {
  for (const [unit, name] of names) {
    if (Math.abs(n) >= unit) return three(n / unit) + (kind === 'weights' && name === 'G' ? 'B' : name);
  }
  return String(Math.round(n * 100) / 100);
}

// exact is 7,052,544. Intl would do, but its first call takes some 50 ms, just when a first model is drawn.
export function exact(n: number): string {
  const [whole = '', part] = String(n).split('.');
  return whole.replace(/\B(?=(\d{3})+$)/g, ',') + (part ? `.${part.slice(0, 3)}` : '');
}

// withUnit is 11.2 MFLOPs for 11,200,000 and FLOPs.
function withUnit(n: number, unit: string): string {
  const text = short(n);
  const at = /[EPTGMk]$/.exec(text)?.index ?? text.length;
  return `${text.slice(0, at)} ${text.slice(at)}${unit}`;
}

export const bytes = (n: number) => withUnit(Math.round(n), 'B');
export const flops = (n: number) => withUnit(n, 'FLOPs');
export const plural = (n: number, one: string, many = `${one}s`) => `${exact(n)} ${n === 1 ? one : many}`;
