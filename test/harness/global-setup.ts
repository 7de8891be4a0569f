import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { startCluster } from '../../packages/server/src/postgres/cluster.ts'
import { migrate } from '../../packages/server/src/postgres/migrate.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The administrative URL of this run's PostgreSQL. */
    postgresUrl: string
    /** The SQL after the name of a new database that makes it a copy of the migrated one. */
    fromTemplate: string
    /** The seed of generated cases. */
    seed: number
    /** Whether every case runs, as in npm run test:full. */
    isFull: boolean
  }
}

const TEMPLATE = 'touchstone_template'
export const MIGRATIONS_DIR = fileURLToPath(new URL('../../migrations', import.meta.url))

/**
 * Starts one PostgreSQL per run; each test file copies its own database from a migrated template.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { name, provide } = project.config
  process.stdout.write(
    `${name}: cases from seed ${provide.seed}, again with TEST_SEED=${provide.seed}\n`,
  )
  const dir = await mkdtemp(join(tmpdir(), 'touchstone-test-'))
  const cluster = await startCluster({
    dataDir: join(dir, 'postgres'),
    packageName: process.env['TEST_POSTGRES_PACKAGE'],
    settings: {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      max_connections: '200',
    },
  })
  const admin = new pg.Client({ connectionString: cluster.url('postgres') })
  await admin.connect()
  await admin.query(`create database ${TEMPLATE}`)
  const { rows } = await admin.query("select current_setting('server_version_num')::int as version")
  await admin.end()
  await migrate({ connectionString: cluster.url(TEMPLATE), dir: MIGRATIONS_DIR })
  project.provide('postgresUrl', cluster.url('postgres'))
  // Copying files takes a quarter of the time of copying through the WAL, and is all that
  // PostgreSQL 14 has.
  const strategy = rows[0].version >= 150_000 ? ' strategy file_copy' : ''
  project.provide('fromTemplate', `template ${TEMPLATE}${strategy}`)
  return async () => {
    await cluster.stop()
    await rm(dir, { recursive: true, force: true })
  }
}
