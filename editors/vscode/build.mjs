// Writes extension.js, one file with everything in it but VS Code itself, and the tests. A folder may be named; dist is it otherwise.
import { join } from 'node:path';
import { build } from 'esbuild';

const out = process.argv[2] ?? 'dist';
const common = { bundle: true, platform: 'node', target: 'node20', format: 'cjs', logLevel: 'warning', charset: 'utf8' };
await build({ ...common, entryPoints: ['src/extension.ts'], outfile: join(out, 'extension.js'), external: ['vscode'], minify: true, legalComments: 'eof' });
await build({ ...common, entryPoints: ['test/program.test.ts', 'test/server.test.ts'], outdir: join(out, 'test') });
