import { mkdir, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { findBinaries } from './binaries.ts'
import { ensureInitialised } from './initialise.ts'
import { chooseLauncher, type RootMode } from './launch.ts'
import {
  type Postmaster,
  postmasterUrl,
  type Site,
  startPostmaster,
  stopPostmaster,
} from './postmaster.ts'
import { isPostmasterOf } from './processes.ts'
import { boundLog } from './server-log.ts'

export type ClusterOptions = {
  /**
   * The database folder. Next to it are `<dataDir>.password`, `<dataDir>.log` and, during the
   * first start, `<dataDir>.init-*`. The caller holds the lock of the enclosing folder.
   */
  dataDir: string
  /** A package of binaries other than that of this platform. */
  packageName?: string | undefined
  /** Added to, or overriding, the settings of settings.ts. */
  settings?: Record<string, string> | undefined
  /** Forces one mode when run as root. Default: the first that works. */
  asRoot?: RootMode | undefined
  log?: ((message: string) => void) | undefined
}

/**
 * A running PostgreSQL. If its process dies it is restarted on the same port, so that `url`
 * stays valid; connections are lost, as with any database.
 */
export type Cluster = {
  url(database?: string): string
  readonly port: number
  /** The pid of the current server process. */
  readonly pid: number
  /** Whether the server was already running, left by a service that was killed. */
  readonly reused: boolean
  /** Called each time the server ends unexpectedly, while it is being restarted. */
  onExit(listener: (pid: number) => void): void
  stop(): Promise<void>
}

const WATCH_MS = 500
const LOG_CHECK_MS = 60_000
const BACKOFF_MS_MIN = 100
const BACKOFF_MS_MAX = 5_000
/** A server that ran this long did not fail because of its start. */
const HEALTHY_MS = 60_000

export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const site = await prepareSite(options)
  return superviseCluster(
    site,
    await startPostmaster(site, undefined, new AbortController().signal),
  )
}

async function prepareSite(options: ClusterOptions): Promise<Site> {
  await mkdir(dirname(options.dataDir), { recursive: true, mode: 0o700 })
  // Compared with the server's working folder, so it must be free of symbolic links.
  const parent = await realpath(dirname(options.dataDir))
  const dataDir = await realpath(options.dataDir).catch(() =>
    join(parent, basename(options.dataDir)),
  )
  const binaries = await findBinaries(options.packageName)
  const launcher = await chooseLauncher({
    program: binaries.postgres,
    dir: dirname(dataDir),
    asRoot: options.asRoot,
  })
  const settings = options.settings ?? {}
  const durable = settings['fsync'] !== 'off'
  const password = await ensureInitialised({ dataDir, binaries, launcher, durable })
  const log = options.log ?? (() => undefined)
  return { dataDir, binaries, launcher, password, settings, logFile: `${dataDir}.log`, log }
}

function superviseCluster(site: Site, first: Postmaster): Cluster {
  const listeners: ((pid: number) => void)[] = []
  const stopping = new AbortController()
  let current = first
  let restarting: Promise<void> | undefined
  let stopped: Promise<void> | undefined

  const keepAlive = createRestarter(site, stopping.signal)
  const watch = () => onceEnded(site, current, stopping.signal, ended)
  function ended(): void {
    if (stopping.signal.aborted) return
    site.log(`database process ${current.pid} ended, restarting it`)
    for (const listener of listeners) listener(current.pid)
    restarting = keepAlive(current.port).then((next) => {
      restarting = undefined
      if (next === undefined) return
      current = next
      site.log(`database runs again as process ${next.pid}`)
      watch()
    })
  }
  async function stop(): Promise<void> {
    stopping.abort()
    clearInterval(logTimer)
    await restarting
    await stopPostmaster(site, current)
  }

  watch()
  const logTimer = setInterval(() => boundLog(site.logFile), LOG_CHECK_MS).unref()
  return {
    url: (database = 'postgres') => postmasterUrl(site, current.port, database),
    get port() {
      return current.port
    },
    get pid() {
      return current.pid
    },
    reused: first.child === undefined,
    onExit: (listener) => void listeners.push(listener),
    stop() {
      stopped ??= stop()
      return stopped
    },
  }
}

/** A child process reports its exit; a server that was taken over must be polled. */
function onceEnded(
  site: Site,
  { pid, child }: Postmaster,
  signal: AbortSignal,
  ended: () => void,
): void {
  if (child) {
    if (child.exitCode !== null || child.signalCode !== null) queueMicrotask(ended)
    else child.once('exit', ended)
    return
  }
  const timer = setInterval(() => {
    if (signal.aborted) return clearInterval(timer)
    if (isPostmasterOf(pid, site.dataDir)) return
    clearInterval(timer)
    ended()
  }, WATCH_MS).unref()
}

/**
 * Retries indefinitely: the cause (a full disk, an operator) is temporary, and until then
 * readiness fails. Resolves to undefined if the cluster is being stopped.
 */
function createRestarter(site: Site, signal: AbortSignal) {
  let delayMs = 0
  let startedAt = performance.now()
  return async (port: number): Promise<Postmaster | undefined> => {
    if (performance.now() - startedAt > HEALTHY_MS) delayMs = 0
    while (!signal.aborted) {
      try {
        await sleep(delayMs, undefined, { signal })
        delayMs = Math.min(BACKOFF_MS_MAX, Math.max(BACKOFF_MS_MIN, delayMs * 2))
        const next = await startPostmaster(site, port, signal)
        startedAt = performance.now()
        return next
      } catch (err) {
        if (!signal.aborted) site.log(`database restart failed: ${String(err)}`)
      }
    }
    return undefined
  }
}
