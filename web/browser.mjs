// Uses the app in a real browser as a new user would, and prints as JSON what is wrong and what was measured. Arguments: the
// browser, the address of the app, a folder for pictures.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tasks as ofModels } from './tasks.mjs';
import { tasks as ofPages } from './tasks-pages.mjs';

const { chromium } = createRequire(new URL('../tools/browser/', import.meta.url))('playwright-core');
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const [executablePath, base, pictures, only] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const tasks = { ...ofModels, ...ofPages };
const faults = [];
const figures = {};
// A machine that tests many things at once is slow: what waits is waited for, and what is measured is printed.
const patience = Number(process.env.APP_PATIENCE_MS ?? 120_000);

// fresh is an empty browser: nothing is kept from the task before.
async function fresh(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: 'light', ...options });
  context.setDefaultTimeout(patience);
  const page = await context.newPage();
  const hosts = new Set();
  page.on('console', (m) => ['error', 'warning'].includes(m.type()) && !page.expected?.test(m.text()) && faults.push(`${page.task}: console: ${m.text()}`));
  page.on('pageerror', (e) => faults.push(`${page.task}: error: ${e.message}`));
  page.on('request', (r) => hosts.add(new URL(r.url()).host));
  page.hosts = hosts;
  return page;
}

// accessible asks axe, and whether the page scrolls sideways.
async function accessible(page, name) {
  const found = await page.evaluate(async (text) => {
    // The policy of the app lets no inline code run; this is asked from outside the page.
    (0, eval)(text);
    const result = await globalThis.axe.run(document, { resultTypes: ['violations'] });
    return result.violations.filter((v) => v.impact === 'serious' || v.impact === 'critical').map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => `${n.target} ${n.failureSummary}`).join('; ')}`);
  }, axe);
  for (const f of found) faults.push(`${page.task}: ${name}: ${f}`);
  const sideways = await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
  if (sideways) faults.push(`${page.task}: ${name}: scrolls sideways`);
}

const tools = {
  base,
  pictures,
  figures,
  fresh,
  accessible,
  picture: (page, name) => page.screenshot({ path: join(pictures, `${name}.png`) }),
  fault: (page, text) => faults.push(`${page.task}: ${text}`),
};

for (const [name, task] of Object.entries(tasks)) {
  if (only && !name.includes(only)) continue;
  const page = await fresh(task.options);
  page.task = name;
  const began = Date.now();
  try {
    await task.run(page, tools);
    const others = [...page.hosts].filter((h) => h && h !== new URL(base).host);
    if (others.length) faults.push(`${name}: asks other hosts: ${others}`);
  } catch (e) {
    faults.push(`${name}: ${e.message.split('\n').slice(0, 4).join(' ')}`);
    await page.screenshot({ path: join(pictures, `failed-${name}.png`) }).catch(() => {});
  }
  console.error(`${name}: ${((Date.now() - began) / 1000).toFixed(1)} s`);
  await page.context().close();
}
await browser.close();
console.log(JSON.stringify({ faults, figures }));
