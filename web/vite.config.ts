import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// The app is served under any path, so every address is relative. Files are named by their content; no source map is
// committed. The engine (engine/verifier.wasm and its loader) is built by make and is not part of this build.
export default defineConfig({
  base: './',
  plugins: [react()],
  worker: { format: 'iife' },
  build: { outDir: 'dist', target: 'es2022', modulePreload: { polyfill: false }, assetsInlineLimit: 0, reportCompressedSize: true },
});
