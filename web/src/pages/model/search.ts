// Search over the components: words, "type:conv", "name:head", "shape:224", "is:error", "weights > 10M", "flops <= 1G"; all
// of them together.
import type { TableRow } from '../../engine/types';

export type Match = (row: TableRow) => boolean;
export interface Query {
  match: Match | null; // null matches everything
  problem: string;
}

const units: Record<string, number> = { '': 1, k: 1e3, m: 1e6, g: 1e9, b: 1e9, t: 1e12 };
const compare: Record<string, (a: number, b: number) => boolean> = {
  '>': (a, b) => a > b, '>=': (a, b) => a >= b, '<': (a, b) => a < b, '<=': (a, b) => a <= b, '=': (a, b) => a === b,
};
const numeric = /^(weights|params|flops)\s*(>=|<=|>|<|=)\s*([\d.]+)\s*([kmgbt]?)\b/i;

export function parse(text: string, severity: (id: string) => string | undefined): Query {
  const tests: Match[] = [];
  let rest = text.trim();
  let problem = '';
  while (rest) {
    const number = numeric.exec(rest);
    if (number) {
      const [all, what = '', sign = '', value = '', unit = ''] = number;
      const bound = Number(value) * (units[unit.toLowerCase()] ?? 1);
      const holds = compare[sign] ?? compare['=']!;
      const member = what.toLowerCase() === 'flops' ? 'flops' : 'params';
      tests.push((row) => row[member] !== null && holds(row[member] ?? 0, bound));
      rest = rest.slice(all.length).trim();
      continue;
    }
    const [word = ''] = rest.split(/\s+/, 1);
    rest = rest.slice(word.length).trim();
    const test = one(word.toLowerCase(), severity);
    if (typeof test === 'string') problem = test;
    else tests.push(test);
  }
  return { match: tests.length ? (row) => tests.every((t) => t(row)) : null, problem };
}

function one(word: string, severity: (id: string) => string | undefined): Match | string {
  const at = word.indexOf(':');
  const [key, value] = at < 0 ? ['', word] : [word.slice(0, at), word.slice(at + 1)];
  switch (key) {
    case '': return (r) => [r.name, r.id, r.type].some((t) => t.toLowerCase().includes(value));
    case 'type': return (r) => r.type.toLowerCase().includes(value);
    case 'name': return (r) => r.name.toLowerCase().includes(value) || r.id.toLowerCase().includes(value);
    case 'shape': return (r) => r.shape.replaceAll(' ', '').includes(value);
    case 'is': {
      const wanted = ({ error: 'block', block: 'block', warning: 'warn', warn: 'warn', note: 'info', info: 'info' } as Record<string, string>)[value];
      return wanted ? (r) => severity(r.id) === wanted : 'is: takes error, warning or note';
    }
    default: return `${key}: is not known; type:, name:, shape:, is: and weights > 10M are`;
  }
}
