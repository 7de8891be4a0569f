import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inject } from 'vitest'

const copy = promisify(execFile)

/** Keeps owners and modes, because PostgreSQL refuses a folder that others can enter. */
const COPY = process.platform === 'linux' ? ['-a', '--reflink=auto'] : ['-a']

/**
 * Copies a migrated database into an empty data folder, which saves a service initdb and every
 * migration, a second or two of its first start. Nothing in it is encrypted yet, so each copy gets
 * its own key.
 */
export async function installInto(dataDir: string): Promise<void> {
  if (existsSync(join(dataDir, 'postgres'))) return
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  await copy('cp', [...COPY, `${inject('installation')}/.`, dataDir])
  const key = `${randomBytes(32).toString('base64')}\n`
  await writeFile(join(dataDir, 'secret.key'), key, { flag: 'wx', mode: 0o600 })
}
