import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { renameDurably, writeFileDurably } from '../durable-files.ts'
import { isCode } from '../system-error.ts'
import type { Binaries } from './binaries.ts'
import type { Launcher } from './launch.ts'

export const SUPERUSER = 'postgres'

type Site = {
  dataDir: string
  binaries: Binaries
  launcher: Launcher
  /** False only for temporary databases. */
  durable: boolean
}

/**
 * Creates the database folder on first use and returns the superuser's password.
 *
 * INVARIANT: `dataDir` either does not exist (or is empty) or holds a complete database, because
 * initdb works in a folder beside it that is renamed when done. The password is written before,
 * so that a database never exists without it.
 */
export async function ensureInitialised(site: Site): Promise<string> {
  const version = await findVersion(site.dataDir)
  if (version === undefined) {
    const password = (await findPassword(site.dataDir)) ?? (await createPassword(site.dataDir))
    await initialise(site, password)
    return password
  }
  if (version !== site.binaries.major) {
    throw new Error(
      `${site.dataDir} was written by PostgreSQL ${version}, but PostgreSQL ` +
        `${site.binaries.major} is installed. Make a backup with the release that wrote it and ` +
        'restore it into an empty folder with this one.',
    )
  }
  const password = await findPassword(site.dataDir)
  if (password !== undefined) return password
  throw new Error(
    `The password of the database in ${site.dataDir} is missing: put back the file ` +
      `${passwordFile(site.dataDir)}.`,
  )
}

async function initialise(site: Site, password: string): Promise<void> {
  await removeInterrupted(site.dataDir)
  const work = await mkdtemp(`${site.dataDir}.init-`)
  try {
    const data = join(work, 'data')
    await writeFile(join(work, 'password'), password, { mode: 0o600 })
    await site.launcher.own(work)
    await runInitdb(site, work, data)
    await rmdir(site.dataDir).catch(() => undefined)
    await renameDurably(data, site.dataDir)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

async function runInitdb(site: Site, work: string, data: string): Promise<void> {
  const args = [
    `--pgdata=${data}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${join(work, 'password')}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--data-checksums',
    '--no-instructions',
    ...(site.durable ? [] : ['--no-sync']),
  ]
  const first = await run(site, [...args, '--locale=C.UTF-8'])
  if (first.code === 0) return
  // Systems older than glibc 2.35 may lack C.UTF-8; C sorts the same way.
  const second = /locale/.test(first.output) ? await run(site, [...args, '--locale=C']) : first
  if (second.code !== 0) {
    throw new Error(`initdb could not create ${site.dataDir}:\n${second.output}`)
  }
}

async function run(site: Site, args: string[]): Promise<{ code: number | null; output: string }> {
  const child = site.launcher.spawn(site.binaries.initdb, args, ['ignore', 'pipe', 'pipe'])
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  return await new Promise((resolve, reject) => {
    child.once('error', (cause) => {
      const help = 'The embedded PostgreSQL does not run on this system: set DATABASE_URL.'
      reject(new Error(help, { cause }))
    })
    child.once('close', (code) => resolve({ code, output: output.trim() }))
  })
}

/** Removes leftovers of an initdb whose service was killed. An initdb still writing there fails. */
async function removeInterrupted(dataDir: string): Promise<void> {
  const prefix = `${basename(dataDir)}.init-`
  for (const name of await readdir(dirname(dataDir))) {
    if (!name.startsWith(prefix)) continue
    await rm(join(dirname(dataDir), name), { recursive: true, force: true, maxRetries: 5 })
  }
}

/** The major version of the database in `dataDir`; undefined if there is none yet. */
async function findVersion(dataDir: string): Promise<number | undefined> {
  const entries = await readdir(dataDir).catch(whenAbsent<string[]>([]))
  if (entries.length === 0) return undefined
  if (!entries.includes('PG_VERSION')) {
    throw new Error(`${dataDir} is neither empty nor a database: choose another folder.`)
  }
  return Number.parseInt(await readFile(join(dataDir, 'PG_VERSION'), 'utf8'), 10)
}

async function findPassword(dataDir: string): Promise<string | undefined> {
  const text = await readFile(passwordFile(dataDir), 'utf8').catch(whenAbsent(''))
  return text.trim() === '' ? undefined : text.trim()
}

async function createPassword(dataDir: string): Promise<string> {
  const password = randomBytes(24).toString('base64url')
  await writeFileDurably(passwordFile(dataDir), password)
  return password
}

function passwordFile(dataDir: string): string {
  return `${dataDir}.password`
}

function whenAbsent<T>(value: T): (err: unknown) => T {
  return (err) => {
    if (isCode(err, 'ENOENT')) return value
    throw err
  }
}
