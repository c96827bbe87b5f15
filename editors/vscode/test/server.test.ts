// The real server over the protocol's own library: a broken file has its finding on its line, and the change mends it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { createProtocolConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-languageserver-protocol/node';
import type { CodeAction, Diagnostic, InitializeResult, PublishDiagnosticsParams, TextEdit } from 'vscode-languageserver-protocol/node';
import { broken, mended } from './net';

const selection = { start: { line: 8, character: 0 }, end: { line: 8, character: 0 } };

test('a broken file shows its finding, and the change mends it', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'verifier-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'net.py');
  writeFileSync(path, broken);
  const textDocument = { uri: pathToFileURL(path).href };

  const server = spawn(process.env['VERIFIER'] ?? '', ['lsp'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => server.once('exit', resolve));
  const connection = createProtocolConnection(new StreamMessageReader(server.stdout), new StreamMessageWriter(server.stdin));
  const published: ((d: Diagnostic[]) => void)[] = [];
  const next = () => new Promise<Diagnostic[]>((resolve) => published.push(resolve));
  connection.onNotification('textDocument/publishDiagnostics', (p: PublishDiagnosticsParams) => published.shift()?.(p.diagnostics));
  connection.listen();

  const about: InitializeResult = await connection.sendRequest('initialize', { processId: process.pid, rootUri: null, capabilities: {} });
  assert.equal(about.serverInfo?.name, 'verifier');
  await connection.sendNotification('initialized', {});

  const opened = next();
  await connection.sendNotification('textDocument/didOpen', { textDocument: { ...textDocument, languageId: 'python', version: 1, text: broken } });
  const [finding] = await opened;
  assert.deepEqual([finding?.range.start.line, finding?.code], [8, 'linear-in-mismatch']);

  const actions: CodeAction[] = await connection.sendRequest('textDocument/codeAction', { textDocument, range: selection, context: { diagnostics: [] } });
  const edits = Object.values(actions[0]?.edit?.changes ?? {}).flat();
  const text = applied(broken, edits);
  assert.equal(text, mended);

  const changed = next();
  await connection.sendNotification('textDocument/didChange', { textDocument: { ...textDocument, version: 2 }, contentChanges: [{ text }] });
  assert.deepEqual(await changed, []);

  await connection.sendRequest('shutdown');
  await connection.sendNotification('exit');
  assert.equal(await ended, 0);
  connection.dispose();
});

function applied(text: string, edits: TextEdit[]): string {
  const lines = text.split('\n');
  const offset = (p: { line: number; character: number }) => lines.slice(0, p.line).reduce((sum, l) => sum + l.length + 1, 0) + p.character;
  for (const e of [...edits].sort((a, b) => offset(b.range.start) - offset(a.range.start))) {
    text = text.slice(0, offset(e.range.start)) + e.newText + text.slice(offset(e.range.end));
  }
  return text;
}
