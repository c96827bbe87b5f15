import { useMemo, useRef } from 'react';
import type { ServeFinding } from '../../engine/answers';
import { Field } from '../../ui/Field';

interface Piece {
  text: string;
  findings: number[]; // numbers in the list, from 1
  severity: 'block' | 'warn' | null;
}

// pieces cuts a command where what is found begins and ends.
export function pieces(command: string, findings: readonly ServeFinding[]): Piece[] {
  const cuts = new Set([0, command.length]);
  for (const f of findings) for (const [from, to] of f.places) if (to <= command.length) cuts.add(from).add(to);
  const at = [...cuts].sort((a, b) => a - b);
  return at.slice(0, -1).map((from, i) => {
    const to = at[i + 1] ?? command.length;
    const about = findings.flatMap((f, k) => (f.places.some(([a, b]) => a <= from && to <= b) ? [k] : []));
    const worst = about.some((k) => findings[k]?.severity === 'block') ? 'block' : about.length > 0 ? 'warn' : null;
    return { text: command.slice(from, to), findings: about.map((k) => k + 1), severity: worst };
  });
}

// CommandText is a text field with the findings marked under the words that they are about; their numbers are those of the list.
export function CommandText({ command, findings, onChange }: { command: string; findings: readonly ServeFinding[]; onChange: (command: string) => void }) {
  const back = useRef<HTMLDivElement>(null);
  const cut = useMemo(() => pieces(command, findings), [command, findings]);
  const marked = cut.filter((p) => p.severity);
  return (
    <Field label="Launch command" hint={marked.length > 0 ? <>Marked: {marked.map((p, i) => <span key={i}>{i > 0 && ', '}<code>{p.text.replace(/\s+/g, ' ')}</code> ({p.findings.join(', ')})</span>)}</> : 'A shell command, a docker run, or a part of a manifest.'}>
      {(control) => (
        <div className="marked-command">
          <div className="under" ref={back} aria-hidden="true">{cut.map((p, i) => (p.severity ? <mark key={i} className={p.severity}>{p.text}</mark> : <span key={i}>{p.text}</span>))}{'\n'}</div>
          <textarea {...control} spellCheck={false} autoCapitalize="off" rows={3} value={command} onChange={(e) => onChange(e.target.value)} onScroll={(e) => { if (back.current) back.current.scrollTop = e.currentTarget.scrollTop; }} />
        </div>
      )}
    </Field>
  );
}
