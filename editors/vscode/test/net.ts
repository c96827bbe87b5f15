import { readFileSync } from 'node:fs';

/** A model whose last layer takes 14,000 features and gets 16 · 30 · 30. Tests run in the folder of the extension. */
export const broken = readFileSync('test/net.py', 'utf8');

/** The same after the change that the server offers. */
export const mended = broken.replace('14000', '14400');
