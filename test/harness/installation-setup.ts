import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { openEmbedded } from '../../packages/server/src/postgres/embedded.ts'
import { migrate } from '../../packages/server/src/postgres/migrate.ts'
import { MIGRATIONS_DIR } from './global-setup.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A data folder with a migrated database that no service has started on yet. */
    installation: string
  }
}

/** Creates one data folder per run, as the service creates it; tests use copies of it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dir = await mkdtemp(join(tmpdir(), 'touchstone-installation-'))
  const database = await openEmbedded(dir, () => undefined)
  await migrate({ connectionString: database.connectionString, dir: MIGRATIONS_DIR })
  await database.stop()
  // Removes this process's lock on the folder, which does not apply to copies.
  await rm(join(dir, 'lock'), { recursive: true })
  project.provide('installation', dir)
  return () => rm(dir, { recursive: true, force: true })
}
