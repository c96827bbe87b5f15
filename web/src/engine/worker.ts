// Runs the engine beside the page. One worker runs one module: messages are calls, answers carry their id. Whatever the engine
// throws is reported as a trap, and the client starts a new worker: after a trap the state of the old one cannot be trusted.

interface GoRuntime {
  env: Record<string, string>;
  importObject: WebAssembly.Imports;
  exited: boolean;
  run(instance: WebAssembly.Instance): Promise<void>;
}
type Action = (name: string, body: string) => { status: number; body: string };
interface Scope {
  Go?: new () => GoRuntime;
  verifier?: { action: Action };
  verifierFiles?: { action: Action };
  importScripts(url: string): void;
  postMessage(message: unknown): void;
  addEventListener(type: 'message', listener: (event: MessageEvent<Incoming>) => void): void;
}

export type Incoming =
  | { start: { base: string; module: string; name: 'verifier' | 'verifierFiles'; compiled?: WebAssembly.Module } }
  | { id: number; name: string; body: string };
export type Outgoing =
  | { ready: true; compiled: WebAssembly.Module }
  | { missing: string }
  | { failed: string }
  | { id: number; status: number; body: string }
  | { id: number; trapped: string };

const scope = self as unknown as Scope;
const say = (message: Outgoing) => scope.postMessage(message);
const words = (thrown: unknown) => (thrown instanceof Error ? thrown.message : String(thrown));

let action: Action | undefined;
let runtime: GoRuntime | undefined;

async function compile(address: string): Promise<WebAssembly.Module | null> {
  const answer = await fetch(address);
  if (answer.status === 404) return null;
  if (!answer.ok) throw new Error(`${address} answers ${answer.status}`);
  if (answer.headers.get('content-type')?.startsWith('application/wasm')) return WebAssembly.compileStreaming(answer);
  return WebAssembly.compile(await answer.arrayBuffer());
}

async function start(message: { base: string; module: string; name: 'verifier' | 'verifierFiles'; compiled?: WebAssembly.Module }) {
  const compiled = message.compiled ?? (await compile(message.base + message.module));
  if (!compiled) return say({ missing: message.module });
  scope.importScripts(message.base + 'wasm_exec.js');
  if (!scope.Go) throw new Error('wasm_exec.js sets no Go');
  runtime = new scope.Go();
  runtime.env['GOGC'] = '400'; // a call takes half the time where the collector seldom runs, for some 30 MB more
  void runtime.run(await WebAssembly.instantiate(compiled, runtime.importObject));
  action = scope[message.name]?.action;
  if (!action) throw new Error(`${message.module} sets no ${message.name}.action`);
  say({ ready: true, compiled });
}

scope.addEventListener('message', ({ data }) => {
  if ('start' in data) {
    start(data.start).catch((thrown: unknown) => say({ failed: words(thrown) }));
    return;
  }
  try {
    const answer = action?.(data.name, data.body);
    // A Go program that has exited returns nothing from its functions.
    if (!answer || runtime?.exited) throw new Error('the engine has ended');
    say({ id: data.id, status: answer.status, body: answer.body });
  } catch (thrown) {
    say({ id: data.id, trapped: words(thrown) });
  }
});
