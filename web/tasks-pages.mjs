// The tasks of the Plan, Compare, Serve and Runs pages, each from an empty browser.
const runs = (page) => page.waitForSelector('.top .verdict.good');
const open = async (page, base, route, model) => {
  await page.goto(`${base}#${route}`);
  await page.getByRole('button', { name: model, exact: true }).first().click();
  await runs(page);
};
const memory = (text) => {
  const [, n, unit] = /([\d.]+)\s*(B|KiB|MiB|GiB|TiB)/.exec(text) ?? [];
  return Number(n) * 1024 ** ['B', 'KiB', 'MiB', 'GiB', 'TiB'].indexOf(unit);
};

// firstFigure is what the first figure of a plan says, the memory on the card; changed waits until it says something else.
const firstFigure = (page) => page.locator('.figures dd .figure').first().evaluate((e) => e.firstChild?.textContent ?? '');
const onTheCard = async (page) => memory(await firstFigure(page));
const changed = (page, was) => page.waitForFunction((text) => {
  const e = document.querySelector('.figures dd .figure');
  return e && e.firstChild?.textContent !== text;
}, was, { polling: 20 });

// looks has axe look at a page in both schemes and at both widths, and takes pictures.
const looks = async (page, { accessible, picture }, name, height = 900) => {
  for (const [width, scheme] of [[1440, 'light'], [1440, 'dark'], [390, 'light'], [390, 'dark']]) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' }); // colours that are on their way have no contrast yet
    await page.setViewportSize({ width, height: width === 390 ? 844 : height });
    await page.waitForTimeout(300);
    await accessible(page, `${name}, ${scheme}, ${width} px`);
    await picture(page, `${name}-${width}-${scheme}`);
  }
};

export const tasks = {
  'plan: halve the memory of a fine-tune': {
    async run(page, tools) {
      await open(page, tools.base, '/plan', 'Llama 3.1 8B');
      await page.waitForSelector('.plot svg');
      const before = await onTheCard(page), was = await firstFigure(page);
      await page.getByRole('button', { name: 'Apply: everything in bf16' }).click();
      await page.waitForFunction(() => location.hash.includes('precision=bf16'));
      await changed(page, was);
      const after = await onTheCard(page);
      if (!(after <= before / 2 * 1.01)) tools.fault(page, `bf16 takes ${after} of ${before} bytes`);
      await page.getByLabel('Train', { exact: true }).selectOption({ label: 'LoRA adapters of rank 16' });
      await page.waitForFunction(() => document.querySelector('.figures')?.textContent?.includes('Trained weights'));
      await page.reload();
      await page.waitForTimeout(500);
    },
  },

  'plan: sliders answer while they move, by keyboard': {
    async run(page, tools) {
      await open(page, tools.base, '/plan', 'GPT-2 small');
      await page.waitForSelector('.plot svg');
      const slider = page.getByRole('slider', { name: 'Batch' });
      await slider.focus();
      const before = await onTheCard(page), was = await firstFigure(page);
      const began = Date.now();
      await page.keyboard.press('ArrowRight');
      await changed(page, was);
      tools.figures['plan: a step of the slider, ms'] = Date.now() - began;
      if ((await onTheCard(page)) <= before) tools.fault(page, 'a larger batch does not take more');
      await page.locator('.plot svg').first().focus();
      await page.keyboard.press('ArrowRight');
      await page.waitForSelector('.chart-tip');
      await looks(page, tools, 'plan', 2000);
    },
  },

  'compare: what changed, and which first': {
    async run(page, tools) {
      await page.goto(`${tools.base}#/compare`);
      await page.getByRole('button', { name: 'Compare GPT-2 with GPT-2 XL' }).click();
      await page.waitForSelector('.drawing svg .node.added');
      const text = await page.locator('.diff').innerText();
      for (const want of ['added', 'removed', 'changed', '768 → 1600']) if (!text.includes(want)) tools.fault(page, `the difference does not say ${want}`);
      await page.getByRole('button', { name: 'Cheapest first' }).click();
      await page.waitForFunction(() => document.querySelector('.part tbody tr b')?.textContent === 'GPT-2 small');
      await looks(page, tools, 'compare', 1100);
    },
  },

  'serve: a refused command is mended': {
    async run(page, tools) {
      await open(page, tools.base, '/serve', 'Llama 3.1 8B');
      await page.waitForSelector('.marked-command mark.block');
      const marked = await page.locator('.marked-command mark.block').first().innerText();
      if (marked !== '--tensor-parallel-size 3') tools.fault(page, `marked is ${marked}`);
      await looks(page, tools, 'serve', 1300);
      await page.getByRole('button', { name: 'Set --tensor-parallel-size to 4' }).first().click();
      const command = await page.getByLabel('Launch command').inputValue();
      if (command !== 'vllm serve MODEL --tensor-parallel-size 4 --max-model-len 32768') tools.fault(page, `the button makes ${command}`);
      await page.waitForSelector('.page .verdict.good');
      await page.waitForSelector('.plot .line');
    },
  },

  'split: every layout of eight cards': {
    async run(page, tools) {
      await open(page, tools.base, '/serve?part=split', 'Llama 3.1 8B');
      await page.waitForSelector('.grid .cell.good');
      await page.locator('.grid .cell').first().focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.waitForFunction(() => [...document.querySelectorAll('h2')].some((h) => h.textContent?.includes('tp 2 × pp 1 × dp 4')));
      await page.getByRole('button', { name: 'Memory', exact: true }).click();
      await looks(page, tools, 'split', 1100);
    },
  },

  'runs: without a service the page says so': {
    async run(page, tools) {
      page.expected = /404|Failed to load resource/;
      await page.goto(`${tools.base}#/runs`);
      await page.getByText('This app runs on your machine alone').waitFor();
      await looks(page, tools, 'runs-offline');
    },
  },
};
