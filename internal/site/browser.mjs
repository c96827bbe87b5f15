// Opens pages in a real browser and prints, as JSON, what is wrong with them. Arguments: the browser, an address, then paths.
import { createRequire } from 'node:module';
import { look } from '../../tools/browser/look.mjs';

const { chromium } = createRequire(new URL('../../tools/browser/', import.meta.url))('playwright-core');
const [executablePath, base, ...paths] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const context = await browser.newContext({ viewport: { width: 360, height: 800 } });
context.setDefaultTimeout(120_000); // a machine that tests many things at once is slow
const page = await context.newPage();
const faults = [];
let path = '';
const fault = (text) => faults.push(`${path}: ${text}`);
page.on('console', (m) => fault(`console: ${m.type()}: ${m.text()}`));
page.on('pageerror', (e) => fault(`error: ${e.message}`));
// The icon is fetched after a page has loaded: going to the next one may cut it off, which is no fault. That it answers is held below.
const icon = base + '/favicon.svg';
page.on('requestfailed', (r) => (r.url() === icon && r.failure().errorText === 'net::ERR_ABORTED') || fault(`not loaded: ${r.url()}: ${r.failure().errorText}`));
page.on('response', (r) => r.status() < 400 || fault(`${r.url()} answers ${r.status()}`));

// structure compares what the browser made of the page with the text, read as XML: a difference is markup that it had to repair.
async function structure() {
  const text = await (await context.request.get(base + path)).text();
  const [parsed, written] = await page.evaluate((text) => {
    const names = (d) => [...d.querySelectorAll('*')].map((e) => e.localName).join(' ');
    return [names(document), names(new DOMParser().parseFromString(text, 'application/xml'))];
  }, text);
  if (parsed !== written) fault('the browser repaired the markup');
}

// keyboard holds that the first key leads to the link that skips the navigation, that it is seen, and that it leads to the content.
async function keyboard() {
  await page.keyboard.press('Tab');
  const first = await page.evaluate(() => { const e = document.activeElement; const r = e.getBoundingClientRect(); return [e.className, r.left >= 0 && r.top >= 0]; });
  if (first[0] !== 'skip' || !first[1]) fault(`the first key leads to ${first}`);
  await page.keyboard.press('Enter');
  // The browser answers the key before it has followed the link.
  await page.waitForURL('**/#main').catch(() => fault('the link does not skip'));
}

// picture holds that a picture can be opened by itself, and that the policy lets its style be.
async function picture() {
  const source = await page.evaluate(() => document.querySelector('img').getAttribute('src'));
  await page.goto(base + source);
  const fill = await page.evaluate(() => getComputedStyle(document.querySelector('.bg')).fill);
  if (fill !== 'rgb(13, 17, 23)') fault(`${source} has ${fill} behind it, and is dark`);
}

path = icon;
const answer = await context.request.get(icon);
if (!answer.ok() || !answer.headers()['content-type'].startsWith('image/svg+xml')) fault(`answers ${answer.status()}`);
for (path of paths) {
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto(base + path);
  await page.evaluate(() => Promise.all([...document.images].map((i) => { i.loading = 'eager'; return i.decode().catch(() => {}); })));
  for (const f of await page.evaluate(look)) fault(f);
  await page.emulateMedia({ colorScheme: 'dark' });
  for (const f of await page.evaluate(look)) fault(`dark: ${f}`);
  if (!(await page.$('nav'))) fault('no nav');
  await structure();
  if (path === '/') await keyboard();
  if (path.startsWith('/a/')) await picture();
}
await browser.close();
console.log(JSON.stringify(faults));
