import { useEffect, useState } from 'react';
import { notify } from '../../state/store';
import { dollars, duration, percent } from '../../ui/amounts';
import { Button } from '../../ui/Button';
import { Figure } from '../../ui/Figure';
import { Table } from '../../ui/Table';
import { cancel, outcomes, type Outcome, type Run, type Session } from './api';
import { when } from './RunTable';
import { ended } from './useRuns';

// RunDetail is one run: what was planned and what came of it, its weights, its end, and what became of earlier runs of its structure.
export function RunDetail({ run, org, onChange }: { run: Run; org: Session['organisations'][number]; onChange: () => void }) {
  const [rows, setRows] = useState<Outcome[]>([]);
  const [sure, setSure] = useState(false);
  useEffect(() => {
    setSure(false);
    outcomes(org.id, run.fingerprint).then((o) => setRows(o.rows), () => setRows([]));
  }, [org.id, run.fingerprint, run.status]);
  const stop = () => cancel(org.id, run.job_id).then(onChange, (e: Error) => notify('block', `The run goes on: ${e.message}.`));
  const accuracy = run.metrics.find((m) => m.name === 'valAcc')?.value;
  return (
    <>
      <div className="row wrap">
        <h2 className="grow">{run.dataset} on {run.gpu ?? run.mode}, <span className="mono">{run.fingerprint}</span></h2>
        {run.model_url && <a className="button primary" href={run.model_url} download>Download the weights{run.model_format ? ` (${run.model_format})` : ''}</a>}
        {!ended(run) && org.cancel && (run.cancelling
          ? <span className="quiet">It ends as soon as its worker hears of it.</span>
          : sure ? <><span>End it for good?</span><Button look="primary" onClick={() => void stop()}>Cancel the run</Button><Button onClick={() => setSure(false)}>Let it run</Button></> : <Button onClick={() => setSure(true)}>Cancel…</Button>)}
      </div>
      {run.reason && <p className="notice block">{run.reason}</p>}
      {ended(run) && !run.model_url && run.model_reason && <p className="quiet">No weights: {run.model_reason}</p>}
      <dl className="figures">
        <div><dt>Planned</dt><dd><Figure value={run.planned_usd > 0 ? dollars(run.planned_usd) : null} why="No card was rented, so nothing was priced." exact="the estimate of the plan when the run was submitted" /></dd></div>
        <div><dt>Came to</dt><dd><Figure value={ended(run) ? dollars(run.est_cost_usd) : null} why="It has not ended." exact={run.planned_usd > 0 && ended(run) ? `${percent(run.est_cost_usd / run.planned_usd)} of what was planned` : undefined} /></dd></div>
        <div><dt>Took</dt><dd><Figure value={run.wall_sec === undefined ? null : duration(run.wall_sec)} why="It has not begun." /></dd></div>
        <div><dt>Accuracy</dt><dd><Figure value={accuracy === undefined ? null : percent(accuracy)} why="No epoch has ended." exact="of the last epoch, on the validation set" /></dd></div>
        <div><dt>Epochs</dt><dd>{run.epochs.length} of {run.config.epochs}</dd></div>
      </dl>
      <p className="quiet small">Batch {run.config.batchSize}, {run.config.optimizer}, learning rate {run.config.lr}; submitted {when(run.created_at)}{run.completed_at ? `, ended ${when(run.completed_at)}` : ''}.</p>
      <h3>History of this structure</h3>
      {rows.length === 0 ? <p className="quiet">No outcome of this structure was written down yet.</p> : (
        <Table label="Outcomes of this structure" rows={rows} id={(r) => `${r.at}${r.value}`} columns={[
          { key: 'at', title: 'When', cell: (r) => when(r.at), sort: (r) => r.at }, { key: 'metric', title: 'Metric', cell: (r) => r.metric }, { key: 'value', title: 'Value', right: true, cell: (r) => r.value, sort: (r) => r.value },
          { key: 'epochs', title: 'Epochs', right: true, cell: (r) => r.epochs ?? '–' }, { key: 'wall', title: 'Took', right: true, cell: (r) => (r.wallSec === undefined ? '–' : duration(r.wallSec)) },
          { key: 'cost', title: 'Cost', right: true, cell: (r) => (r.estCostUsd === undefined ? '–' : dollars(r.estCostUsd)) }, { key: 'source', title: 'From', cell: (r) => r.source }]} />
      )}
    </>
  );
}
