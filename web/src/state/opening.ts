// Opens whatever a person drops, pastes or picks: a graph at once, everything else through the second module.
import { navigate } from '../app/router';
import { CallError, engine, files } from '../engine/client';
import type { Model, ModelEntry, Opened, Question } from '../engine/types';
import { notify, open } from './store';
import { draw } from './drawing';

const megabyte = 1 << 20;
const most = 64 * megabyte; // of a file that has to be read whole
const header = 24 * megabyte; // of a file whose beginning says everything

export interface Given {
  name: string;
  text?: string;
  base64?: string;
  size?: number; // of the whole file, where only its beginning is sent
  class?: string;
  input?: string;
  args?: Record<string, string>; // of the class, as Python literals
}

// Asked is a file that is understood but for one thing.
export interface Asked {
  given: Given;
  question: Question;
}

// prepareFiles loads the second module once somebody reaches for a file or the text field, and has it read a small configuration, so
// that the browser has compiled what the first file needs.
let prepared = false;
export function prepareFiles() {
  if (prepared) return;
  prepared = true;
  const text = JSON.stringify({ model_type: 'llama', hidden_size: 64, num_hidden_layers: 2, num_attention_heads: 2, intermediate_size: 128, vocab_size: 256 });
  files.call('files/open', { name: 'config.json', text }).catch(() => (prepared = false)); // a module that does not start says so where it is used
}

export async function openFile(file: File): Promise<Asked | null> {
  const ends = file.name.toLowerCase();
  if (ends.endsWith('.safetensors')) return openGiven({ name: file.name, size: file.size, base64: await base64(file.slice(0, await safetensorsHeader(file))) });
  if (ends.endsWith('.gguf')) return openGiven({ name: file.name, size: file.size, base64: await base64(file.slice(0, header)) });
  if (file.size > most) {
    throw new Error(`${file.name} has ${Math.round(file.size / megabyte)} MB, and the browser reads at most ${most / megabyte}. ` +
      (ends.endsWith('.onnx') ? 'Save the model with its weights as external data, or run: verifier import ' + file.name : 'Drop the config.json, the .py file or the graph instead.'));
  }
  if (ends.endsWith('.onnx')) return openGiven({ name: file.name, base64: await base64(file) });
  return openGiven({ name: file.name, text: await file.text() });
}

// safetensorsHeader is the length of a file's beginning that names its tensors: eight bytes of length, then JSON.
async function safetensorsHeader(file: File): Promise<number> {
  const view = new DataView(await file.slice(0, 8).arrayBuffer());
  if (view.byteLength < 8) throw new Error(`${file.name} is too short to be safetensors`);
  const length = Number(view.getBigUint64(0, true));
  if (length > header) throw new Error(`${file.name} says that its header has ${length} bytes: it is no safetensors file, or it is broken`);
  return 8 + length;
}

async function base64(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let text = '';
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text);
}

export async function openGiven(given: Given): Promise<Asked | null> {
  const graph = given.text === undefined ? null : asGraph(given.text);
  if (graph) {
    await openModel(graph, graph.name ?? stem(given.name), given.name, []);
    return null;
  }
  const opened = await files.call<Opened>('files/open', given).catch((error: unknown) => {
    throw error instanceof CallError ? new Error(`${given.name}: ${error.message}`) : error;
  });
  if (opened.question) return { given, question: opened.question };
  if (opened.kind === 'command' && opened.command) navigate('/serve', { command: opened.command });
  else if (opened.model) await openModel(opened.model, opened.model.name ?? stem(given.name), given.name, opened.notes);
  else throw new Error(`${given.name}: nothing in it is a model. ${opened.notes.join(' ')}`);
  return null;
}

export async function openModel(model: Model, title: string, origin: string, notes: string[]) {
  await draw(model, [], true); // a model that the engine does not take is never opened
  open({ model, title, origin, notes });
  navigate('/model');
  if (notes.length > 0) notify('info', notes.length === 1 ? (notes[0] ?? '') : `${notes[0]} (and ${notes.length - 1} more notes, in the model's menu)`);
}

export async function openBundled(entry: Pick<ModelEntry, 'id' | 'name'>) {
  const { model } = await engine.call<{ model: Model }>('view/model', { id: entry.id });
  await openModel(model, entry.name, 'the bundled models', []);
}

export async function openExample() {
  const { model } = await engine.call<{ model: Model }>('view/example', {});
  await openModel(model, model.name ?? 'Broken example', 'the examples', []);
}

// asGraph is the graph that a text is: bare, or as the model of a request.
export function asGraph(text: string): Model | null {
  if (!/^\s*\{/.test(text)) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const within = (v: unknown): Model | null => (typeof v === 'object' && v !== null && 'components' in v && Array.isArray(v.components) ? (v as Model) : null);
  return within(value) ?? (typeof value === 'object' && value !== null && 'model' in value ? within(value.model) : null);
}

const stem = (name: string) => (/^(config\.json|pasted\.|command\.)/.test(name) ? 'Model' : name.replace(/\.[^.]+$/, '') || 'Model');
