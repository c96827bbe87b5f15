// Finds the program that is the language server, and says in words why it cannot be: it is missing, it is one for
// another platform, it is something else, or it is too old. Knows nothing of VS Code.
import { execFile } from 'node:child_process';
import { accessSync, constants, openSync, readSync, closeSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, extname, isAbsolute, join } from 'node:path';

/** The oldest release whose `verifier lsp` answers what this extension asks. */
export const oldest = '0.1.0';

/** Why a program cannot be the server. */
export type Fault = 'missing' | 'other-platform' | 'other-program' | 'too-old';

/** A program that was asked for its version. */
export interface Program {
  path: string;
  version: string;
  fault?: Fault;
  /** What to tell the user of the fault. */
  words?: string;
}

/** The setting with `~` and `${workspaceFolder}` replaced. */
export function expand(setting: string, workspace: string | undefined): string {
  let path = setting.trim() || 'verifier';
  if (workspace !== undefined) path = path.replaceAll('${workspaceFolder}', workspace);
  if (path === '~' || path.startsWith('~/') || path.startsWith('~\\')) path = join(homedir(), path.slice(1));
  return path;
}

/** The file that a name is on the PATH, or undefined. A path with a folder in it stands for itself. */
export function find(name: string, env: NodeJS.ProcessEnv = process.env): string | undefined {
  const endings = process.platform === 'win32' && !extname(name) ? (env['PATHEXT'] ?? '.EXE;.CMD').split(';') : [''];
  const folders = isAbsolute(name) || /[\\/]/.test(name) ? [''] : (env['PATH'] ?? '').split(delimiter).filter(Boolean);
  for (const folder of folders) {
    for (const ending of endings) {
      const file = join(folder, name + ending);
      if (isFile(file)) return file;
    }
  }
  return undefined;
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Asks a program for its version. Whatever is wrong with it is in the result. */
export async function inspect(name: string, env: NodeJS.ProcessEnv = process.env): Promise<Program> {
  const path = find(name, env);
  if (path === undefined) {
    const where = /[\\/]/.test(name) ? `No file is at ${name}.` : `No program ${name} is on the PATH.`;
    return {
      path: name, version: '', fault: 'missing',
      words:
        `${where} Install it with "pip install model-verifier", or name it in the setting verifier.path.`,
    };
  }
  const foreign = otherPlatform(path);
  // A shell would be given what the system cannot start, so what certainly cannot run is not tried.
  const said = foreign?.certain ? { text: '', error: '' } : await output(path, ['version', '--json'], env);
  const version = versionIn(said.text);
  if (version === undefined && foreign !== undefined) {
    return { path, version: '', fault: 'other-platform', words: otherPlatformWords(path, foreign.name) };
  }
  if (version === undefined) {
    const why = said.error === '' ? 'it does not answer "version --json" as verifier does' : said.error;
    return {
      path, version: '', fault: 'other-program',
      words:
        `${path} cannot be started as verifier: ${why}. ` +
        `Name another program in the setting verifier.path.`,
    };
  }
  if (older(version, oldest)) {
    return {
      path, version, fault: 'too-old',
      words:
        `${path} is verifier ${version}; this extension needs ${oldest} or later. ` +
        `Upgrade it with "pip install --upgrade model-verifier".`,
    };
  }
  return { path, version };
}

const patience = 20_000; // milliseconds: a virus scanner may look at the program first

function output(path: string, args: string[], env: NodeJS.ProcessEnv): Promise<{ text: string; error: string }> {
  const script = process.platform === 'win32' && /\.(cmd|bat)$/i.test(path); // which only a shell starts
  return new Promise((resolve) => {
    try {
      execFile(script ? `"${path}"` : path, args, { env, timeout: patience, shell: script, windowsHide: true }, (error, stdout) => {
        resolve({ text: stdout, error: error === null ? '' : reason(error) });
      });
    } catch (error) {
      resolve({ text: '', error: error instanceof Error ? error.message : String(error) });
    }
  });
}

function reason(error: Error & { code?: unknown; killed?: boolean | undefined }): string {
  if (error.killed) return `it did not answer within ${patience / 1000} seconds`;
  switch (error.code) {
    case 'EACCES':
      return 'it may not be executed';
    case 'ENOEXEC':
      return 'the system does not know its format';
    case 'ENOENT':
      return 'the program that runs it is missing';
  }
  return typeof error.code === 'number' ? `it ended with ${error.code}` : error.message;
}

function versionIn(text: string): string | undefined {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && 'name' in body && body.name === 'verifier' && 'version' in body && typeof body.version === 'string') {
      return body.version;
    }
  } catch {
    // it is something else
  }
  return undefined;
}

/** Whether a release is older than another. A build between releases has a commit for a version, and is not older than anything. */
export function older(version: string, than: string): boolean {
  const a = numbers(version);
  const b = numbers(than);
  if (a === undefined || b === undefined) return false;
  for (let i = 0; i < 3; i++) {
    if (a[i] !== b[i]) return (a[i] ?? 0) < (b[i] ?? 0);
  }
  return false;
}

function numbers(version: string): number[] | undefined {
  const m = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version);
  return m?.slice(1).map(Number);
}

const systems: Record<string, string> = { linux: 'Linux', darwin: 'macOS', win32: 'Windows' };
const names: Record<string, string> = { x64: 'x86-64', arm64: 'ARM64', ia32: 'x86' };

function here(): string {
  return `${systems[process.platform] ?? process.platform} on ${names[process.arch] ?? process.arch}`;
}

function otherPlatformWords(path: string, platform: string): string {
  return `${path} is a program for ${platform}, and this is ${here()}. Install the one for this platform, or name another in the setting verifier.path.`;
}

/**
 * The platform of a program by its first bytes, where that is another one than this. It is certain not to run on another system, and on
 * another machine under Linux; macOS and Windows translate some machines' programs.
 */
function otherPlatform(path: string): { name: string; certain: boolean } | undefined {
  const of = platformOf(head(path));
  if (of === undefined) return undefined; // a script, or what the system may know
  const system = of.system === process.platform || (of.system === 'linux' && !(process.platform in systems)); // the BSDs have ELF, too
  if (system && (of.arch === process.arch || of.arch === 'any')) return undefined;
  const name = `${systems[of.system]}${of.arch === 'any' ? '' : ` on ${names[of.arch] ?? of.arch}`}`;
  return { name, certain: !system || process.platform === 'linux' };
}

function head(path: string): Buffer {
  const bytes = Buffer.alloc(4096);
  try {
    accessSync(path, constants.R_OK);
    const file = openSync(path, 'r');
    try {
      return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, 0));
    } finally {
      closeSync(file);
    }
  } catch {
    return bytes.subarray(0, 0); // starting it will say why
  }
}

// The numbers of machines are those of the formats: ELF's e_machine, PE's Machine, Mach-O's cputype.
const elf: Record<number, string> = { 3: 'ia32', 62: 'x64', 183: 'arm64' };
const pe: Record<number, string> = { 0x14c: 'ia32', 0x8664: 'x64', 0xaa64: 'arm64' };
const macho: Record<number, string> = { 0x01000007: 'x64', 0x0100000c: 'arm64' };

function platformOf(b: Buffer): { system: string; arch: string } | undefined {
  if (b.length < 64) return undefined;
  if (b.readUInt32BE(0) === 0x7f454c46) {
    const machine = b[5] === 2 ? b.readUInt16BE(18) : b.readUInt16LE(18);
    return { system: 'linux', arch: elf[machine] ?? `machine ${machine}` };
  }
  if (b.readUInt16LE(0) === 0x5a4d) {
    const at = b.readUInt32LE(60);
    const known = at + 6 <= b.length && b.readUInt32LE(at) === 0x4550;
    return { system: 'win32', arch: known ? (pe[b.readUInt16LE(at + 4)] ?? 'any') : 'any' };
  }
  if (b.readUInt32LE(0) === 0xfeedfacf) {
    return { system: 'darwin', arch: macho[b.readUInt32LE(4)] ?? 'any' };
  }
  if (b.readUInt32BE(0) === 0xcafebabe && b.readUInt32BE(4) < 20) {
    return { system: 'darwin', arch: 'any' }; // one file for several machines
  }
  return undefined;
}
