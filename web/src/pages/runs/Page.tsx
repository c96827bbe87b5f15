import { useState } from 'react';
import { navigate, useRoute } from '../../app/router';
import { Button } from '../../ui/Button';
import { Curves } from './Curves';
import { RunDetail } from './RunDetail';
import { RunTable } from './RunTable';
import { useRuns, useSession } from './useRuns';
import type { Session } from './api';
import '../plan/plan.css';
import './runs.css';

export default function RunsPage() {
  const where = useSession();
  if (where.state === 'asking') return <p className="page quiet">Asking the service…</p>;
  if (where.state === 'there' && where.session.signedIn && where.session.runs && where.session.organisations.length > 0) return <Own session={where.session} />;
  return (
    <div className="page stack wide empty">
      <h1>Runs</h1>
      {where.state === 'offline' && <p className="lede">This app runs on your machine alone, and has no runs. A Model Verifier service shows here what your organisation trains: live curves, the weights, and what each run came to beside its plan.</p>}
      {where.state === 'failed' && <p className="notice block" role="alert">The runs cannot be shown: {where.why}. Reload the page to try again.</p>}
      {where.state === 'there' && !where.session.runs && <p className="lede">This service runs no training jobs: whoever runs it can add workers. Train on your own machine with <code>verifier train</code>.</p>}
      {where.state === 'there' && where.session.runs && !where.session.signedIn && (
        <>
          <p className="lede">Sign in to see what your organisation trains: live curves, the weights, and what each run came to beside its plan.</p>
          <div><a className="button primary" href={where.session.signIn}>Sign in</a></div>
        </>
      )}
      {where.state === 'there' && where.session.signedIn && where.session.organisations.length === 0 && <p className="lede">You belong to no organisation. Ask an owner for an invitation.</p>}
    </div>
  );
}

function Own({ session }: { session: Session }) {
  const { params } = useRoute();
  const [chosen, setChosen] = useState(params.get('org') ?? '');
  const org = session.organisations.find((o) => o.id === chosen) ?? session.organisations[0];
  const [picked, setPicked] = useState<readonly string[]>(() => params.get('run')?.split(',').filter(Boolean) ?? []);
  const { list, full, error, loaded, reload, more } = useRuns(org?.id ?? '', picked);
  const select = (id: string, also: boolean) => {
    const next = picked.includes(id) ? picked.filter((p) => p !== id) : also ? [...picked, id].slice(-6) : [id];
    setPicked(next);
    navigate('/runs', { ...(org ? { org: org.id } : {}), ...(next.length > 0 ? { run: next.join(',') } : {}) }, 'replace');
  };
  const looked = picked.flatMap((id) => full.get(id) ?? []);
  const only = looked.length === 1 ? looked[0] : undefined;
  if (!org) return null;
  return (
    <div className="page stack wide">
      <div className="row wrap">
        <h1 className="grow">Runs of {org.name}</h1>
        {session.organisations.length > 1 && <select className="input orgs" aria-label="Organisation" value={org.id} onChange={(e) => { setChosen(e.target.value); setPicked([]); }}>{session.organisations.map((o) => <option key={o.id} value={o.id}>{o.name}</option>)}</select>}
      </div>
      {error && <p className="notice warn" role="alert">What you see may be old: {error}.</p>}
      {loaded && list.length === 0 && !error && <p className="lede quiet">Nothing was trained yet. Submit a run with <code>verifier train --server</code>, or <code>POST /api/v1/train</code>; it appears here at once.</p>}
      {list.length > 0 && <section className="panel part"><p className="quiet small">Choose a run to see its curve; hold Ctrl, or tick several, to compare up to six.</p><RunTable runs={list} picked={picked} onPick={select} />{more && <div><Button onClick={() => void more()}>Show earlier runs</Button></div>}</section>}
      {looked.length > 0 && <section className="panel part"><h2 id="curves">{looked.length > 1 ? 'Curves, compared' : 'Curve'}</h2><Curves runs={looked} /></section>}
      {only && <section className="panel part"><RunDetail run={only} org={org} onChange={() => void reload()} /></section>}
    </div>
  );
}
