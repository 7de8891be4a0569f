import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { documentsPlugin } from './src/docs/documents-plugin.ts'
import { PAGE_PATHS } from './src/shell/page-paths.ts'

const SERVICE = process.env['TOUCHSTONE_URL'] ?? 'http://127.0.0.1:8787'

/** Writes the addresses of pages for the service. */
function pagePaths(): Plugin {
  return {
    name: 'page-paths',
    generateBundle() {
      const source = JSON.stringify(PAGE_PATHS)
      this.emitFile({ type: 'asset', fileName: 'page-paths.json', source })
    },
  }
}

/**
 * Builds into dist, which the service serves at `/`. `npx vite` proxies API calls to a running
 * service.
 */
export default defineConfig({
  plugins: [documentsPlugin(), pagePaths(), react(), tailwindcss()],
  resolve: { conditions: ['source', 'module', 'browser', 'development|production'] },
  build: {
    target: 'es2022',
    // The Content-Security-Policy forbids inlined assets.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The data of the documentation's search is large, and loaded only by those who search.
    chunkSizeWarningLimit: 800,
    reportCompressedSize: false,
    // `npm start` builds the dashboard, and its output should not list plugin timings.
    rolldownOptions: { checks: { bundlerTimings: false } },
  },
  worker: { format: 'es' },
  server: { proxy: { '/v1': SERVICE, '/health': SERVICE, '/openapi.json': SERVICE } },
})
