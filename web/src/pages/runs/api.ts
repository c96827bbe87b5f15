// What the service says about runs, by the session of the account pages. The app has no key.
export interface Session {
  signedIn: boolean;
  signIn: string;
  email?: string;
  organisations: { id: string; name: string; role: string; cancel: boolean }[];
  runs: boolean;
}

export interface Epoch {
  epoch: number;
  trainLoss: number;
  valLoss: number;
  valAcc: number;
}

export interface Run {
  job_id: string;
  status: 'queued' | 'running' | 'completed' | 'error' | 'cancelled';
  mode: string;
  dataset: string;
  epochs: Epoch[];
  metrics: { name: string; value: number }[];
  wall_sec?: number;
  est_cost_usd: number;
  planned_usd: number;
  cancelling: boolean;
  created_at: string;
  completed_at?: string;
  fingerprint: string;
  model_url?: string;
  model_format?: string;
  model_reason?: string;
  gpu?: string;
  backend: string;
  config: { epochs: number; batchSize: number; lr: number; optimizer: string };
  reason?: string;
}

export interface Outcome {
  at: string;
  metric: string;
  value: number;
  epochs?: number;
  wallSec?: number;
  estCostUsd?: number;
  source: string;
}

// Offline is where no service is behind the app.
export class Offline extends Error {}

async function ask<T>(path: string, init?: RequestInit): Promise<T> {
  const reply = await fetch(path, { credentials: 'same-origin', ...init }).catch(() => {
    throw new Error('the service does not answer');
  });
  const kind = reply.headers.get('content-type') ?? '';
  if (!kind.startsWith('application/json')) throw reply.status === 404 ? new Offline() : new Error(`the service answers ${reply.status}`);
  const body: unknown = await reply.json();
  if (!reply.ok) throw new Error((body as { error?: string }).error ?? `the service answers ${reply.status}`);
  return body as T;
}

const at = (org: string) => `/settings/${encodeURIComponent(org)}`;
export const session = () => ask<Session>('/account/session.json');
export const runs = (org: string, after?: string) => ask<{ jobs: Run[]; next?: string }>(`${at(org)}/runs.json${after ? `?after=${encodeURIComponent(after)}` : ''}`);
export const run = (org: string, id: string) => ask<Run>(`${at(org)}/runs/${encodeURIComponent(id)}`);
export const cancel = (org: string, id: string) => ask<Run>(`${at(org)}/runs/${encodeURIComponent(id)}/cancel`, { method: 'POST', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } });
export const outcomes = (org: string, fingerprint: string) => ask<{ rows: Outcome[] }>(`${at(org)}/outcomes.json?fingerprint=${encodeURIComponent(fingerprint)}`);
