import { useState } from 'react';
import type { PlanAnswer, PlanRequest } from '../../engine/answers';
import { notify } from '../../state/store';
import { Button } from '../../ui/Button';
import { download } from '../../ui/save';

// Share publishes a plan under an address, where a service is behind the app, and hands out its text everywhere.
export function Share({ ask, answer }: { ask: PlanRequest; answer: PlanAnswer }) {
  const [busy, setBusy] = useState(false);
  const [shared, setShared] = useState<PlanAnswer['share']>();
  const share = async () => {
    setBusy(true);
    try {
      const reply = await fetch('/api/v1/plan', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ ...ask, share: true }) });
      const body: unknown = await reply.json().catch(() => null);
      if (!reply.ok) throw new Error((body as { error?: string } | null)?.error ?? (reply.status === 404 ? 'no service is behind this app: it runs on this machine alone' : `the service answers ${reply.status}`));
      setShared((body as PlanAnswer).share);
    } catch (thrown) {
      notify('block', `The plan was not shared: ${thrown instanceof Error ? thrown.message : String(thrown)}. Copy it as Markdown instead.`);
    } finally {
      setBusy(false);
    }
  };
  const copy = (text: string, what: string) => void navigator.clipboard.writeText(text).then(() => notify('good', `${what} was copied.`), () => notify('warn', 'The browser does not let the app copy. Select the text and copy it.'));
  const line = shared ? `[![Model Verifier](${shared.url}/badge.svg)](${shared.url})` : '';
  return (
    <div className="stack">
      <div className="row wrap">
        <Button onClick={() => copy(answer.markdown, 'The plan as Markdown')}>Copy as Markdown</Button>
        <Button onClick={() => download('plan.json', JSON.stringify(answer.plan, null, 2))}>Download JSON</Button>
        <Button look="primary" className="share-plan" disabled={busy} onClick={() => void share()}>{busy ? 'Sharing…' : 'Share the plan'}</Button>
        <span className="quiet small">Sharing sends the graph to the service, which keeps it under an address that cannot be guessed.</span>
      </div>
      {shared && (
        <div className="notice good stack" role="status">
          <div>Shared at <a href={shared.url}>{shared.url}</a></div>
          <div className="row wrap"><img src={`/p/${encodeURIComponent(shared.id)}/badge.svg`} alt="Its badge" height={20} /><code className="break grow">{line}</code><Button small onClick={() => copy(line, 'The line for a README')}>Copy the badge</Button></div>
          {shared.removal && <div>To remove it, keep this secret; it is shown once: <code className="break">{shared.removal}</code></div>}
        </div>
      )}
    </div>
  );
}
