import type { LintAnswer } from '../engine/types';
import { Glyph, type GlyphName } from './Glyph';

const count = (n: number, word: string) => `${n} ${word}${n === 1 ? '' : 's'}`;

// words says a lint answer as people would.
export function words(answer: LintAnswer): { tone: 'good' | 'warn' | 'block'; text: string } {
  const { block, warn } = answer.counts;
  if (answer.verdict === 'fail') return { tone: 'block', text: `Does not run: ${count(block, 'error')}` };
  if (answer.verdict === 'warn') return { tone: 'warn', text: `Runs, ${count(warn, 'warning')}` };
  return { tone: 'good', text: 'Runs' };
}

interface Props {
  answer: LintAnswer | undefined;
  pending?: boolean;
  problem?: string | undefined;
  large?: boolean;
  at?: number; // changes with every answer, for who waits for one
}

export function Verdict({ answer, pending = false, problem, large = false, at }: Props) {
  let tone = '';
  let text = 'Nothing open';
  let glyph: GlyphName = 'unknown';
  if (problem) text = 'No verdict';
  else if (answer) {
    const said = words(answer);
    [tone, text, glyph] = [said.tone, said.text, said.tone];
  } else if (pending) [text, glyph] = ['Checking', 'work'];
  return (
    <span className={`verdict ${tone} ${large ? 'large' : ''}`} title={problem} role="status" data-at={at}>
      <Glyph name={glyph} />
      {text}
    </span>
  );
}
