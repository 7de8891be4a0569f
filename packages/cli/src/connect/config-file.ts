import { isUtf8 } from 'node:buffer'
import { createHash, randomUUID } from 'node:crypto'
import {
  lstat,
  mkdir,
  open,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CliError } from '../cli-error.ts'
import { type Connections, readConnections } from '../connections.ts'
import { isCode } from '../system-error.ts'

const WRITE_BITS = 0o222

/** The text of a configuration file; undefined if there is none. Throws if it must not be written. */
export async function readConfig(file: string): Promise<string | undefined> {
  const stats = await lstat(file).catch(ignoreMissing)
  if (stats === undefined) return undefined
  if (stats.isSymbolicLink()) {
    const target = await readlink(file)
    throw new CliError(
      'symlink',
      `${file} is a symbolic link to ${target}. Nothing was changed; replace it with a regular file first.`,
    )
  }
  if (!stats.isFile()) throw new CliError('not_a_file', `${file} is not a regular file.`)
  // The bits count, not what this user can do: root can write everything.
  if ((stats.mode & WRITE_BITS) === 0) {
    throw new CliError('read_only', `${file} is read-only. Nothing was changed.`)
  }
  const bytes = await readFile(file)
  if (isUtf8(bytes)) return bytes.toString('utf8')
  throw new CliError('unreadable', `${file} is not valid UTF-8. Nothing was changed.`)
}

/** The text of a file as its client reads it; undefined if there is none. */
export function readText(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(ignoreMissing)
}

function ignoreMissing(err: unknown): undefined {
  if (isCode(err, 'ENOENT', 'ENOTDIR')) return undefined
  throw err
}

/** Writes a temporary file and renames it, so that a client never sees a part; keeps the mode. */
export async function writeConfig(file: string, text: string, mode?: number): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  const known = await stat(file).catch(ignoreMissing)
  const temporary = `${file}.${randomUUID()}`
  const bits = mode ?? (known === undefined ? 0o644 : known.mode & 0o777)
  try {
    await writeFile(temporary, text, { mode: bits, flag: 'wx' })
    await rename(temporary, file)
  } catch (err) {
    await rm(temporary, { force: true })
    throw err
  }
}

/** Replaces the file of the connections; the caller holds its lock. */
export async function saveConnections(
  file: string,
  change: (all: Connections) => Connections,
): Promise<void> {
  const connections = change(readConnections(file))
  await writeConfig(file, `${JSON.stringify({ version: 1, connections }, null, 2)}\n`, 0o600)
}

export function removeConfig(file: string): Promise<void> {
  return rm(file, { force: true })
}

/** Copies the text beside the file, under a name that is free; returns the name. */
export async function keepCopy(file: string, text: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const copy = `${file}.before-touchstone${number === 1 ? '' : `-${number}`}`
    try {
      await writeFile(copy, text, { mode: 0o600, flag: 'wx' })
      return copy
    } catch (err) {
      if (!isCode(err, 'EEXIST')) throw err
      if ((await readFile(copy, 'utf8')) === text) return copy
    }
  }
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

const LOCK_WAIT_MS = 15_000
/** A lock that is older was left by a process that died. */
const LOCK_STALE_MS = 60_000

/** Runs the work while no other connect or disconnect of this user runs. */
export async function withLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  const lock = `${file}.lock`
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const deadline = Date.now() + LOCK_WAIT_MS
  while (!(await take(lock))) {
    if (Date.now() > deadline) {
      throw new CliError('locked', `Another connect is running. If not, remove ${lock}.`)
    }
    await sleep(50)
  }
  try {
    return await work()
  } finally {
    await rm(lock, { force: true })
  }
}

async function take(lock: string): Promise<boolean> {
  try {
    await (await open(lock, 'wx', 0o600)).close()
    return true
  } catch (err) {
    if (!isCode(err, 'EEXIST')) throw err
    const stats = await stat(lock).catch(ignoreMissing)
    if (stats !== undefined && Date.now() - stats.mtimeMs > LOCK_STALE_MS) {
      await rm(lock, { force: true })
    }
    return false
  }
}
