import { accessSync, constants, statfsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

useMemoryForScratch()

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

const shared = {
  resolve: {
    alias: { '#harness': here('./test/harness') },
    conditions: ['source'],
  },
  ssr: { resolve: { conditions: ['source'] } },
}

/** Lets threads read TypeScript, too. */
const execArgv = ['--import', here('./test/harness/worker-typescript.mjs')]

/** One more than cores, as tests wait for the database now and then. */
const WORKERS = availableParallelism() + 1

/**
 * In continuous integration a test that fails is run up to twice more, and its line says so: whole
 * processes hold real limits, such as 250 ms for a policy, on a machine that may stand still for as
 * long.
 */
const RETRIES = process.env['CI'] === undefined ? 0 : 2

/** A file waits for its processes half of the time; more than two would hold each other up. */
const SLOW_WORKERS = 2

/** What never ends is given up after this; nothing that ends takes as long on a crowded machine. */
const PATIENCE_MS = 180_000

/** The same for those that start whole services again and again, and for browsers. */
const LONG_PATIENCE_MS = 600_000

/** They start and kill servers of their own, which takes its time. */
const WHOLE_SERVERS = [
  'packages/server/src/postgres/{cluster,killed-service}.test.ts',
  'packages/server/src/backup/*.test.ts',
]

/** They make hundreds of proofs, true ones and false ones. */
const MANY_PROOFS = 'packages/prover/src/attacks/*.test.ts'

/**
 * fast: rules, stores and routes, with a real PostgreSQL; part of every check.
 * proofs: hundreds of proofs and attacks on them, which need nothing but cores; part of npm test.
 * slow: whole processes, faults, fuzzing and journeys, two files at a time; part of npm test.
 */
export default defineConfig({
  test: {
    projects: [
      {
        ...shared,
        test: {
          name: 'fast',
          include: [
            'packages/*/src/**/*.test.ts',
            'contracts/test/**/*.test.ts',
            'test/http/**/*.test.ts',
          ],
          exclude: [...WHOLE_SERVERS, MANY_PROOFS],
          globalSetup: ['test/harness/global-setup.ts'],
          execArgv,
          maxWorkers: WORKERS,
          setupFiles: ['test/harness/setup-file.ts'],
          retry: RETRIES,
          testTimeout: PATIENCE_MS,
          hookTimeout: PATIENCE_MS,
        },
      },
      {
        ...shared,
        test: {
          name: 'proofs',
          include: [MANY_PROOFS],
          maxWorkers: availableParallelism(),
          testTimeout: 600_000,
          hookTimeout: 300_000,
        },
      },
      {
        ...shared,
        test: {
          name: 'slow',
          include: [
            ...WHOLE_SERVERS,
            'test/journeys/**/*.test.ts',
            'test/load/**/*.test.ts',
            'test/browser/**/*.test.ts',
          ],
          globalSetup: ['test/harness/global-setup.ts'],
          execArgv,
          setupFiles: ['test/harness/setup-file.ts'],
          retry: RETRIES,
          // It has a condition called source, too, and that leads to TypeScript no process can read.
          server: { deps: { inline: [/@modelcontextprotocol\/sdk/, 'eventsource-parser'] } },
          testTimeout: LONG_PATIENCE_MS,
          hookTimeout: LONG_PATIENCE_MS,
          maxWorkers: SLOW_WORKERS,
        },
      },
    ],
  },
})

/**
 * Hundreds of databases are made and dropped, none of which has to outlive its file: in memory, where
 * the system has room for them there, that takes a third of the time.
 */
function useMemoryForScratch(): void {
  const memory = '/dev/shm'
  const room = 4 * 1024 ** 3
  try {
    accessSync(memory, constants.W_OK)
    const { bavail, bsize } = statfsSync(memory)
    if (bavail * bsize >= room) process.env['TMPDIR'] ??= memory
  } catch {
    // No such place here: the usual one serves.
  }
}
