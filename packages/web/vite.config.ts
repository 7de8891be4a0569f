import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const SERVICE = process.env['TOUCHSTONE_URL'] ?? 'http://127.0.0.1:8787'

/** Built once into dist, which the service serves at `/`. `npx vite` beside a running one develops it. */
export default defineConfig({
  plugins: [react(), tailwindcss()],
  resolve: { conditions: ['source', 'module', 'browser', 'development|production'] },
  build: {
    target: 'es2022',
    // What a browser runs is strict about styles: nothing may be written into the page.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Whoever starts the service has no use for how long each plugin took.
    rolldownOptions: { checks: { bundlerTimings: false } },
  },
  worker: { format: 'es' },
  server: { proxy: { '/v1': SERVICE, '/health': SERVICE, '/docs': SERVICE } },
})
