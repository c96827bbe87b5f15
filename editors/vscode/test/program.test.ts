// The program that the settings name: found, asked for its version, and explained where it cannot be the server.
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { expand, find, inspect, older, oldest } from '../src/program';

const verifier = process.env['VERIFIER'] ?? '';
const folder = mkdtempSync(join(tmpdir(), 'verifier-'));
after(() => rmSync(folder, { recursive: true }));

function file(name: string, data: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, data);
  chmodSync(path, 0o755);
  return path;
}

test('the real program says its version', async () => {
  const got = await inspect(verifier);
  assert.equal(got.fault, undefined, got.words);
  assert.equal(got.path, verifier);
  assert.notEqual(got.version, '');
});

test('a name is looked for on the PATH', async () => {
  const env = { ...process.env, PATH: `${folder}:${dirname(verifier)}` };
  assert.equal(find(basename(verifier), env), verifier);
  assert.equal((await inspect(basename(verifier), env)).fault, undefined);
});

test('the setting may begin at home or in the workspace', () => {
  assert.equal(expand('~/bin/verifier', undefined), join(homedir(), 'bin/verifier'));
  assert.equal(expand('${workspaceFolder}/.venv/bin/verifier', '/w'), '/w/.venv/bin/verifier');
  assert.equal(expand(' ', '/w'), 'verifier');
});

test('a missing program is said to be missing', async () => {
  const named = await inspect(join(folder, 'nothing'));
  assert.equal(named.fault, 'missing');
  assert.match(named.words ?? '', /^No file is at .*nothing\. Install it with "pip install model-verifier"/);
  const searched = await inspect('no-such-verifier');
  assert.match(searched.words ?? '', /^No program no-such-verifier is on the PATH/);
});

// first writes the beginning of a program in each format.
const first = {
  elf: (machine: number) => {
    const b = Buffer.alloc(128);
    b.write('\x7fELF\x02\x01\x01', 'latin1');
    b.writeUInt16LE(machine, 18);
    return b;
  },
  macho: (cpu: number) => {
    const b = Buffer.alloc(128);
    b.writeUInt32LE(0xfeedfacf, 0);
    b.writeUInt32LE(cpu, 4);
    return b;
  },
  pe: (machine: number) => {
    const b = Buffer.alloc(256);
    b.write('MZ');
    b.writeUInt32LE(128, 60);
    b.write('PE\0\0', 128);
    b.writeUInt16LE(machine, 132);
    return b;
  },
};

test('a program of another platform is named with its platform', { skip: process.platform !== 'linux' }, async () => {
  const cases: [string, Buffer, string][] = [
    ['mac', first.macho(0x0100000c), 'macOS on ARM64'],
    ['windows.exe', first.pe(0x8664), 'Windows on x86-64'],
    ['machine', first.elf(process.arch === 'x64' ? 183 : 62), process.arch === 'x64' ? 'Linux on ARM64' : 'Linux on x86-64'],
  ];
  for (const [name, data, platform] of cases) {
    const got = await inspect(file(name, data));
    assert.equal(got.fault, 'other-platform');
    assert.ok(got.words?.includes(`is a program for ${platform}, and this is Linux`), got.words);
  }
});

test('another program is not taken for verifier', async () => {
  const silent = await inspect(file('silent', '#!/bin/sh\nexit 0\n'));
  assert.equal(silent.fault, 'other-program');
  assert.match(silent.words ?? '', /does not answer "version --json"/);
  const failing = await inspect(file('failing', '#!/bin/sh\nexit 7\n'));
  assert.match(failing.words ?? '', /it ended with 7/);
});

test('a stale release is told which one is needed', async () => {
  const got = await inspect(file('stale', '#!/bin/sh\necho \'{"name": "verifier", "version": "v0.0.9"}\'\n'));
  assert.equal(got.fault, 'too-old');
  assert.ok(got.words?.includes(`is verifier v0.0.9; this extension needs ${oldest} or later`), got.words);
});

test('releases are ordered by their numbers, and builds between them are not', () => {
  assert.ok(older('0.9.0', '0.10.0'));
  assert.ok(!older('v1.0.0', '0.10.0'));
  assert.ok(!older('0.1.0.dev0', '0.1.0'));
  assert.ok(!older('53e7bf5d', '0.1.0'));
});
