// VS Code itself, in chromium, with the packed extension and the real server: a broken file shows the finding on its line, the quick fix
// mends it, and a program that cannot be the server has its words.
//
//   node test/editor.mjs EXTENSION.vsix VERIFIER CODE-SERVER-FOLDER CHROMIUM [FOLDER-FOR-PICTURES]
import assert from 'node:assert/strict';
import { spawn, execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const { chromium } = createRequire(resolve('../../tools/browser/package.json'))('playwright-core');
const [vsix, verifier, codeServer, browserPath, pictures] = process.argv.slice(2);
const broken = readFileSync('test/net.py', 'utf8');
const patience = 120_000;

const top = mkdtempSync(join(tmpdir(), 'vscode-'));
const folder = (name) => {
  const path = join(top, name);
  mkdirSync(path, { recursive: true });
  return path;
};
const [data, extensions, work, home] = ['data', 'extensions', 'work', 'home'].map(folder);
const program = join(folder('bin'), 'verifier');
copyFileSync(verifier, program);
const file = join(work, 'net.py');
writeFileSync(file, broken);
writeFileSync(
  join(folder('data/User'), 'settings.json'),
  JSON.stringify({ 'verifier.path': program, 'workbench.startupEditor': 'none', 'files.autoSave': 'off', 'chat.disableAIFeatures': true }),
);

const entry = join(codeServer, 'out/node/entry.js');
const common = ['--user-data-dir', data, '--extensions-dir', extensions];
const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home };
let server;
let browser;
try {
  execFileSync(process.execPath, [entry, ...common, '--install-extension', vsix], { env, stdio: 'ignore' }); // its native logger is not built, and it says so
  const at = await listening();
  browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox'] });
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  page.setDefaultTimeout(patience);
  try {
    await page.goto(`${at}/?folder=${work}`);
    await mends(page);
    await explains(page);
  } catch (error) {
    if (pictures) await page.screenshot({ path: join(pictures, 'failed.png') });
    throw error;
  }
} finally {
  await browser?.close();
  server?.kill();
  await new Promise((done) => (server === undefined || server.exitCode !== null ? done() : server.once('exit', done)));
  rmSync(top, { recursive: true, maxRetries: 10 });
}

/** Starts VS Code's server on a free port and returns its address. It gives its own child ten seconds, which a busy machine may not. */
async function listening(tries = 3) {
  try {
    return await started();
  } catch (error) {
    if (tries === 1) throw error;
    return listening(tries - 1);
  }
}

function started() {
  const args = [entry, ...common, '--auth', 'none', '--bind-addr', '127.0.0.1:0', '--disable-telemetry', '--disable-update-check', '--disable-workspace-trust'];
  server = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  return new Promise((done, failed) => {
    let said = '';
    server.stderr.on('data', (text) => (said += text));
    server.stdout.on('data', (text) => {
      said += text;
      const found = /listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(said);
      if (found) done(found[1]);
    });
    server.once('exit', () => failed(new Error(`code-server ended:\n${said}`)));
  });
}

/** Runs a command by its title, as someone with a keyboard does. */
async function command(page, title) {
  await page.keyboard.press('F1');
  await page.locator('.quick-input-widget input').fill(`>${title}`);
  await page.locator('.quick-input-list .monaco-list-row', { hasText: title }).first().waitFor();
  await page.keyboard.press('Enter');
}

async function mends(page) {
  await page.locator('.explorer-folders-view', { hasText: 'net.py' }).waitFor();
  await page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'net.py' }).dblclick();
  await page.locator('.monaco-editor .squiggly-error').waitFor();
  await command(page, 'Problems: Focus on Problems View');
  const problem = page.locator('.markers-panel .monaco-list-row', { hasText: 'linear-in-mismatch' });
  await problem.first().waitFor();
  const words = await problem.first().innerText();
  assert.match(words, /14400 features|14,400 features/);
  assert.match(words, /\[Ln 9, /, 'the finding stands on the line of the layer');
  await page.locator('.view-line', { hasText: '(N, 16, 30, 30)' }).first().waitFor(); // the shapes of values
  if (pictures) await page.screenshot({ path: join(pictures, 'finding.png') });

  await problem.first().dblclick(); // goes to the line
  await page.locator('.monaco-editor.focused').waitFor();
  await page.keyboard.press('Control+.');
  const action = page.locator('.action-widget .monaco-list-row.action', { hasText: '14400' });
  await action.first().waitFor();
  if (pictures) await page.screenshot({ path: join(pictures, 'action.png') });
  await action.first().click();
  await page.locator('.monaco-editor .squiggly-error').waitFor({ state: 'detached' });
  await page.keyboard.press('Control+s');
  await eventually(() => readFileSync(file, 'utf8') !== broken, 'the file is saved');
  assert.equal(readFileSync(file, 'utf8'), broken.replace('14000', '14400'));
  if (pictures) await page.screenshot({ path: join(pictures, 'mended.png') });
  console.log('the finding stood on its line, and the quick fix mended the file');
}

/** Waits for a notification, in the list that stays, and presses one of its buttons. */
async function notified(page, text, button) {
  const row = page.locator('.notifications-center .monaco-list-row', { hasText: text }).first();
  for (const end = Date.now() + patience; Date.now() < end && !(await row.isVisible()); ) {
    await command(page, 'Notifications: Show Notifications');
    await row.waitFor({ timeout: 5_000 }).catch(() => {});
  }
  await row.waitFor();
  if (button) await row.getByText(button, { exact: true }).click();
}

async function explains(page) {
  const replace = (data) => {
    writeFileSync(`${program}.new`, data);
    chmodSync(`${program}.new`, 0o755);
    renameSync(`${program}.new`, program);
  };
  replace('#!/bin/sh\n[ "$1" = version ] && echo \'{"name": "verifier", "version": "9.9.9"}\'\n');
  await notified(page, 'the file is 9.9.9', 'Restart');
  await notified(page, 'does not serve editors'); // it answers version alone
  const mac = Buffer.alloc(128);
  mac.writeUInt32LE(0xfeedfacf, 0);
  mac.writeUInt32LE(0x0100000c, 4);
  replace(mac);
  await notified(page, 'does not serve editors', 'Try again');
  await notified(page, 'is a program for macOS on ARM64, and this is Linux');
  if (pictures) await page.screenshot({ path: join(pictures, 'explained.png') });
  replace(readFileSync(verifier));
  await notified(page, 'is a program for macOS on ARM64, and this is Linux', 'Try again');
  await page.locator('.view-line', { hasText: '(N, 16, 30, 30)' }).first().waitFor(); // nothing is lost: the new server judges the file
  console.log('a stale server and a program of another platform had their words, and the next one took over');
}

async function eventually(ready, what) {
  for (const end = Date.now() + patience; !ready(); await new Promise((next) => setTimeout(next, 50))) {
    if (Date.now() > end) throw new Error(`waited in vain: ${what}`);
  }
}
