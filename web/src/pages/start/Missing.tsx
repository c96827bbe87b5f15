import { useState } from 'react';
import type { Asked, Given } from '../../state/opening';
import { Button } from '../../ui/Button';
import { Field } from '../../ui/Field';

// Missing asks for the one thing that a file does not say: which class, or the shape of its input.
export function Missing({ asked, onAnswer }: { asked: Asked; onAnswer: (given: Given) => void }) {
  const { question, given } = asked;
  const [value, setValue] = useState(question.options?.[0] ?? '');
  const answer = () => onAnswer({ ...given, ...(question.ask === 'class' ? { class: value } : { input: value }) });
  return (
    <form className="panel missing" onSubmit={(e) => { e.preventDefault(); answer(); }}>
      <Field label={question.text} hint={question.ask === 'input' ? 'Sizes of one sample without the batch, such as 3,224,224; a second input after a space.' : undefined}>
        {(control) => question.options?.length
          ? <select className="input" {...control} value={value} onChange={(e) => setValue(e.target.value)}>{question.options.map((o) => <option key={o}>{o}</option>)}</select>
          : <input className="input" autoFocus {...control} value={value} onChange={(e) => setValue(e.target.value)} />}
      </Field>
      <div><Button look="primary" type="submit" disabled={!value}>Go on</Button></div>
    </form>
  );
}
