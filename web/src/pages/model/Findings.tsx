import { useCallback, useState } from 'react';
import { href } from '../../app/router';
import type { LintFinding } from '../../engine/types';
import { applyFix } from '../../state/edits';
import { select } from '../../state/store';
import { useVerdict } from '../../state/verdict';
import { Button } from '../../ui/Button';
import { Finding } from '../../ui/Finding';
import { plural } from '../../ui/numbers';

const step = 60;

// Findings lists what is wrong, worst first, each with its fix; a click shows where.
export function Findings() {
  const { answer, error } = useVerdict();
  const [shown, setShown] = useState(step);
  const onShow = useCallback((f: LintFinding) => f.component && select([f.component]), []);
  const onFix = useCallback((f: LintFinding) => void applyFix(f), []);
  if (error) return <p className="notice block">{error.message}</p>;
  if (!answer) return <p className="quiet pad">Checking…</p>;
  if (answer.findings.length === 0) {
    return <div className="pad stack"><p><b className="tone-good">It runs.</b> PyTorch builds it and takes its input, every shape follows, and no rule has a word against it.</p><p><a href={href('/plan')}>What will it cost?</a> Memory, time and money, and what makes it fit.</p><p className="quiet">Change a number on the right, or add a layer, and watch this place.</p></div>;
  }
  return (
    <>
      <ul>{answer.findings.slice(0, shown).map((f, i) => <Finding key={`${f.rule} ${f.component ?? ''} ${i}`} finding={f} onFix={onFix} onShow={onShow} />)}</ul>
      {answer.findings.length > shown && <div className="pad"><Button onClick={() => setShown(shown + step)}>Show {plural(answer.findings.length - shown, 'more finding')}</Button></div>}
    </>
  );
}
