import { useState } from 'react';
import type { Question } from '../../engine/types';
import type { Asked, Given } from '../../state/opening';
import { Button } from '../../ui/Button';
import { Field } from '../../ui/Field';

const hints = {
  class: undefined,
  input: 'As forward gets it, the batch in front; several inputs with semicolons between them.',
  args: 'name=value, as in Python: num_classes=10, width=64',
} as const;

// said is the answer as the file is asked for again with.
function said(ask: Question['ask'], value: string): Partial<Given> {
  if (ask === 'class') return { class: value };
  if (ask === 'input') return { input: value };
  const args: Record<string, string> = {};
  for (const [, name = '', literal = ''] of value.matchAll(/(\w+)\s*=\s*([^,=]+?)\s*(?=,\s*\w+\s*=|$)/g)) args[name] = literal;
  return { args };
}

// Missing asks for the one thing that a file does not say: which class, or the shape of its input.
export function Missing({ asked, onAnswer }: { asked: Asked; onAnswer: (given: Given) => void }) {
  const { question, given } = asked;
  const [value, setValue] = useState(question.options?.[0] ?? '');
  const answer = () => onAnswer({ ...given, ...said(question.ask, value) });
  return (
    <form className="panel missing" onSubmit={(e) => { e.preventDefault(); answer(); }}>
      <Field label={question.text} hint={hints[question.ask]}>
        {(control) => question.options?.length
          ? <select className="input" {...control} value={value} onChange={(e) => setValue(e.target.value)}>{question.options.map((o) => <option key={o}>{o}</option>)}</select>
          : <input className="input" autoFocus {...control} value={value} onChange={(e) => setValue(e.target.value)} />}
      </Field>
      <div><Button look="primary" type="submit" disabled={!value}>Go on</Button></div>
    </form>
  );
}
