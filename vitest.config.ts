import { randomInt } from 'node:crypto'
import { accessSync, constants, readdirSync, readFileSync, statfsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { COMPILE_CACHE } from './test/harness/compile-cache.ts'
import { ProjectSequencer } from './test/harness/project-sequencer.ts'

useMemoryForScratch()
// Threads of the service read its TypeScript: without a cache each start of one takes twice as long.
Object.assign(process.env, COMPILE_CACHE)

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** One more than there are cores, because tests wait for databases and processes. */
const WORKERS = availableParallelism() + 1

/** A test that takes longer is hanging: even on a loaded machine none takes this long. */
const PATIENCE_MS = 180_000

/** The same for browser tests and for tests that start services repeatedly. */
const LONG_PATIENCE_MS = 600_000

/** How long expect.poll waits for an effect, as eventually() does. */
const POLL_MS_MAX = 60_000

/** The seed of generated cases: random for each run, unless TEST_SEED is set. */
const SEED = Number(process.env['TEST_SEED'] ?? randomInt(2 ** 31))

/** These start and kill whole database servers, which is slow. */
const WHOLE_SERVERS = [
  'packages/server/src/postgres/{cluster,killed-service}.test.ts',
  'packages/server/src/backup/*.test.ts',
]

/** These generate hundreds of valid and invalid proofs. */
const MANY_PROOFS = 'packages/prover/src/attacks/*.test.ts'

/** The tests of whole processes that npm test runs completely, so that npm run test:full leaves them out. */
const ALL_IN_WHOLE = ['test/browser/console.test.ts', 'test/journeys/readme.test.ts']

/** The tests of whole processes that are part of npm test. */
const WHOLE = [
  ...ALL_IN_WHOLE,
  'test/journeys/{checkpoint-crash,decision-crash,webhooks-killed}.test.ts',
]

/** This measures memory, which other files of the same process would disturb. */
const MEASURES_MEMORY = 'packages/server/src/backup/restore-backup.test.ts'

const FAST = [
  'packages/*/src/**/*.test.ts',
  'contracts/test/**/*.test.ts',
  'test/http/**/*.test.ts',
  'tools/**/*.test.ts',
]

const DATABASE = 'test/harness/global-setup.ts'
const PROCESSES = [DATABASE, 'test/harness/installation-setup.ts']
const FRAMEWORKS = [DATABASE, 'test/frameworks/install-frameworks.ts']
const CLIENTS = [DATABASE, 'test/clients/install-clients.ts']

/**
 * Node 20 does not load TypeScript itself, and Vitest's loader does not reach into worker threads, which
 * therefore run compiled code there: build first.
 */
const LOADS_TYPESCRIPT = Boolean(Reflect.get(process.features, 'typescript'))
const THREADS = LOADS_TYPESCRIPT ? [] : ['--import', here('./test/harness/compiled-workers.mjs')]

const HARNESS = { '#harness': here('./test/harness') }

type Options = NonNullable<TestProjectInlineConfiguration['test']>

/**
 * Test files share a process and the modules loaded into it, because loading the service takes longer
 * than most files do. Resources of a test are released with its file, see
 * test/harness/on-file-finished.ts.
 */
function project(test: Options & { name: string; provide: { isFull: boolean } }) {
  return {
    resolve: {
      alias: HARNESS,
      conditions: ['source'],
    },
    ssr: { resolve: { conditions: ['source'] } },
    test: {
      isolate: false,
      maxWorkers: WORKERS,
      execArgv: THREADS,
      globalSetup: [DATABASE],
      setupFiles: ['test/harness/setup-file.ts'],
      // These packages also have an export condition called source, which leads to TypeScript that
      // Node cannot load.
      server: {
        deps: { inline: [/@modelcontextprotocol\/sdk/, /\/(@ai-sdk|ai)\//, 'eventsource-parser'] },
      },
      testTimeout: LONG_PATIENCE_MS,
      hookTimeout: LONG_PATIENCE_MS,
      // The default of one second is too short for effects of other connections on a loaded machine.
      expect: { poll: { timeout: POLL_MS_MAX, interval: 20 } },
      ...test,
      provide: { ...test.provide, seed: SEED },
    },
  } satisfies TestProjectInlineConfiguration
}

/**
 * fast: rules, stores and routes, with a real PostgreSQL; part of every check.
 * whole: a browser, the README and three crashes; with fast it is npm test.
 * full: every other journey, attack, fault and proof, and all generated cases; npm run test:full. One of its files
 * has its own process, as full-isolated.
 * frameworks: the adapters of the SDK in the real frameworks, and clients: the hooks in the real coding
 * agents, both installed for it; also part of npm run test:full.
 */
export default defineConfig({
  test: {
    sequence: { sequencer: ProjectSequencer },
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
          'test/attacks/**/*.test.ts',
          'test/journeys/**/*.test.ts',
          'test/browser/**/*.test.ts',
          'test/soak/*.test.ts',
          ...filesWithMoreInFull(['packages', 'contracts/test', 'test/http']),
        ],
        exclude: [...ALL_IN_WHOLE, MEASURES_MEMORY],
        globalSetup: PROCESSES,
        provide: { isFull: true },
      }),
      project({
        name: 'full-isolated',
        include: [MEASURES_MEMORY],
        isolate: true,
        globalSetup: PROCESSES,
        provide: { isFull: true },
      }),
      {
        ...project({
          name: 'frameworks',
          include: ['test/frameworks/*.test.ts'],
          globalSetup: FRAMEWORKS,
          provide: { isFull: true },
          server: {},
        }),
        // The frameworks and the SDK are loaded as they are installed, without the condition `source`.
        resolve: { alias: HARNESS },
        ssr: {},
      },
      project({
        name: 'clients',
        include: ['test/clients/*.test.ts'],
        globalSetup: CLIENTS,
        provide: { isFull: true },
      }),
    ],
  },
})

/** Finds the test files that run only some of their cases in npm test. */
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
 * Uses /dev/shm for temporary files if it has room: hundreds of databases are created and dropped,
 * none outlives its file, and in memory that takes a third of the time.
 */
function useMemoryForScratch(): void {
  const memory = '/dev/shm'
  const room = 4 * 1024 ** 3
  try {
    accessSync(memory, constants.W_OK)
    const { bavail, bsize } = statfsSync(memory)
    if (bavail * bsize >= room) process.env['TMPDIR'] ??= memory
  } catch {
    // /dev/shm is not available, so temporary files stay in the default folder.
  }
}
