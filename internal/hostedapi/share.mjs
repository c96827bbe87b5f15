// Shares a plan from the app as somebody without an account, and opens what came of it. Prints as JSON what is wrong. Arguments: the
// browser, the address, a folder for pictures.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { looked } from './axe.mjs';

const { chromium } = createRequire(new URL('../../tools/browser/', import.meta.url))('playwright-core');
const [executablePath, base, pictures] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const faults = [];
const context = await browser.newContext({ viewport: { width: 1440, height: 1000 } });
context.setDefaultTimeout(120_000);
const picture = (page, name) => pictures && page.screenshot({ path: join(pictures, `${name}.png`) });
const check = (ok, text) => ok || faults.push(text);
try {
  const page = await context.newPage();
  page.on('pageerror', (e) => faults.push(`error: ${e.message}`));
  page.on('console', (m) => m.type() === 'error' && !/404/.test(m.text()) && faults.push(`console: ${m.text()}`));

  // The first page of the service is the app: mend the broken example, as it says.
  await page.goto(base);
  await page.click('.card.broken');
  await page.waitForSelector('.top .verdict.block');
  await page.click('.left .button.fix');
  await page.waitForSelector('.top .verdict.good');
  await page.click('text=What will it cost?');
  await page.getByRole('button', { name: 'Share the plan…' }).click();
  await page.getByRole('button', { name: 'Share the plan', exact: true }).click();
  await page.getByText('Shared at').waitFor();
  await picture(page, 'shared-from-the-app');
  const href = await page.locator('.notice.good a').first().getAttribute('href');
  const removal = await page.locator('.notice.good code').last().innerText();

  // What was shared is a page, a badge and a record.
  await page.goto(href);
  await page.getByRole('heading', { name: 'Photos in ten classes' }).waitFor();
  await looked(page, 'shared', faults, picture);
  const badge = await page.request.get(`${href}/badge.svg`);
  check(badge.headers()['content-type'] === 'image/svg+xml' && (await badge.text()).includes('runs'), `the badge is ${badge.status()}`);
  const said = await (await page.request.get(`${href}/badge.json`)).json();
  check(/^[0-9a-f]{8}/.test(said.fingerprint ?? ''), `the badge says ${JSON.stringify(said)}`);
  await page.goto(`${href}/badge.svg`);
  await picture(page, 'badge');

  // It is removed with the secret that was shown once, and the address then says so, as one that never was.
  const gone = await page.request.delete(`${base}/api/v1/plans/${href.split('/').pop()}`, { headers: { authorization: `Bearer ${removal}` } });
  check(gone.ok(), `removing answers ${gone.status()}`);
  for (const address of [href, `${base}/p/aaaaaaaaaaaaaaaaaaaaaaaaaa`]) {
    await page.goto(address);
    await page.getByRole('heading', { name: 'There is no plan at this address' }).waitFor();
  }
  await looked(page, 'no-plan', faults, picture);
  await page.click('text=Check a model of your own');
  await page.waitForSelector('.zone');

  // Without scripts the first page is text.
  const still = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
  await still.goto(base);
  await still.getByRole('heading', { name: 'Will it run, and what will it cost?' }).waitFor();
  check(!(await still.locator('.zone').count()), 'the app is there without scripts');
} catch (e) {
  faults.push(e.message);
}
await browser.close();
console.log(JSON.stringify(faults));
