// Answers requests with the app's own Worker in a real browser: node browser.mjs CHROMIUM ADDRESS WORKER < requests > answers.
// Requests and answers are lines as of cmd/verifier-wasm/node.mjs. What goes wrong in the page, its policy included, ends it with 1.
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

const { chromium } = createRequire(new URL('../tools/browser/', import.meta.url))('playwright-core');
const [executablePath, address, worker] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const page = await browser.newPage();
page.setDefaultTimeout(120_000); // a machine that tests many things at once is slow
const faults = [];
page.on('pageerror', (e) => faults.push(e.message));
page.on('console', (m) => m.type() === 'error' && faults.push(m.text()));
page.on('request', (r) => r.url().startsWith(address) || r.url().startsWith('blob:') || r.url().startsWith('data:') || faults.push(`asks ${r.url()}`));
await page.goto(address);

// A second Worker beside the app's own, from the same file: what it says is read here byte for byte.
const started = await page.evaluate(async (worker) => {
  const w = new Worker(new URL(worker, document.baseURI));
  globalThis.answers = new Map();
  const begun = performance.now();
  const ready = await new Promise((resolve) => {
    w.onmessage = ({ data }) => {
      if (!('id' in data)) return resolve(data);
      globalThis.answers.get(data.id)(data);
    };
    w.onerror = (e) => resolve({ failed: e.message });
    w.postMessage({ start: { base: new URL('engine/', document.baseURI).href, module: 'verifier.wasm', name: 'verifier' } });
  });
  globalThis.ask = (id, name, body) => new Promise((resolve) => {
    const from = performance.now();
    globalThis.answers.set(id, (data) => resolve({ ...data, ms: performance.now() - from }));
    w.postMessage({ id, name, body });
  });
  return { ready: ready.ready, said: ready.failed ?? ready.missing, ms: performance.now() - begun };
}, worker);
if (!started.ready) throw new Error(`the Worker does not start: ${started.said}`);
console.error(`the Worker is ready after ${Math.round(started.ms)} ms`);

let id = 0;
for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const { action, body } = JSON.parse(line);
  const got = await page.evaluate(([id, action, body]) => globalThis.ask(id, action, body), [++id, action, body]);
  if (got.trapped) faults.push(`${action} trapped: ${got.trapped}`);
  process.stdout.write(JSON.stringify({ status: got.status ?? 0, body: got.body ?? '', ms: got.ms }) + '\n');
}
await browser.close();
if (faults.length > 0) {
  console.error(faults.join('\n'));
  process.exitCode = 1;
}
