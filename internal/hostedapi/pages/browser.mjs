// Does in a real browser, with scripts switched off, what a new user does: follows the first link, creates a key, runs the
// commands that the page shows, invites somebody, revokes the key. Prints, as JSON, what is wrong.
// Arguments: the browser, the first link, and a folder for pictures or nothing.
import { createRequire } from 'node:module';
import { spawnSync } from 'node:child_process';
import { look } from '../../../tools/browser/look.mjs';

const { chromium } = createRequire(new URL('../../../tools/browser/', import.meta.url))('playwright-core');
const [executablePath, link, folder] = process.argv.slice(2);
const base = new URL(link).origin;
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const faults = [];
const password = 'a long enough password';
const began = Date.now();
let seen = 0;

// visitor is a browser of somebody's own.
async function visitor() {
  const context = await browser.newContext({ viewport: { width: 1000, height: 800 }, javaScriptEnabled: false });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  page.on('console', (m) => m.text().includes('the server responded with a status of') || faults.push(`${page.url()}: console: ${m.text()}`));
  // What is cut off by going to the next page is no fault.
  page.on('requestfailed', (r) => r.failure().errorText === 'net::ERR_ABORTED' || faults.push(`not loaded: ${r.url()}: ${r.failure().errorText}`));
  page.on('response', (r) => { if (r.request().resourceType() === 'document') page.last = r; else expect(r.status() < 400, `${r.url()} answers ${r.status()}`); });
  return page;
}

// check looks at the page that a visitor is on, narrow and wide, light and dark, and takes a picture.
async function check(page, name) {
  seen++;
  for (const [scheme, width] of [['dark', 360], ['light', 1000]]) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width, height: 800 });
    for (const f of await page.evaluate(look)) faults.push(`${name}, ${scheme}: ${f}`);
    if (folder) await page.screenshot({ path: `${folder}/${name}-${scheme}.png`, fullPage: true, caret: 'initial' });
  }
  // What the browser made of the text, compared with the text read as XML: a difference is markup that it had to repair.
  const [parsed, written] = await page.evaluate((text) => {
    const names = (d) => [...d.querySelectorAll('*')].map((e) => e.localName).join(' ');
    return [names(document), names(new DOMParser().parseFromString(text, 'application/xml'))];
  }, await page.last.text());
  if (parsed !== written) faults.push(`${name}: the browser repaired the markup: ${written}`);
}

const expect = (ok, text) => { if (!ok) faults.push(text); };
const press = async (page, name) => { await page.getByRole('button', { name, exact: true }).click(); await page.waitForLoadState(); };
const fill = async (page, fields) => { for (const [label, text] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(text); };
const shows = async (page, text) => expect((await page.textContent('main')).includes(text), `${page.url()} does not show: ${text}`);

// run runs a command as somebody would who pasted it into a terminal.
function run(line) {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', line], { encoding: 'utf8' });
  expect(status === 0, `${line.slice(0, 60)}: ${status} ${stderr}`);
  try { return JSON.parse(stdout); } catch { faults.push(`no JSON: ${stdout.slice(0, 200)}`); return {}; }
}

const ada = await visitor();
await ada.goto(link);
await check(ada, 'start');
await fill(ada, { 'Organisation': 'Vision Lab', 'Your name': 'Ada', 'E-mail address': 'ada@example.com', 'Password': 'short' });
await press(ada, 'Create the organisation');
await check(ada, 'start-again');
await shows(ada, 'Password has 5 characters, at least 12 are needed.');
expect(await ada.getByLabel('Organisation', { exact: true }).inputValue() === 'Vision Lab', 'what was typed is lost');
await fill(ada, { 'Password': password });
await press(ada, 'Create the organisation');
await check(ada, 'keys-none');

await fill(ada, { 'Name': 'laptop' });
await press(ada, 'Create a key');
await check(ada, 'key-new');
const key = await ada.textContent('#secret');
expect(/^mv_[\w-]{43}$/.test(key), `the key is ${key}`);
const lines = await ada.locator('.command').allTextContents();
expect(lines.length === 2 && lines.every((l) => l.includes(key)), `${lines.length} commands`);
const [verdict, plan] = lines.map(run);
const keyMs = Date.now() - began;
expect(['ok', 'ask', 'warn'].includes(verdict.verdict), `check answers ${JSON.stringify(verdict).slice(0, 200)}`);
expect(plan.plan?.run?.legal === true, `plan answers ${JSON.stringify(plan).slice(0, 200)}`);

await ada.getByRole('link', { name: 'Developer API' }).click();
await ada.waitForLoadState();
await check(ada, 'keys');
expect(!(await ada.content()).includes(key), 'the key is shown again');
expect(!(await ada.textContent('table')).includes('never'), 'the last use is not shown');
for (const [name, heading] of [['History', 'History'], ['Shared plans', 'Shared plans'], ['Audit log', 'Audit log'], ['Organisation', 'Organisation']]) {
  await ada.getByRole('link', { name, exact: true }).click();
  await ada.waitForLoadState();
  await check(ada, heading.toLowerCase().replace(' ', '-'));
}

const shared = run(lines[1].replace(/}'$/, `,"share":true}'`)).share;
expect(shared?.url === `${base}/p/${shared?.id}`, `shared as ${JSON.stringify(shared)}`);
await ada.getByRole('link', { name: 'Shared plans' }).click();
await ada.waitForLoadState();
await check(ada, 'shared-plan');
await ada.getByRole('link', { name: `/p/${shared?.id}` }).click();
await ada.waitForLoadState();
expect(ada.last.status() === 200, `the shared plan answers ${ada.last.status()}`);
await ada.goBack();
await ada.getByText(`Remove ${shared?.id}`).click();
await press(ada, 'Remove the plan');
await shows(ada, 'There are none.');
await ada.goto(shared.url);
expect(ada.last.status() === 404, `the removed plan answers ${ada.last.status()}`);
await ada.goto(base);
await ada.getByRole('link', { name: 'Settings', exact: true }).click();
await ada.waitForLoadState();

await ada.getByRole('link', { name: 'People' }).click();
await ada.waitForLoadState();
await fill(ada, { 'E-mail address': 'bob@example.com' });
await press(ada, 'Make an invitation');
await check(ada, 'people-invited');
const invitation = await ada.textContent('.link');
const bob = await visitor();
await bob.goto(invitation);
await check(bob, 'invitation');
await fill(bob, { 'Your name': 'Bob', 'Password': password });
await press(bob, 'Join');
await shows(bob, 'You have joined the organisation.');
await press(bob, 'Sign out');
await check(bob, 'signed-out');
await fill(bob, { 'E-mail address': 'bob@example.com', 'Password': 'not the password' });
await press(bob, 'Sign in');
await check(bob, 'sign-in-again');
await fill(bob, { 'Password': password });
await press(bob, 'Sign in');
await bob.goto(`${base}/account`);
await check(bob, 'self');
await bob.goto(`${base}/settings/nothing/api`);
await check(bob, 'nothing');

await ada.getByRole('link', { name: 'People' }).click();
await ada.waitForLoadState();
await check(ada, 'people');
await ada.getByRole('link', { name: 'Developer API' }).click();
await ada.waitForLoadState();
await ada.getByText('Revoke laptop').first().click();
await press(ada, 'Revoke laptop');
await check(ada, 'revoked');
const since = Date.now();
let refused = false;
while (!refused && Date.now() - since < 10_000) refused = spawnSync('sh', ['-c', lines[0] + " -o /dev/null -w '%{http_code}'"], { encoding: 'utf8' }).stdout === '401';
expect(refused, 'the revoked key still works');

await browser.close();
console.log(JSON.stringify({ faults, seen, keyMs, refusedInMs: Date.now() - since }));
