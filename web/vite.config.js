// One self-contained index.html: the server hands out a single file and the page asks for no other.
import { defineConfig } from 'vite';

import { inlineEverything } from './inline.js';

export default defineConfig({
  plugins: [inlineEverything()],
  build: {
    outDir: process.env.PAGE_OUT ?? '../src/server/api/page',
    emptyOutDir: false,
    target: 'es2022',
    modulePreload: false,
  },
  // `npx vite` shows the sources as they are edited, on top of a running `headroom serve`.
  server: { proxy: { '/v1': 'http://127.0.0.1:8080' } },
});
