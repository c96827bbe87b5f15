// Links that carry the model behind the #, which no browser sends: compressed, then base64 with the letters of addresses.
import type { Model } from '../engine/types';

const most = 60_000; // letters; some programs cut longer addresses

async function through(bytes: Uint8Array<ArrayBuffer>, by: GenericTransformStream): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(by as ReadableWritablePair<Uint8Array, BufferSource>);
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export async function pack(value: unknown): Promise<string> {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(value)) as Uint8Array<ArrayBuffer>, new CompressionStream('deflate-raw'));
  let text = '';
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

export async function unpack(text: string): Promise<unknown> {
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream('deflate-raw'))));
  } catch {
    throw new Error('The link is cut off or was changed: ask for it again, as a file if it is long.');
  }
}

// link is the address of this app with a model in it.
export async function link(model: Model, title: string): Promise<string> {
  const packed = await pack({ title, model });
  if (packed.length > most) throw new Error(`This model makes a link of ${packed.length} letters, which many programs cut off: download it as a file and send that.`);
  return `${window.location.href.split('#')[0]}#/model?g=${packed}`;
}

export interface Shared {
  id: string;
  url: string;
  removal?: string; // the secret that removes it, where nobody is signed in
}

// sharePlan keeps a plan at the service under an address that nobody can guess. The model leaves the browser here, and only here.
export async function sharePlan(request: Record<string, unknown>): Promise<Shared> {
  const answer = await fetch('/api/v1/plan', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ ...request, share: true }) }).catch(() => null);
  if (!answer) throw new Error('The service cannot be reached. Copy a link with the model in it instead: that needs no service.');
  const body = (await answer.json().catch(() => null)) as { share?: Shared; error?: string } | null;
  if (answer.ok && body?.share) return body.share;
  if (answer.status === 404 || answer.status === 405 || answer.ok) throw new Error('This app runs without the service that keeps plans. Copy a link with the model in it instead.');
  throw new Error(`The service did not keep the plan: ${body?.error ?? `it answers ${answer.status}`}`);
}

export async function unshare(shared: Shared) {
  const headers: Record<string, string> = shared.removal ? { authorization: `Bearer ${shared.removal}` } : {};
  const answer = await fetch(`/api/v1/plans/${shared.id}`, { method: 'DELETE', headers });
  if (!answer.ok) throw new Error(`The plan could not be removed: the service answers ${answer.status}.`);
}
