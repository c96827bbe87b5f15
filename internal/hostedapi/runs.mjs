// Looks at runs in a real browser as who has signed in, and prints as JSON what is wrong. Arguments: the browser, the address, the
// session, the id of a shared plan, a folder for pictures.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { looked } from './axe.mjs';

const { chromium } = createRequire(new URL('../../tools/browser/', import.meta.url))('playwright-core');
const [executablePath, base, session, shared, pictures] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const faults = [];
const context = await browser.newContext({ viewport: { width: 1440, height: 1000 } });
context.setDefaultTimeout(90_000);
const picture = (page, name) => pictures && page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
const check = (ok, text) => ok || faults.push(text);
try {
  const page = await context.newPage();
  page.on('pageerror', (e) => faults.push(`error: ${e.message}`));
  await page.goto(`${base}/app/#/runs`);
  await page.getByText('Sign in to see what your organisation trains').waitFor();
  await picture(page, 'runs-signed-out');
  await context.addCookies([{ name: 'session', value: session, url: base }]);
  await page.reload();
  await page.getByRole('heading', { name: 'Runs of Alpha' }).waitFor();
  const rows = page.locator('tbody tr');
  await rows.nth(1).waitFor();
  check((await rows.count()) === 2, `${await rows.count()} runs`);
  await page.getByText('completed').first().click();
  await page.waitForSelector('.plot .line', { state: 'attached' });
  const link = page.getByRole('link', { name: /Download the weights/ });
  await link.waitFor();
  const reply = await page.request.get(await link.getAttribute('href'));
  check(reply.status() === 200, `weights: ${reply.status()}`);
  await page.getByText('History of this structure').waitFor();
  await page.getByRole('region', { name: 'Outcomes of this structure' }).waitFor();
  await picture(page, 'runs-one');
  await page.getByRole('checkbox').first().click();
  await page.getByRole('heading', { name: 'Curves, compared' }).waitFor();
  await picture(page, 'runs-compared');
  await page.getByRole('checkbox').last().click();
  await page.getByRole('button', { name: 'Cancel…' }).click();
  await page.getByRole('button', { name: 'Cancel the run' }).click();
  await page.locator('tbody').first().getByText('cancelled').waitFor();
  await looked(page, 'runs', faults, picture);

  // A shared plan needs no script.
  const still = await (await browser.newContext({ viewport: { width: 1440, height: 1000 }, javaScriptEnabled: false })).newPage();
  await still.goto(`${base}/p/${shared}`);
  await still.getByRole('heading', { name: 'Cite it' }).waitFor();
  const badge = await still.locator('img[src$="badge.svg"]').boundingBox();
  check(badge && badge.height === 20 && badge.width > 200, `the badge is ${JSON.stringify(badge)}`);
  await picture(still, 'shared-1440');
  await still.emulateMedia({ colorScheme: 'dark' });
  await still.setViewportSize({ width: 390, height: 844 });
  const width = await still.locator('img[src$="badge.svg"]').boundingBox();
  check(width && width.x + width.width <= 390, `the badge ends at ${JSON.stringify(width)} of 390 px`);
  await picture(still, 'shared-390-dark');
  await still.goto(`${base}/rules.html`);
  await picture(still, 'rules-390-dark');
  await still.setViewportSize({ width: 1440, height: 1000 });
  await still.goto(`${base}/account/sign-in`);
  await picture(still, 'sign-in-1440-dark');
} catch (e) {
  faults.push(e.message);
}
await browser.close();
console.log(JSON.stringify(faults));
