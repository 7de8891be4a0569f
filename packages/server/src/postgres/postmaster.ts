import { type ChildProcess, execFile } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import type { Binaries } from './binaries.ts'
import { SUPERUSER } from './initialise.ts'
import type { Launcher } from './launch.ts'
import { findProcess, isPidTaken, isPostmasterOf, listOrphans, signalProcess } from './processes.ts'
import { boundLog, logSize, readLogSince } from './server-log.ts'
import { serverArguments } from './settings.ts'

/** The parameters of a server process. `dataDir` is a real path. */
export type Site = {
  dataDir: string
  binaries: Binaries
  launcher: Launcher
  password: string
  settings: Record<string, string>
  logFile: string
  log: (message: string) => void
}

/** `child` is absent if a previous service started the process. */
type Running = { pid: number; child?: ChildProcess }
export type Postmaster = Running & { port: number }

const POLL_MS = 10
/** Recovery of a large log takes minutes; killing it would only restart it. */
const READY_MS_MAX = 10 * 60_000
/** Leftovers of a crash, or a postmaster that lost its pid file (it notices within 60 s). */
const LEFTOVERS_MS_MAX = 90_000
const ORPHAN_QUIT_MS = 2_000
const ORPHAN_KILL_MS = 10_000
const STOP_STEP_MS = 10_000

/**
 * Starts the server of `site`, or takes over one that is still running there. Without `port` it
 * picks a free one.
 */
export async function startPostmaster(
  site: Site,
  port: number | undefined,
  signal: AbortSignal,
): Promise<Postmaster> {
  const begin = performance.now()
  for (;;) {
    signal.throwIfAborted()
    const running = await takeOver(site, signal)
    if (running) return running
    await site.launcher.own(site.dataDir)
    const outcome = await launch(site, port ?? (await findFreePort()), signal)
    if ('pid' in outcome) return outcome

    const waitedMs = performance.now() - begin
    if (!isTransient(outcome.failure) || waitedMs > LEFTOVERS_MS_MAX) {
      throw new Error(`The embedded PostgreSQL does not start:\n${outcome.failure}`)
    }
    endOrphans(site, waitedMs)
    await sleep(100)
  }
}

/** Fast shutdown; if that hangs, an immediate one, which requires recovery at the next start. */
export async function stopPostmaster(site: Site, { pid, child }: Running): Promise<void> {
  const isRunning = () =>
    child ? child.exitCode === null && child.signalCode === null : isPostmasterOf(pid, site.dataDir)
  if (process.platform === 'win32') {
    const args = ['stop', '-D', site.dataDir, '-m', 'fast', '-w']
    await promisify(execFile)(site.binaries.pgCtl, args).catch(() => undefined)
  }
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    if (!isRunning()) return
    if (signal !== 'SIGINT') site.log(`database ${pid} does not stop, sending ${signal}`)
    signalProcess(pid, signal)
    if (await ends(pid, STOP_STEP_MS)) return
  }
  throw new Error(`The embedded PostgreSQL (process ${pid}) does not end.`)
}

export function postmasterUrl(site: Site, port: number, database: string): string {
  return `postgres://${SUPERUSER}:${site.password}@127.0.0.1:${port}/${encodeURIComponent(database)}`
}

async function takeOver(site: Site, signal: AbortSignal): Promise<Postmaster | undefined> {
  const left = readPidFile(site.dataDir)
  if (left === undefined) return undefined
  const { pid } = left
  if (isPostmasterOf(pid, site.dataDir)) {
    const port = await waitReady(site, pid, signal)
    return port === undefined ? undefined : { pid, port }
  }
  // PostgreSQL refuses to start while the pid in the file exists, even if it is an unrelated
  // process or a zombie. A file whose pid is free stays: it names the shared memory to check.
  if (isPidTaken(pid) && listOrphans(site.dataDir).length === 0) {
    site.log(`removing the pid file of a dead database, process ${pid} is not its server`)
    rmSync(join(site.dataDir, 'postmaster.pid'), { force: true })
  }
  return undefined
}

async function launch(
  site: Site,
  port: number,
  signal: AbortSignal,
): Promise<Postmaster | { failure: string }> {
  boundLog(site.logFile)
  const logStart = logSize(site.logFile)
  const { binaries, dataDir, settings } = site
  const args = serverArguments({ dataDir, port, major: binaries.major, settings })
  const output = openSync(site.logFile, 'a', 0o600)
  const child = site.launcher.spawn(binaries.postgres, args, ['ignore', output, output])
  closeSync(output)
  let spawnError: Error | undefined
  child.once('error', (err) => {
    spawnError = err
  })
  // The database alone must not keep the service's process alive.
  child.unref()
  const pid = child.pid
  if (pid !== undefined) {
    try {
      if ((await waitReady(site, pid, signal)) !== undefined) return { pid, port, child }
    } catch (err) {
      await stopPostmaster(site, { pid, child })
      throw err
    }
  }
  await sleep(0)
  return { failure: readLogSince(site.logFile, logStart) || String(spawnError ?? 'no message') }
}

/** The port on which the server accepts connections; undefined if it exited instead. */
async function waitReady(
  site: Site,
  pid: number,
  signal: AbortSignal,
): Promise<number | undefined> {
  const begin = performance.now()
  while (findProcess(pid) !== undefined) {
    signal.throwIfAborted()
    const file = readPidFile(site.dataDir)
    if (file?.pid === pid && file.status === 'ready' && (await answers(site, file.port))) {
      return file.port
    }
    if (performance.now() - begin > READY_MS_MAX) {
      throw new Error(`The embedded PostgreSQL does not become ready: see ${site.logFile}.`)
    }
    await sleep(POLL_MS)
  }
  return undefined
}

async function answers(site: Site, port: number): Promise<boolean> {
  const client = new pg.Client({
    connectionString: postmasterUrl(site, port, 'postgres'),
    connectionTimeoutMillis: 5_000,
    query_timeout: 5_000,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('SELECT 1')
    return true
  } catch (cause) {
    // 28P01: invalid_password.
    if (cause instanceof pg.DatabaseError && cause.code === '28P01') {
      throw new Error(
        `The database in ${site.dataDir} does not accept the password in ` +
          `${site.dataDir}.password: put back the file that was made with it.`,
        { cause },
      )
    }
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** The lines of postmaster.pid: pid, folder, start time, port, socket, address, memory, status. */
function readPidFile(
  dataDir: string,
): { pid: number; port: number; status: string | undefined } | undefined {
  let lines: string[]
  try {
    lines = readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n')
  } catch {
    return undefined
  }
  const pid = Number(lines[0])
  if (!Number.isInteger(pid) || pid <= 0) return undefined
  return { pid, port: Number(lines[3]), status: lines[7]?.trim() }
}

function isTransient(failure: string): boolean {
  return /Address already in use|is still in use|lock file ".*" already exists/.test(failure)
}

/**
 * Below the ephemeral ports of Linux (from 32768), macOS and Windows (from 49152): an outgoing
 * connection must not take the server's port while it restarts.
 */
async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_768)
    const probe = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      probe.once('error', () => resolve(false))
      probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
    })
    if (isFree) return port
  }
}

function endOrphans(site: Site, waitedMs: number): void {
  if (waitedMs < ORPHAN_QUIT_MS) return
  // Their postmaster is dead, so the next start recovers from the log in any case.
  const signal = waitedMs < ORPHAN_KILL_MS ? 'SIGQUIT' : 'SIGKILL'
  for (const pid of listOrphans(site.dataDir)) {
    site.log(`ending process ${pid}, left behind by a dead database, with ${signal}`)
    signalProcess(pid, signal)
  }
}

async function ends(pid: number, ms: number): Promise<boolean> {
  const begin = performance.now()
  while (findProcess(pid) !== undefined) {
    if (performance.now() - begin > ms) return false
    await sleep(POLL_MS)
  }
  return true
}
