// axe asks axe-core about a page, light and dark, at 390 and 1440 px, and whether it scrolls sideways.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';

const axe = readFileSync(createRequire(new URL('../../web/', import.meta.url)).resolve('axe-core/axe.min.js'), 'utf8');

export async function looked(page, name, faults, picture = () => {}) {
  for (const [width, colorScheme] of [[1440, 'light'], [1440, 'dark'], [390, 'light'], [390, 'dark']]) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: width === 390 ? 844 : 1000 });
    await page.waitForTimeout(300);
    const found = await page.evaluate(async (text) => {
      (0, eval)(text); // asked from outside the page, whose policy lets no inline code run
      const { violations } = await globalThis.axe.run(document, { resultTypes: ['violations'] });
      const bad = violations.filter((v) => v.impact === 'serious' || v.impact === 'critical');
      const said = bad.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => `${n.target} ${n.failureSummary}`).join('; ')}`);
      return document.documentElement.scrollWidth > document.documentElement.clientWidth ? [...said, 'scrolls sideways'] : said;
    }, axe);
    for (const f of found) faults.push(`${name}, ${width} px, ${colorScheme}: ${f}`);
    await picture(page, `${name}-${width}-${colorScheme}`);
  }
}
