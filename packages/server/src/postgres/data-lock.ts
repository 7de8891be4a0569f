import { readFileSync, readlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isCode } from '../system-error.ts'
import { findProcess } from './processes.ts'

/**
 * One live server per data folder. The lock is a file `<dir>/lock/<generation>` that names its
 * holder. Node offers no kernel lock, so a holder that was killed leaves its file behind and the
 * next server has to judge whether the holder lives.
 *
 * INVARIANT: the file with the highest number is the lock, and numbers only grow: a dead lock is
 * followed by the next number, created exclusively, never deleted and made again. So of several
 * that find the same dead lock one succeeds, and a straggler that creates a number already past
 * sees a higher one and gives up.
 */
export type DataLock = { release(): void }

type Holder = {
  pid: number
  /** Guards against a reused pid. Absent if the system does not report it. */
  start_time?: string
  /** The pid namespace of the holder, because each container or host numbers its own processes. */
  scope: string
}

const HEARTBEAT_MS = 1_000
/** A holder whose pid cannot be looked up counts as dead after this long without a heartbeat. */
const SILENCE_MS_MAX = 5_000
/** Creating a lock file and writing its content takes no longer than this. */
const CONTENT_MS_MAX = 1_000
/** Old files kept for stragglers: see the invariant. */
const GENERATIONS_KEPT = 8

export async function lockDataDir(dir: string): Promise<DataLock> {
  const locks = join(dir, 'lock')
  await mkdir(locks, { recursive: true, mode: 0o700 })
  for (;;) {
    const last = (await listGenerations(locks)).at(-1) ?? 0
    const pid = last > 0 ? await findHolderPid(join(locks, String(last))) : undefined
    if (pid !== undefined) {
      throw new Error(
        `The data folder ${dir} is in use by a running server (process ${pid}): ` +
          'stop it first or choose another DATA_DIR.',
      )
    }
    const file = join(locks, String(last + 1))
    if (!(await createLock(file))) continue
    const generations = await listGenerations(locks)
    if (generations.at(-1) === last + 1) {
      const past = generations.filter((generation) => generation <= last - GENERATIONS_KEPT)
      await Promise.all(past.map((generation) => rm(join(locks, String(generation)))))
      return holdLock(file)
    }
    await rm(file, { force: true })
  }
}

const STOP_POLL_MS = 50

/** Asks the server that holds the folder to stop, and waits until its process has ended. Returns its pid. */
export async function stopHolder(dir: string, stopMsMax: number): Promise<number> {
  const locks = join(dir, 'lock')
  const last = (await listGenerations(locks).catch(noneIfMissing)).at(-1)
  const file = join(locks, String(last))
  const holder = last === undefined ? undefined : await readHolder(file)
  if (holder === undefined || !(await isSurelyHeld(file, holder))) {
    throw new Error(`No running service uses the data folder ${dir}.`)
  }
  const { pid, scope, start_time: startTime } = holder
  if (scope !== ownScope()) {
    throw new Error(
      `The service that uses ${dir} runs in another container or on another host: stop it there.`,
    )
  }
  await assertSameUser(file, pid)
  askToStop(pid)
  const isRunning = () => {
    const found = findProcess(pid)
    return found !== undefined && found.startTime === startTime
  }
  const deadline = performance.now() + stopMsMax
  while (isRunning()) {
    if (performance.now() > deadline) throw new Error(`The service, process ${pid}, does not stop.`)
    await sleep(STOP_POLL_MS)
  }
  return pid
}

/** Where the system reports no start times, a dead server's pid may be that of another process. */
async function isSurelyHeld(file: string, holder: Holder): Promise<boolean> {
  if ((await findHolderPid(file)) === undefined) return false
  return holder.start_time !== undefined || hasHeartbeat(file)
}

/** A user who can write the folder must not get the processes of others stopped by them. */
async function assertSameUser(file: string, pid: number): Promise<void> {
  if (process.platform !== 'linux') return
  const written = await stat(file)
  // Absent if it has just ended, or is hidden from this user, who then must not signal it either.
  const runs = await stat(`/proc/${pid}`).catch(() => undefined)
  if (runs !== undefined && written.uid !== runs.uid) throw anotherUsers(pid)
}

function askToStop(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM')
  } catch (err) {
    if (isCode(err, 'EPERM')) throw anotherUsers(pid)
    // It has already exited, which is what the signal was for.
    if (!isCode(err, 'ESRCH')) throw err
  }
}

function anotherUsers(pid: number): Error {
  return new Error(`Process ${pid}, which the data folder names, belongs to another user.`)
}

function noneIfMissing(err: unknown): number[] {
  if (isCode(err, 'ENOENT')) return []
  throw err
}

function holdLock(file: string): DataLock {
  const heartbeat = setInterval(() => {
    try {
      const now = new Date()
      utimesSync(file, now, now)
    } catch {
      // One missed heartbeat is harmless; after several the disk is failing anyway.
    }
  }, HEARTBEAT_MS).unref()
  return {
    release() {
      clearInterval(heartbeat)
      writeFileSync(file, '{"released":true}\n')
    },
  }
}

async function listGenerations(locks: string): Promise<number[]> {
  const names = await readdir(locks)
  return names
    .filter((name) => /^[1-9]\d*$/.test(name))
    .map(Number)
    .sort((a, b) => a - b)
}

/** False if another process was faster. */
async function createLock(file: string): Promise<boolean> {
  const startTime = findProcess(process.pid)?.startTime
  const holder: Holder = {
    pid: process.pid,
    ...(startTime === undefined ? {} : { start_time: startTime }),
    scope: ownScope(),
  }
  try {
    const handle = await open(file, 'wx', 0o600)
    try {
      await handle.writeFile(`${JSON.stringify(holder)}\n`)
    } finally {
      await handle.close()
    }
    return true
  } catch (err) {
    if (isCode(err, 'EEXIST')) return false
    throw err
  }
}

/** The pid of the live holder; undefined if the lock was released or its holder is dead. */
async function findHolderPid(file: string): Promise<number | undefined> {
  const holder = await readHolder(file)
  if (holder === undefined) return undefined
  if (holder.scope === ownScope()) {
    const found = findProcess(holder.pid)
    return found && found.startTime === holder.start_time ? holder.pid : undefined
  }
  return (await hasHeartbeat(file)) ? holder.pid : undefined
}

async function readHolder(file: string): Promise<Holder | undefined> {
  for (let waitedMs = 0; waitedMs <= CONTENT_MS_MAX; waitedMs += 50) {
    const text = await readFile(file, 'utf8').catch(() => '')
    // Complete only with its newline; a machine crash can leave an empty file for good.
    if (text.endsWith('\n')) return parseHolder(text)
    await sleep(50)
  }
  return undefined
}

function parseHolder(text: string): Holder | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isHolder(value) ? value : undefined
  } catch {
    return undefined
  }
}

async function hasHeartbeat(file: string): Promise<boolean> {
  const first = await findModified(file)
  // A clock that was set back must not prolong the wait.
  const deadline = Math.min(first, Date.now()) + SILENCE_MS_MAX
  while (Date.now() < deadline) {
    if ((await findModified(file)) !== first) return true
    await sleep(HEARTBEAT_MS / 4)
  }
  return false
}

function findModified(file: string): Promise<number> {
  return stat(file).then(
    (entry) => entry.mtimeMs,
    () => 0,
  )
}

/** Boot id and pid namespace: if both match, a pid and its start time identify one process. */
function ownScope(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return hostname()
  }
}

function isHolder(value: unknown): value is Holder {
  if (typeof value !== 'object' || value === null || !('scope' in value)) return false
  // To a signal, 0 and negative numbers mean many processes.
  return 'pid' in value && Number.isInteger(value.pid) && Number(value.pid) > 0
}
