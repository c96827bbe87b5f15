// The tasks of the Start and Model pages, each from an empty browser. A page's own file adds its tasks in the same way.
import { readFileSync } from 'node:fs';
import { large } from './testmodels.mjs';

const verdict = (page) => page.locator('.top .verdict');
const runs = (page) => page.waitForSelector('.top .verdict.good');
const doesNotRun = (page) => page.waitForSelector('.top .verdict.block');

async function openExample(page, base) {
  await page.goto(base);
  await page.click('.card.broken');
  await doesNotRun(page);
  await page.waitForSelector('.gbox');
}

async function paste(page, base, text) {
  await page.goto(base);
  await page.fill('textarea', text);
  await page.click('text=Check the text');
}

export const tasks = {
  'mend the broken example': {
    async run(page, { base, picture }) {
      await openExample(page, base);
      await picture(page, 'model-broken');
      await page.click('.left .button.fix');
      await runs(page);
      await page.keyboard.press('Control+z');
      await doesNotRun(page);
      await page.keyboard.press('Control+Shift+z');
      await runs(page);
    },
  },

  'mend it by keyboard alone': {
    async run(page, { base, fault }) {
      await page.goto(base);
      await page.waitForSelector('.card.broken');
      await page.waitForSelector('.card:nth-child(5)');
      await page.keyboard.press('Tab');
      if (!(await page.evaluate(() => document.activeElement?.className === 'skip'))) fault(page, 'the first key does not lead to the link that skips');
      await page.keyboard.press('Control+k');
      await page.keyboard.type('broken');
      await page.keyboard.press('Enter');
      await doesNotRun(page);
      await page.waitForSelector('.gbox');
      for (let i = 0; i < 60; i++) {
        await page.keyboard.press('Tab');
        if (await page.evaluate(() => document.activeElement?.classList.contains('fix'))) break;
      }
      await page.keyboard.press('Enter');
      await runs(page);
      // add a layer behind the selected one, and name it
      await page.keyboard.press('a');
      await page.waitForFunction(() => document.activeElement?.classList.contains('add-search'));
      await page.keyboard.type('dropout');
      await page.keyboard.press('Enter');
      await page.waitForSelector('[data-component=dropout1]');
      await runs(page);
      await page.locator('.canvas').focus();
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('c');
      await page.waitForSelector('dialog[open] .choices li, dialog[open] .reasons li');
      await page.keyboard.press('Escape');
      await page.locator('.canvas').focus();
      await page.keyboard.press('Delete');
    },
  },

  'edit a model': {
    async run(page, { base, fault, picture }) {
      await openExample(page, base);
      await page.click('[data-component=hidden]');
      await page.fill('.inspector input[inputmode=numeric] >> nth=0', '4096');
      await runs(page);
      await page.click('.tabs >> text=Add');
      await page.fill('.add-search', 'layernorm');
      await page.click('.add-type:has-text("layerNorm")');
      await page.waitForSelector('[data-component=layerNorm1]');
      await page.keyboard.press('Escape');
      await page.click('[data-component=relu3]');
      await page.locator('.canvas').focus();
      await page.keyboard.press('Control+d');
      await page.waitForSelector('[data-component=relu1], [data-component=relu4]');
      await picture(page, 'model-edited');
      // drag from one component to another: only legal targets are lit
      await page.hover('[data-component=conv1]');
      const from = await page.locator('[data-component=conv1] .gdot').boundingBox();
      const to = await page.locator('[data-component=classes]').boundingBox();
      await page.mouse.move(from.x + 6, from.y + 6);
      await page.mouse.down();
      await page.mouse.move(to.x + 20, to.y + 10, { steps: 5 });
      await page.waitForSelector('.grow-row.legal, .grow-row.illegal');
      await picture(page, 'model-connecting');
      await page.mouse.up();
      for (let i = 0; i < 6; i++) await page.keyboard.press('Control+z');
      await page.waitForSelector('[data-component=layerNorm1]', { state: 'detached' });
      await doesNotRun(page);
    },
  },

  'search and table': {
    async run(page, { base, fault, picture }) {
      await page.goto(base);
      await page.click('.card:has-text("Llama 3.1 8B")');
      await runs(page);
      await page.waitForSelector('.gbox');
      await picture(page, 'model-llama');
      await page.fill('.model-search', 'type:swiglu weights > 100M');
      await page.waitForSelector('text=32 found');
      await page.keyboard.press('Escape');
      await page.click('.toolbar >> text=Table');
      await page.waitForSelector('.table tbody tr >> nth=20');
      await page.click('.table tbody tr >> nth=20');
      await page.fill('.model-search', '');
      await page.click('.toolbar >> text=Drawing');
      await page.waitForSelector('.grow-row.selected');
      await picture(page, 'model-unfolded');
      if ((await page.locator('.grow-row.selected').count()) !== 1) fault(page, 'the selection of the table is not that of the drawing');
    },
  },

  'source, link and draft': {
    async run(page, { base, fault, picture }) {
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await openExample(page, base);
      await page.click('.tabs >> text=Source');
      await page.click('.source >> text=JSON');
      const text = await page.inputValue('.code');
      await page.fill('.code', text.replace('3136', '4096'));
      await runs(page);
      await picture(page, 'model-source');
      await page.click('.menu-anchor > button');
      await page.click('text=Copy a link');
      await page.waitForSelector('text=Copied.');
      const link = await page.evaluate(() => navigator.clipboard.readText());
      await page.reload();
      await runs(page);
      const other = await page.context().newPage();
      await other.goto('about:blank');
      await other.goto(link);
      await other.waitForSelector('.top .verdict.good');
      if (other.url().includes('g=')) fault(page, 'the model stays in the address');
      await other.close();
    },
  },

  'open a config, a source and a command': {
    async run(page, { base, picture }) {
      await paste(page, base, JSON.stringify({ model_type: 'gpt2', architectures: ['GPT2LMHeadModel'], n_layer: 2, n_head: 2, n_embd: 64, vocab_size: 1000, n_positions: 128 }));
      await runs(page);
      await page.click('.tabs >> text=Source');
      await page.click('.source >> text=PyTorch');
      await page.waitForFunction(() => document.querySelector('.code')?.value.includes('nn.Module'));
      await paste(page, base, 'import torch.nn as nn\n\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.fc = nn.Linear(784, 10)\n\n    def forward(self, x):\n        return self.fc(x)\n');
      await page.waitForSelector('.missing, .top .open:has-text("Net")');
      if (await page.locator('.missing').count()) {
        await picture(page, 'start-question');
        await page.fill('.missing input', '1,784');
        await page.click('.missing >> text=Go on');
      }
      await page.waitForSelector('[data-component]');
      await runs(page);
      await paste(page, base, 'vllm serve meta-llama/Llama-3.1-8B --tensor-parallel-size 3');
      await page.waitForURL(/#\/serve/);
    },
  },

  'bad input': {
    async run(page, { base, fault }) {
      page.expected = /./;
      const says = async (what, words) => {
        const text = await page.locator('.zone .notice.block').textContent();
        if (!words.test(text)) fault(page, `${what}: ${text}`);
      };
      const drop = async (name, make, size) => {
        await page.goto(base);
        await page.reload();
        await page.waitForSelector('.zone');
        await page.evaluate(([name, make, size]) => {
          const contents = make === 'zeros' ? new Uint8Array(size) : JSON.stringify({
            components: Array.from({ length: size }, (_, i) => ({ id: `c${i}`, type: i ? 'relu' : 'input', params: i ? {} : { shape: [8] } })),
            connections: Array.from({ length: size - 1 }, (_, i) => ({ from: `c${i}`, to: `c${i + 1}` })),
          });
          const data = new DataTransfer();
          data.items.add(new File([contents], name));
          document.querySelector('.zone').dispatchEvent(new DragEvent('drop', { bubbles: true, dataTransfer: data }));
        }, [name, make, size]);
        await page.waitForSelector('.zone .notice.block');
      };
      await drop('graph.json', 'graph', 100_000);
      await says('100,000 components', /2,?000/);
      await drop('broken.onnx', 'zeros', 1 << 20);
      await says('a broken ONNX', /broken\.onnx/);
      await drop('weights.bin', 'zeros', 100 << 20);
      await says('100 MB', /100 MB/);
      await paste(page, base, 'import os\nclass NotAModel:\n    import torch\n');
      await page.waitForSelector('.zone .notice.block, .missing');
      await paste(page, base, '{"components": [');
      await page.waitForSelector('.zone .notice.block');
      await page.goto(`${base}#/model?g=nonsense`);
      await page.waitForSelector('text=The link is cut off');
      await openExample(page, base);
      await page.click('.left .button.fix');
      await runs(page);
    },
  },

  'an engine that traps': {
    async run(page, { base, fault, picture }) {
      page.expected = /./;
      await openExample(page, base);
      await page.click('[data-component=hidden]');
      await page.fill('.inspector input[inputmode=numeric] >> nth=1', '64');
      await page.locator('[data-component=hidden]', { hasText: '→64' }).waitFor();
      // The memory of the module is overwritten from outside, in the Worker that has it, just before the next call runs.
      const trapped = page.waitForEvent('worker');
      for (const worker of page.workers()) {
        await worker.evaluate(() => {
          const real = globalThis.Go.prototype._resume;
          globalThis.Go.prototype._resume = function () {
            new Uint8Array(this._inst.exports.mem.buffer).fill(0xff, 4096);
            return real.call(this);
          };
        });
      }
      await page.fill('.inspector input[inputmode=numeric] >> nth=0', '4096');
      await trapped; // another Worker takes the place of the one that trapped
      await page.getByText('The engine stopped while it worked on this').first().waitFor();
      await picture(page, 'model-trapped');
      await page.locator('[data-component=hidden]', { hasText: '4096→64' }).waitFor(); // what was asked is asked again, and drawn
      if ((await page.inputValue('.inspector input[inputmode=numeric] >> nth=1')) !== '64') fault(page, 'an edit is lost');
      if ((await page.inputValue('.inspector input[inputmode=numeric] >> nth=0')) !== '4096') fault(page, 'the edit that trapped is lost');
      await page.fill('.inspector input[inputmode=numeric] >> nth=1', '128');
      await runs(page);
      await page.reload(); // before the edit is saved
      await runs(page);
      await page.locator('[data-component=hidden]', { hasText: '4096→128' }).waitFor();
    },
  },

  'pictures and groups': {
    async run(page, { base, fault, picture, pictures }) {
      await openExample(page, base);
      const saved = async (item) => {
        await page.click('.menu-anchor > button');
        const [download] = await Promise.all([page.waitForEvent('download'), page.click(`.menu >> text=${item}`)]);
        const path = `${pictures}/saved-${download.suggestedFilename()}`;
        await download.saveAs(path);
        return readFileSync(path);
      };
      const svg = (await saved('Download SVG')).toString();
      if (!svg.startsWith('<svg') || !svg.includes('conv1')) fault(page, `the SVG begins with ${svg.slice(0, 60)}`);
      const png = await saved('Download PNG');
      if (png.toString('latin1', 1, 4) !== 'PNG' || png.readUInt32BE(16) < 200) fault(page, 'the PNG is no picture');
      await page.click('[data-component=conv1]');
      await page.click('[data-component=relu1]', { modifiers: ['Shift'] });
      await page.locator('.canvas').focus();
      await page.keyboard.press('Control+g');
      await page.keyboard.type('stem');
      await page.keyboard.press('Enter');
      await page.waitForSelector('.ggroup:has-text("stem"), .gbox:has-text("stem")');
      await picture(page, 'model-grouped');
      await page.locator('.canvas').focus();
      await page.keyboard.press('Control+g');
      await page.keyboard.press('Delete');
      await page.keyboard.press('Enter');
      await page.waitForFunction(() => ![...document.querySelectorAll('.gtitle')].some((e) => e.textContent.includes('stem')));
    },
  },

  'start page': {
    async run(page, { base, accessible, picture }) {
      for (const [width, scheme] of [[1440, 'light'], [1440, 'dark'], [390, 'light'], [390, 'dark']]) {
        await page.setViewportSize({ width, height: width === 390 ? 844 : 900 });
        await page.emulateMedia({ colorScheme: scheme });
        await page.goto(base);
        await page.waitForSelector('.card:nth-child(6)');
        await accessible(page, `${width} ${scheme}`);
        await picture(page, `start-${width}-${scheme}`);
      }
    },
  },

  'model page': {
    async run(page, { base, accessible, picture }) {
      await openExample(page, base);
      for (const [width, scheme] of [[1440, 'light'], [1440, 'dark'], [390, 'light'], [390, 'dark']]) {
        await page.setViewportSize({ width, height: width === 390 ? 844 : 900 });
        await page.emulateMedia({ colorScheme: scheme });
        await page.waitForTimeout(200);
        if (width === 390) await page.click('.sheets >> text=Details');
        else await page.click('[data-component=hidden]');
        await accessible(page, `${width} ${scheme}`);
        await picture(page, `model-${width}-${scheme}`);
        if (width === 390) await page.click('.sheets >> text=Details');
      }
    },
  },

  measured: {
    async run(page, { base, figures }) {
      // a 1-B decoder dropped as a graph, and as a config.json: from the drop to the first box on the screen. A person looks at the page
      // for some seconds before, and drags for one.
      for (const [name, file, text] of [['graph', 'model.json', JSON.stringify(large(32))], ['config.json', 'config.json', JSON.stringify(config)]]) {
        await page.goto(base);
        await page.reload();
        await page.waitForSelector('.card:nth-child(6)');
        await page.waitForTimeout(Number(process.env.APP_LOOKS_MS ?? 3000));
        await page.evaluate(() => window.dispatchEvent(new DragEvent('dragenter')));
        await page.waitForTimeout(1500);
        figures[`first box after a drop of 197 components, ${name}`] = await page.evaluate(async ([file, text]) => {
          const data = new DataTransfer();
          data.items.add(new File([text], file));
          const began = performance.now();
          document.querySelector('.zone').dispatchEvent(new DragEvent('drop', { bubbles: true, dataTransfer: data }));
          while (!document.querySelector('.gbox')) await new Promise(requestAnimationFrame);
          await new Promise(requestAnimationFrame);
          return Math.round(performance.now() - began);
        }, [file, text]);
        await page.waitForFunction(() => /Runs|Does not run/.test(document.querySelector('.top .verdict')?.textContent ?? ''));
      }
      for (const [name, layers] of [['497', 82], ['1,997', 332]]) {
        await paste(page, base, JSON.stringify(large(layers)));
        await page.waitForSelector('.gbox');
        await page.waitForFunction((n) => document.querySelector('.top .open')?.textContent?.includes(n), `Decoder ${layers}`);
        await page.click('.grow-row >> nth=2');
        await page.waitForSelector('.inspector input[inputmode=numeric]');
        figures[`verdict of an edit of ${name} components`] = await median(page, 7, async () => page.evaluate(async () => {
          const input = document.querySelector('.inspector input[inputmode=numeric]');
          const before = document.querySelector('.top .verdict').dataset.at;
          const began = performance.now();
          Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, String(Number(input.value) + 1));
          input.dispatchEvent(new Event('input', { bubbles: true }));
          while (document.querySelector('.top .verdict').dataset.at === before) await new Promise((r) => setTimeout(r, 1));
          return performance.now() - began;
        }));
      }
      figures['p95 frame while the folded 1,997 are panned'] = await pan(page);
    },
  },
};

// config is that of a decoder of 32 layers, which makes 197 components.
const config = {
  model_type: 'llama', architectures: ['LlamaForCausalLM'], hidden_size: 2048, intermediate_size: 5632, num_hidden_layers: 32, num_attention_heads: 32,
  num_key_value_heads: 4, vocab_size: 32000, max_position_embeddings: 2048, hidden_act: 'silu', rms_norm_eps: 1e-5,
};

async function median(page, n, once) {
  const all = [];
  for (let i = 0; i < n; i++) {
    all.push(await once());
    await page.waitForTimeout(150);
  }
  return Math.round(all.sort((a, b) => a - b)[Math.floor(n / 2)]);
}

// pan drags the drawing for two seconds and returns the 95th percentile of the time between frames.
async function pan(page) {
  const area = await page.locator('.canvas').boundingBox();
  await page.evaluate(() => {
    globalThis.frames_ = [];
    let last = performance.now();
    const tick = (now) => {
      globalThis.frames_.push(now - last);
      last = now;
      if (globalThis.frames_.length < 2000) requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
  await page.mouse.move(area.x + 30, area.y + 40);
  await page.mouse.down();
  for (let i = 0; i < 120; i++) await page.mouse.move(area.x + 30 + 100 * Math.sin(i / 9), area.y + 40 + 4 * i);
  await page.mouse.up();
  return page.evaluate(() => Math.round(globalThis.frames_.slice(2).sort((a, b) => a - b)[Math.floor(globalThis.frames_.length * 0.95)]));
}
