// The page's side of the engine. Calls wait in a queue here and go to the worker one at a time, so that a newer question of the
// same lane replaces one that has not been asked yet, and a worker that traps loses nothing but the call that trapped it.
import type { Fault } from './types';
import type { Incoming, Outgoing } from './worker';

export type EngineState = 'idle' | 'loading' | 'ready' | 'missing' | 'failed';

// CallError is a request that was not taken, with the code and the path of what is wrong.
export class CallError extends Error {
  constructor(readonly status: number, readonly fault: Fault) {
    super(fault.path ? `${fault.path}: ${fault.error}` : fault.error);
  }
}

// Trapped is a call that ended its engine. A new one is running already.
export class Trapped extends Error {
  constructor(readonly reason: string) {
    super(`The engine stopped while it worked on this (${reason}). It was started again, and nothing of your model is lost.`);
  }
}

// Superseded is a call that a newer one of its lane replaced; who asked shows nothing.
export class Superseded extends Error {}

interface Call {
  id: number;
  name: string;
  body: string;
  lane?: string | undefined;
  again?: boolean; // an engine has stopped over it before
  resolve(answer: { status: number; body: string }): void;
  reject(reason: Error): void;
}

export interface CallOptions {
  lane?: string; // a newer call of the same lane replaces one that still waits
  first?: boolean; // goes before everything that waits: somebody looks at the place where the answer appears
  timeoutMs?: number; // after this the engine is started anew; 120 s unless given
}

// texts are the models that were written before. A model is never changed in place, and one edit asks several questions about it.
const texts = new WeakMap<object, string>();

function written(request: unknown): string {
  if (typeof request !== 'object' || request === null || !('model' in request)) return JSON.stringify(request);
  const { model, ...rest } = request;
  if (typeof model !== 'object' || model === null) return JSON.stringify(request);
  const text = texts.get(model) ?? JSON.stringify(model);
  texts.set(model, text);
  const others = JSON.stringify(rest);
  return `{"model":${text}${others === '{}' ? '' : ','}${others.slice(1)}`;
}

// here is where this code is from: the engine lies beside its folder, whatever the address of the page.
const here: string = import.meta.url;

export class Engine {
  state: EngineState = 'idle';
  problem = '';
  restarts = 0;
  onTrap: (trapped: Trapped) => void = () => undefined; // is told whenever the engine was started anew
  private worker: Worker | undefined;
  private compiled: WebAssembly.Module | undefined;
  private waiting: Call[] = [];
  private running: Call | undefined;
  private watch: number | undefined;
  private next = 1;
  private readonly listeners = new Set<() => void>();

  constructor(private readonly module: string, private readonly name: 'verifier' | 'verifierFiles') {}

  subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  // raw sends the text of a request and gives back the text of the answer, byte for byte.
  raw(name: string, body: string, options: CallOptions = {}): Promise<{ status: number; body: string }> {
    return new Promise((resolve, reject) => {
      if (this.state === 'missing' || this.state === 'failed') return reject(new Error(this.problem));
      const call: Call = { id: this.next++, name, body, lane: options.lane, resolve, reject };
      if (options.lane) {
        const stale = this.waiting.filter((c) => c.lane === options.lane);
        this.waiting = this.waiting.filter((c) => c.lane !== options.lane);
        for (const c of stale) c.reject(new Superseded());
      }
      if (options.first) this.waiting.unshift(call);
      else this.waiting.push(call);
      this.start();
      this.send(options.timeoutMs);
    });
  }

  // call sends a request and reads its answer; an answer other than 200 is a CallError.
  async call<T>(name: string, request: unknown, options?: CallOptions): Promise<T> {
    const answer = await this.raw(name, written(request), options);
    const value: unknown = JSON.parse(answer.body);
    if (answer.status !== 200) throw new CallError(answer.status, value as Fault);
    return value as T;
  }

  // start loads the engine unless that has begun. Pages call it early, so that it is there when the first file is.
  start() {
    if (this.worker || this.state === 'missing' || this.state === 'failed') return;
    this.become('loading');
    const worker = new Worker(new URL('./worker.ts', import.meta.url));
    this.worker = worker;
    worker.onmessage = (event: MessageEvent<Outgoing>) => this.worker === worker && this.receive(event.data);
    worker.onerror = (event) => this.worker === worker && this.trap(event.message || 'the worker ended');
    const base = new URL('../engine/', here).href;
    const compiled = this.compiled;
    this.post({ start: { base, module: this.module, name: this.name, ...(compiled ? { compiled } : {}) } });
  }

  // restart ends whatever the engine does now, as a trap would.
  restart(reason = 'stopped by you') {
    this.trap(reason);
  }

  private post(message: Incoming) {
    this.worker?.postMessage(message);
  }

  private send(timeoutMs = 120_000) {
    if (this.state !== 'ready' || this.running) return;
    const call = this.waiting.shift();
    if (!call) return;
    this.running = call;
    this.watch = window.setTimeout(() => this.trap(`no answer in ${timeoutMs / 1000} s`, false), timeoutMs);
    this.post({ id: call.id, name: call.name, body: call.body });
  }

  private receive(message: Outgoing) {
    if ('ready' in message) {
      this.compiled = message.compiled;
      this.become('ready');
    } else if ('missing' in message) {
      this.end('missing', `This build has no ${message.missing}: build with "make", which adds the engine for the browser.`);
    } else if ('failed' in message) {
      this.end('failed', `The engine did not start: ${message.failed}. Reload the page to try again.`);
    } else if ('trapped' in message) {
      this.trap(message.trapped);
    } else if (this.running?.id === message.id) {
      const call = this.running;
      this.idle();
      call.resolve({ status: message.status, body: message.body });
    }
    this.send();
  }

  private idle() {
    window.clearTimeout(this.watch);
    this.running = undefined;
  }

  // trap starts the engine anew. The call that was running is asked once more: what stopped the engine may be what it had done before.
  private trap(reason: string, again = true) {
    const call = this.running;
    this.idle();
    this.worker?.terminate();
    this.worker = undefined;
    if (!call && this.state === 'loading') return this.end('failed', `The engine did not start: ${reason}.`);
    this.restarts++;
    this.state = 'idle';
    if (call && again && !call.again) this.waiting.unshift({ ...call, again: true });
    else call?.reject(new Trapped(reason));
    this.start();
    this.onTrap(new Trapped(reason));
  }

  private end(state: 'missing' | 'failed', problem: string) {
    this.problem = problem;
    this.become(state);
    for (const c of this.waiting.splice(0)) c.reject(new Error(problem));
  }

  private become(state: EngineState) {
    this.state = state;
    for (const listener of this.listeners) listener();
  }
}

// engine gives verdicts; files opens and writes files, and is loaded when that is first asked of it.
export const engine = new Engine('verifier.wasm', 'verifier');
export const files = new Engine('verifier-files.wasm', 'verifierFiles');
