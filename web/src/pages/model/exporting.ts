// Copy and download, in every form that the exporters write, and as pictures.
import { engine, files } from '../../engine/client';
import { link } from '../../state/sharing';
import { getState, notify } from '../../state/store';

export type Form = 'json' | 'notation' | 'torch' | 'svg' | 'mermaid';

export async function copy(text: string) {
  try {
    await navigator.clipboard.writeText(text);
    notify('good', 'Copied.');
  } catch {
    notify('warn', 'The browser did not let us copy; select the text and copy it yourself.');
  }
}

const stem = () => (getState().doc?.title ?? 'model').replaceAll(/[^\w.-]+/g, '-').replace(/^-+|-+$/g, '') || 'model';

export function save(name: string, blob: Blob) {
  const a = document.createElement('a');
  a.href = URL.createObjectURL(blob);
  a.download = name;
  a.click();
  window.setTimeout(() => URL.revokeObjectURL(a.href), 1000);
}

export async function written(form: Form): Promise<{ name: string; text: string }> {
  const model = getState().doc?.model;
  if (form === 'json') return { name: `${stem()}.json`, text: JSON.stringify(model, null, 1) + '\n' };
  if (form === 'notation') return { name: `${stem()}.graph`, text: (await engine.call<{ text: string }>('view/notation', { model })).text };
  const out = await files.call<{ name: string; text: string }>('files/export', { model, to: form });
  return { ...out, name: `${stem()}.${{ torch: 'py', svg: 'svg', mermaid: 'mmd' }[form]}` };
}

const failed = (e: unknown) => notify('block', e instanceof Error ? e.message : String(e));

export async function download(form: Form) {
  try {
    const { name, text } = await written(form);
    save(name, new Blob([text], { type: form === 'svg' ? 'image/svg+xml' : 'text/plain;charset=utf-8' }));
  } catch (e) {
    failed(e);
  }
}

export async function copyForm(form: Form) {
  try {
    await copy((await written(form)).text);
  } catch (e) {
    failed(e);
  }
}

export async function copyLink() {
  const { doc } = getState();
  if (!doc) return;
  await link(doc.model, doc.title).then(copy, failed);
}

// downloadPng draws the exporter's SVG at twice its size, at most 8,000 pixels a side.
export async function downloadPng() {
  try {
    const { text } = await written('svg');
    const image = new Image();
    image.src = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
    await image.decode();
    const scale = Math.min(2, 8000 / Math.max(image.width, image.height));
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [Math.round(image.width * scale), Math.round(image.height * scale)];
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    URL.revokeObjectURL(image.src);
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve));
    if (!blob) throw new Error('The browser could not draw a picture this large; download the SVG.');
    save(`${stem()}.png`, blob);
  } catch (e) {
    failed(e);
  }
}
