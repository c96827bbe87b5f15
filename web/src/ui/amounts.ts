// Memory, time and money as plans write them: bytes in powers of 1,024, time in its largest unit, dollars.
import { exact } from './numbers';

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

export function memory(n: number): string {
  let at = 0;
  let v = n;
  while (Math.abs(v) >= 1024 && at < units.length - 1) {
    v /= 1024;
    at++;
  }
  return `${at === 0 ? Math.round(v) : v.toFixed(1).replace(/\.0$/, '')} ${units[at]}`;
}

const times: [number, string][] = [[86_400, 'day'], [3600, 'h'], [60, 'min'], [1, 's']];

export function duration(sec: number): string {
  for (const [unit, name] of times) {
    if (sec < unit) continue;
    const n = sec / unit;
    return `${two(n)} ${name}${name === 'day' && n !== 1 ? 's' : ''}`;
  }
  return sec >= 1e-3 ? `${two(sec * 1e3)} ms` : `${two(sec * 1e6)} µs`;
}

// two writes two digits, and whole numbers from ten on.
const two = (n: number) => (n >= 10 ? exact(Math.round(n)) : n.toPrecision(2));

export function dollars(usd: number): string {
  if (usd !== 0 && Math.abs(usd) < 0.01) return `$${usd.toPrecision(1)}`;
  if (Math.abs(usd) < 100) return `$${usd.toFixed(2)}`;
  return `$${exact(Math.round(usd))}`;
}

export const gb = (n: number) => `${n >= 100 ? Math.round(n) : n.toFixed(1)} GB`;
export const percent = (share: number) => `${(share * 100).toFixed(share < 0.1 && share > 0 ? 1 : 0)} %`;
