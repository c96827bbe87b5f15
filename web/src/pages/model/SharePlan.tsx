import { sharePlan, unshare } from '../../state/sharing';
import { getState, notify } from '../../state/store';
import { copy } from './exporting';

// share keeps the plan of the open model at the service, and copies its address.
async function share() {
  const { doc } = getState();
  if (!doc) return;
  try {
    const shared = await sharePlan({ model: doc.model });
    await copy(shared.url);
    notify('warn', `Anybody who knows ${shared.url} can now see this plan.`, {
      label: 'Remove it again',
      run: () => void unshare(shared).then(() => notify('good', 'The shared plan is removed.'), (e: Error) => notify('block', e.message)),
    });
  } catch (e) {
    notify('block', e instanceof Error ? e.message : String(e));
  }
}

export function SharePlan({ onDone }: { onDone: () => void }) {
  return <button type="button" onClick={() => { onDone(); void share(); }}>Share the plan at an address</button>;
}
