import { useCallback, useEffect, useState } from 'react';
import { Offline, run, runs, session, type Run, type Session } from './api';

export type Where = { state: 'asking' } | { state: 'offline' } | { state: 'failed'; why: string } | { state: 'there'; session: Session };

// useSession finds out whether a service is behind the app, and who asks.
export function useSession(): Where {
  const [where, setWhere] = useState<Where>({ state: 'asking' });
  useEffect(() => {
    session().then(
      (s) => setWhere({ state: 'there', session: s }),
      (e: unknown) => setWhere(e instanceof Offline ? { state: 'offline' } : { state: 'failed', why: e instanceof Error ? e.message : String(e) }),
    );
  }, []);
  return where;
}

const everyMs = 3000;
export const ended = (r: Run) => r.status !== 'queued' && r.status !== 'running';

// useRuns lists an organisation's runs, and asks again for as long as one of them has not ended. Those that are looked at come with
// their epochs.
export function useRuns(org: string, looked: readonly string[]) {
  const [list, setList] = useState<Run[]>([]);
  const [next, setNext] = useState<string>();
  const [full, setFull] = useState<ReadonlyMap<string, Run>>(new Map());
  const [error, setError] = useState('');
  const [loaded, setLoaded] = useState(false);
  const key = looked.join(' ');
  const load = useCallback(async () => {
    try {
      const page = await runs(org);
      const detail = await Promise.all(key.split(' ').filter(Boolean).map((id) => run(org, id)));
      setList((old) => [...page.jobs, ...old.filter((o) => !page.jobs.some((j) => j.job_id === o.job_id))]);
      setNext((old) => old ?? page.next);
      setFull(new Map(detail.map((d) => [d.job_id, d])));
      setError('');
    } catch (thrown) {
      setError(thrown instanceof Error && thrown.message ? thrown.message : 'the service does not answer');
    }
    setLoaded(true);
  }, [org, key]);
  const live = list.some((r) => !ended(r));
  useEffect(() => {
    void load();
    if (!live) return;
    const timer = window.setInterval(() => document.visibilityState === 'visible' && void load(), everyMs);
    return () => window.clearInterval(timer);
  }, [load, live]);
  const more = async () => {
    if (!next) return;
    const page = await runs(org, next);
    setList((old) => [...old, ...page.jobs]);
    setNext(page.next);
  };
  return { list, full, error, loaded, reload: load, more: next ? more : undefined };
}
