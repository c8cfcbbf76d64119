import { defineConfig } from 'vite'

/** The application as the hub serves it: every file by a name that holds its hash, nothing inline. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
  },
})
