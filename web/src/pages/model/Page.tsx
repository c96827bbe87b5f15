import { href } from '../../app/router';
import { applyFix } from '../../state/edits';
import { useStore } from '../../state/store';
import { useVerdict } from '../../state/verdict';
import { Finding } from '../../ui/Finding';
import { Verdict } from '../../ui/Verdict';

export default function ModelPage() {
  const doc = useStore((s) => s.doc);
  const verdict = useVerdict();
  if (!doc) return <div className="page stack"><h1>No model is open</h1><p><a href={href('/')}>Open a file, or begin with a well-known model.</a></p></div>;
  return (
    <div className="page stack wide">
      <h1>{doc.title}</h1>
      <div><Verdict large answer={verdict.answer} pending={verdict.pending} problem={verdict.error?.message} /></div>
      <ul>{verdict.answer?.findings.map((f, i) => <Finding key={i} finding={f} onFix={applyFix} />)}</ul>
    </div>
  );
}
