import { randomInt } from 'node:crypto'
import { accessSync, constants, readdirSync, readFileSync, statfsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { Order } from './test/harness/order.ts'

useMemoryForScratch()

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** One more than cores, as tests wait for databases and processes now and then. */
const WORKERS = availableParallelism() + 1

/** What never ends is given up after this; nothing that ends takes as long on a crowded machine. */
const PATIENCE_MS = 180_000

/** The same for those that start whole services again and again, and for browsers. */
const LONG_PATIENCE_MS = 600_000

/** What generated cases are generated from: another each run, unless it is named. */
const SEED = Number(process.env['TEST_SEED'] ?? randomInt(2 ** 31))

/** They start and kill servers of their own, which takes its time. */
const WHOLE_SERVERS = [
  'packages/server/src/postgres/{cluster,killed-service}.test.ts',
  'packages/server/src/backup/*.test.ts',
]

/** They make hundreds of proofs, true ones and false ones. */
const MANY_PROOFS = 'packages/prover/src/attacks/*.test.ts'

/** Of what runs as whole processes, this much is in npm test. */
const WHOLE = [
  'test/browser/{console,public}.test.ts',
  'test/journeys/{readme,checkpoint-crash,webhooks-killed}.test.ts',
]

const FAST = [
  'packages/*/src/**/*.test.ts',
  'contracts/test/**/*.test.ts',
  'test/http/**/*.test.ts',
  'tools/**/*.test.ts',
]

const DATABASE = 'test/harness/global-setup.ts'
const PROCESSES = [DATABASE, 'test/harness/installation-setup.ts']

/** Node 20 does not load TypeScript itself, and Vitest's loader does not reach into worker threads. */
const LOADS_TYPESCRIPT = Boolean(Reflect.get(process.features, 'typescript'))
const THREADS = LOADS_TYPESCRIPT ? [] : ['--import', here('./test/harness/worker-typescript.mjs')]

type Options = NonNullable<TestProjectInlineConfiguration['test']>

/**
 * Test files share a process and the modules loaded into it, because loading the service takes longer
 * than most files do. Resources of a test are released with its file, see test/harness/at-end.ts. On
 * Node 20 every file has its own process: terminating a thread that uses the loader above can crash
 * the process it is in.
 */
function project(test: Options & { name: string; provide: { isFull: boolean } }) {
  return {
    resolve: {
      alias: { '#harness': here('./test/harness') },
      conditions: ['source'],
    },
    ssr: { resolve: { conditions: ['source'] } },
    test: {
      isolate: !LOADS_TYPESCRIPT,
      maxWorkers: WORKERS,
      execArgv: THREADS,
      globalSetup: [DATABASE],
      setupFiles: ['test/harness/setup-file.ts'],
      // It has a condition called source, too, and that leads to TypeScript no process can read.
      server: { deps: { inline: [/@modelcontextprotocol\/sdk/, 'eventsource-parser'] } },
      testTimeout: LONG_PATIENCE_MS,
      hookTimeout: LONG_PATIENCE_MS,
      ...test,
      provide: { ...test.provide, seed: SEED },
    },
  } satisfies TestProjectInlineConfiguration
}

/**
 * fast: rules, stores and routes, with a real PostgreSQL; part of every check.
 * whole: a browser, the README and two kills; with fast it is npm test.
 * full: every journey, fault and proof, and all generated cases; npm run test:full.
 */
export default defineConfig({
  test: {
    sequence: { sequencer: Order },
    projects: [
      project({
        name: 'fast',
        include: FAST,
        exclude: [...WHOLE_SERVERS, MANY_PROOFS],
        provide: { isFull: false },
        testTimeout: PATIENCE_MS,
        hookTimeout: PATIENCE_MS,
      }),
      project({
        name: 'whole',
        include: WHOLE,
        globalSetup: PROCESSES,
        provide: { isFull: false },
      }),
      project({
        name: 'full',
        include: [
          ...WHOLE_SERVERS,
          MANY_PROOFS,
          'test/journeys/**/*.test.ts',
          'test/browser/**/*.test.ts',
          ...filesWithMoreInFull(['packages', 'contracts/test', 'test/http']),
        ],
        globalSetup: PROCESSES,
        provide: { isFull: true },
      }),
    ],
  },
})

/** Those in which npm test tries only some of what there is to try. */
function filesWithMoreInFull(folders: readonly string[]): string[] {
  return folders
    .flatMap((folder) =>
      readdirSync(here(`./${folder}`), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
        .map((name) => join(folder, name)),
    )
    .filter((file) => readFileSync(here(`./${file}`), 'utf8').includes("'#harness/runs.ts'"))
}

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
