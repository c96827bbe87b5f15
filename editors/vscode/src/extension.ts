// Starts `verifier lsp` and hands it the files that it judges. Findings, shapes, costs and
// changes come from the server.
import { unwatchFile, watchFile } from 'node:fs';
import * as vscode from 'vscode';
import { CloseAction, ErrorAction, type ErrorHandler, LanguageClient, type LanguageClientOptions, State } from 'vscode-languageclient/node';
import { expand, inspect, type Program } from './program';

const install = vscode.Uri.parse('https://github.com/modelverifier/verifier/blob/main/docs/python.md');

/** What the server judges: it tells by the text which JSON is a graph, and which shell or YAML file launches a model. */
const documents = [
  { scheme: 'file', language: 'python' },
  { scheme: 'file', language: 'verifier-graph' },
  { scheme: 'file', language: 'json' },
  { scheme: 'file', language: 'yaml' },
  { scheme: 'file', language: 'shellscript' },
];

let session: Session | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel('Model Verifier', { log: true });
  const current = new Session(log);
  session = current;
  context.subscriptions.push(
    log,
    vscode.commands.registerCommand('verifier.restart', () => current.restart()),
    vscode.commands.registerCommand('verifier.showLog', () => log.show()),
    vscode.workspace.onDidChangeConfiguration((e) => {
      if (e.affectsConfiguration('verifier')) void current.restart();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => current.restart()), // which may name another program
  );
  await current.start();
}

export async function deactivate(): Promise<void> {
  await session?.stop();
}

/** The server of this window. Starts and stops follow one another, however quickly they are asked for. */
class Session {
  private client: LanguageClient | undefined;
  private watched: string | undefined;
  private last: Promise<void> = Promise.resolve();

  constructor(private readonly log: vscode.LogOutputChannel) {}

  start(): Promise<void> {
    return this.next(() => this.begin());
  }

  stop(): Promise<void> {
    return this.next(() => this.end());
  }

  restart(): Promise<void> {
    return this.next(async () => {
      await this.end();
      await this.begin();
    });
  }

  private next(step: () => Promise<void>): Promise<void> {
    this.last = this.last.then(step, step).catch((error: unknown) => this.log.error(String(error)));
    return this.last;
  }

  private async begin(): Promise<void> {
    const settings = vscode.workspace.getConfiguration('verifier');
    const name = expand(settings.get('path', 'verifier'), vscode.workspace.workspaceFolders?.[0]?.uri.fsPath);
    const checks = settings.get('checkVersion', true);
    const program = await inspect(name);
    if (program.fault !== undefined) {
      this.log.warn(program.words ?? program.fault);
      if (program.fault !== 'too-old') {
        void this.explain(program);
        return;
      }
      if (checks) void this.explain(program);
    }
    this.log.info(`starting ${program.path}, version ${program.version}`);
    await this.serve(program);
    if (checks) this.watch(program);
  }

  private async serve(program: Program): Promise<void> {
    const first = new FirstAnswer();
    const options: LanguageClientOptions = {
      documentSelector: documents,
      outputChannel: this.log,
      errorHandler: first,
      initializationFailedHandler: () => false,
    };
    const client = new LanguageClient('verifier', 'Model Verifier', { command: program.path, args: ['lsp'] }, options);
    this.client = client;
    try {
      await Promise.race([client.start(), first.missed]);
      first.came(client.createDefaultErrorHandler());
    } catch (error) {
      this.log.error(String(error));
      const words =
        `${program.path} does not serve editors: verifier ${program.version} ended before it answered. ` +
        `The log has its words.`;
      void this.explain({ ...program, words });
    }
  }

  private async end(): Promise<void> {
    if (this.watched !== undefined) unwatchFile(this.watched);
    this.watched = undefined;
    const client = this.client;
    this.client = undefined;
    try {
      if (client?.state === State.Running) await client.stop();
      await client?.dispose();
    } catch (error) {
      this.log.warn(String(error)); // it had ended already
    }
  }

  /** Says once that the file of the program was replaced: the server that runs is stale. Nothing is lost until it is restarted. */
  private watch(program: Program): void {
    this.watched = program.path;
    watchFile(program.path, { interval: 2000, persistent: false }, (now, before) => {
      if (now.mtimeMs === 0 || (now.mtimeMs === before.mtimeMs && now.size === before.size)) return; // it is being written
      unwatchFile(program.path);
      this.watched = undefined;
      void this.stale(program);
    });
  }

  private async stale(program: Program): Promise<void> {
    const now = await inspect(program.path);
    if (now.fault !== undefined) {
      void this.explain(now);
      return;
    }
    const words =
      `${program.path} was replaced: the server that runs is verifier ${program.version}, the file is ${now.version}. ` +
      `Restart the server to use it.`;
    this.log.warn(words);
    if ((await vscode.window.showWarningMessage(words, 'Restart')) === 'Restart') await this.restart();
  }

  private async explain(program: Program): Promise<void> {
    const chosen = await vscode.window.showErrorMessage(`Model Verifier: ${program.words ?? ''}`, 'Install', 'Open settings', 'Try again');
    if (chosen === 'Install') await vscode.env.openExternal(install);
    if (chosen === 'Open settings') await vscode.commands.executeCommand('workbench.action.openSettings', 'verifier.path');
    if (chosen === 'Try again') await this.restart();
  }
}

/** A server that ends before its first answer is not started again and again; one that ends later is, as the client does by itself. */
class FirstAnswer implements ErrorHandler {
  readonly missed: Promise<never>;
  private miss: (error: Error) => void = () => {};
  private usual: ErrorHandler | undefined;

  constructor() {
    this.missed = new Promise((_, reject) => (this.miss = reject));
    this.missed.catch(() => {}); // it may be missed after nobody waits
  }

  came(usual: ErrorHandler): void {
    this.usual = usual;
  }

  error: ErrorHandler['error'] = (error, message, count) => this.usual?.error(error, message, count) ?? { action: ErrorAction.Continue };

  closed: ErrorHandler['closed'] = () => {
    if (this.usual !== undefined) return this.usual.closed();
    this.miss(new Error('the server ended'));
    return { action: CloseAction.DoNotRestart, handled: true };
  };
}
