// look is run in the page. It returns what someone with a keyboard, a reader or little contrast would stumble over. The page
// gets its text alone, so it uses nothing from outside.
export function look() {
  const out = [];
  const say = (e, text) => out.push(`${text}: ${e.outerHTML.slice(0, 90)}`);
  const all = (s) => [...document.querySelectorAll(s)];
  const name = (e) => e.getAttribute('aria-label') || e.textContent.trim() || e.querySelector('img')?.alt;
  for (const e of all('a[href], button, summary')) if (!name(e)) say(e, 'no name');
  for (const e of all('input:not([type=hidden], [hidden]), select, textarea')) if (!e.labels.length) say(e, 'a field without a label');
  for (const e of all('img')) if (!e.alt || e.naturalWidth === 0) say(e, 'a picture without text, or that did not load');
  for (const e of all('[aria-describedby]')) for (const id of e.getAttribute('aria-describedby').split(' ')) if (!document.getElementById(id)) say(e, `is described by ${id}, which is not there`);
  const ids = all('[id]').map((e) => e.id);
  for (const id of new Set(ids)) if (ids.filter((x) => x === id).length > 1 || /\s/.test(id)) out.push(`the id ${id}`);
  for (const tag of ['header', 'main', 'footer', 'h1']) if (all(tag).length !== 1) out.push(`${all(tag).length} of ${tag}`);
  for (const e of all('body *')) {
    if (/auto|scroll/.test(getComputedStyle(e).overflowX) && e.scrollWidth > e.clientWidth && e.tabIndex < 0) say(e, 'scrolls, but not from the keyboard');
  }
  if (document.documentElement.scrollWidth > innerWidth) out.push(`the page is ${document.documentElement.scrollWidth} pixels wide on a screen of ${innerWidth}`);

  const rgba = (s) => { const n = s.match(/[\d.]+/g).map(Number); return [n[0], n[1], n[2], n[3] ?? 1]; };
  const light = (c) => c.slice(0, 3).map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (e) => { for (; e; e = e.parentElement) { const c = rgba(getComputedStyle(e).backgroundColor); if (c[3] === 1) return c; } return [255, 255, 255, 1]; };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim()) continue;
    const [a, b] = [light(rgba(getComputedStyle(e).color)), light(behind(e))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) say(e, `contrast ${ratio.toFixed(2)}`);
  }
  return [...new Set(out)];
}
