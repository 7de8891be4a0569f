/**
 * Bundles the hook into one CommonJS file. A coding agent starts it for every call, and loading a dozen
 * modules takes longer than everything that they do (ADR 0050).
 */
export default {
  resolve: { conditions: ['source', 'node', 'import', 'default'] },
  ssr: { noExternal: true, resolve: { conditions: ['source', 'node', 'import', 'default'] } },
  build: {
    ssr: 'src/hook/main.ts',
    outDir: 'dist',
    emptyOutDir: false,
    minify: false,
    target: 'node20',
    rollupOptions: {
      output: { format: 'cjs', entryFileNames: 'hook.cjs', codeSplitting: false },
    },
  },
}
