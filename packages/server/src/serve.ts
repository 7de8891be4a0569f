import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { App, ProcessRole } from './app.ts'
import { assertContractsNamed } from './chain-config.ts'
import { keepCompiledCode } from './compile-cache.ts'
import type { Config } from './config.ts'
import { ConfigError } from './config-reader.ts'
import { createDatabaseClock } from './database/clock.ts'
import { assertReachable, serviceName } from './database/session.ts'
import { isDatabaseDown } from './kernel/db.ts'
import { openEmbedded } from './postgres/embedded.ts'
import { listPending, migrate } from './postgres/migrate.ts'
import { openSecretKey } from './secret-key.ts'
import { createLog, type Log } from './telemetry/log.ts'

export type ServeOptions = {
  config: Config
  role: ProcessRole
  /** Skips the demo data at the first start. */
  empty: boolean
  migrationsDir: string
  version: string
  print(line: string): void
}

export type Running = { stop(): Promise<void>; baseUrl: string }

type Undo = () => Promise<void>

/** Starts all components in order and returns a function that stops them in reverse. */
export async function serve(options: ServeOptions): Promise<Running> {
  const undo: Undo[] = []
  const stop = () => undoAll(undo)
  try {
    const baseUrl = await start(options, undo)
    return { stop, baseUrl }
  } catch (err) {
    // Reports the original error, even if stopping fails too.
    await stop().catch(() => undefined)
    throw err
  }
}

/** Continues after a failed step, because the last one stops the database. */
async function undoAll(undo: Undo[]): Promise<void> {
  const failures: unknown[] = []
  for (const step of undo.splice(0).reverse()) {
    await step().catch((err: unknown) => failures.push(err))
  }
  if (failures.length > 0) throw failures[0]
}

async function start(options: ServeOptions, undo: Undo[]): Promise<string> {
  assertContractsNamed(options.config.chain)
  const config = await withPort(options.config)
  const log = createLog(config.logLevel)
  undo.push(async () => void log.flush())
  keepCompiledCode(config.dataDir)
  // Loading the service takes as long as creating a database, which another process does.
  const loading = import('./app.ts')
  const database = await openDatabase({ config, role: options.role }, log, undo)
  const { createApp } = await loading
  // The database migrates while this process builds the routes.
  const migrating = applyMigrations(
    options,
    config.databaseDirectUrl ?? database.connectionString,
    log,
  )
  // An error before it is awaited is reported below, and must not end the process here.
  migrating.catch(() => undefined)
  const clock = createDatabaseClock()
  const app = await createApp({
    config,
    log,
    clock,
    databaseClock: clock,
    role: options.role,
    version: options.version,
    ...database,
  })
  undo.push(() => app.stop())
  await app.listen()
  await migrating
  await app.start()
  // Before it is ready, because starting threads takes a core from requests for a moment.
  if (options.role === 'all' || options.role === 'api') app.kernel.verifiers.start()
  const isFirstStart = await firstStart(app, config, options.print)
  app.markStarted()
  warnAboutSettings(config, log)
  options.print(readyLine(options.role, config.baseUrl))
  if (config.databaseUrl === undefined && config.localIdp && !options.empty) {
    const { print, version } = options
    const { startDemo } = await import('./demo/demo.ts')
    const { pauseSending } = app
    const about = { config, log, clock, version, isFirstStart, print, pauseSending }
    const demo = startDemo({ ...about, ...database })
    undo.push(demo.stop)
  }
  return config.baseUrl
}

async function applyMigrations(
  { config, role, version, migrationsDir: dir }: ServeOptions,
  connectionString: string,
  log: Log,
): Promise<void> {
  const name = serviceName(role, version)
  if (!config.migrateAtStart) {
    const pending = await listPending({ connectionString, dir, version, name })
    if (pending.length === 0) return
    throw new ConfigError(
      `The database lacks ${pending.length} migrations, and MIGRATE_AT_START is off. Run touchstone db migrate first.`,
    )
  }
  const applied: string[] = []
  const onApplied = (name: string) => {
    applied.push(name)
    log.debug({ migration: name }, 'applied a migration')
  }
  await migrate({ connectionString, dir, version, name, onApplied }).catch((err: unknown) => {
    throw isDatabaseDown(err) ? noDatabase(err) : err
  })
  if (applied.length === 0) return
  log.info({ migrations: applied.length, last: applied.at(-1) }, 'applied migrations')
}

/** Reports an unusable DATABASE_URL before anything else starts. */
async function assertUsable({ databaseUrl, databaseDirectUrl }: Config): Promise<void> {
  const addresses = [
    ['DATABASE_URL', databaseUrl],
    ['DATABASE_DIRECT_URL', databaseDirectUrl],
  ] as const
  for (const [name, url] of addresses) {
    if (url === undefined) continue
    const isDirect = name === 'DATABASE_DIRECT_URL' || databaseDirectUrl === undefined
    await assertReachable(url, isDirect).catch((err: unknown) => {
      throw new ConfigError(`${name}: ${err instanceof Error ? err.message : String(err)}`)
    })
  }
}

function noDatabase(err: unknown): Error {
  return new ConfigError(`The database at DATABASE_URL does not respond: ${String(err)}`)
}

function readyLine(role: ProcessRole, baseUrl: string): string {
  if (role === 'worker') return 'Touchstone worker is ready.'
  if (role === 'gateway') return `Touchstone model gateway is ready at ${baseUrl}/llm/`
  return `Touchstone is ready at ${baseUrl}  (API reference: ${baseUrl}/docs)`
}

async function openDatabase(
  { config, role }: { config: Config; role: ProcessRole },
  log: Log,
  undo: Undo[],
): Promise<{ connectionString: string; secretKey: Buffer }> {
  if (role === 'gateway' && config.databaseUrl === undefined) {
    throw new ConfigError(
      'touchstone gateway needs DATABASE_URL, that of the service it belongs to.',
    )
  }
  if (config.databaseUrl !== undefined) {
    const connectionString = config.databaseUrl
    const secretKey = await openSecretKey(config, connectionString)
    await assertUsable(config)
    return { connectionString, secretKey }
  }
  const embedded = await openEmbedded(config.dataDir, (message) =>
    log.info({ component: 'postgres' }, message),
  )
  undo.push(embedded.stop)
  const { connectionString } = embedded
  return { connectionString, secretKey: await openSecretKey(config, connectionString) }
}

async function firstStart(
  app: App,
  config: Config,
  print: (line: string) => void,
): Promise<boolean> {
  const file = join(config.dataDir, 'credentials.json')
  const created = await app.firstStart(async (credentials) => {
    await mkdir(config.dataDir, { recursive: true, mode: 0o700 })
    await writeFile(file, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 })
  })
  if (created === undefined) return false
  print('First start. These credentials are shown only once.')
  print(`  URL       ${created.base_url}`)
  print(`  e-mail    ${created.email}`)
  print(`  password  ${created.password}`)
  print(`  API key   ${created.api_key}`)
  print(`  (stored in ${file})`)
  return true
}

/** Replaces port 0 by a free port, because other components need the address at start. */
async function withPort(config: Config): Promise<Config> {
  if (config.port !== 0) return config
  const port = await new Promise<number>((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, config.host, () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0))
    })
  })
  const baseUrl =
    config.baseUrl === 'http://localhost:0' ? `http://localhost:${port}` : config.baseUrl
  return { ...config, port, baseUrl }
}

function warnAboutSettings(config: Config, log: Log): void {
  if (config.allowLoopbackEgress) {
    log.warn('ALLOW_LOOPBACK_EGRESS is on: tenants can make this server call itself')
  }
  if (config.egressAllowCidrs.length > 0) {
    log.warn(
      { ranges: config.egressAllowCidrs },
      'EGRESS_ALLOW_CIDRS allows tenants to reach these ranges',
    )
  }
  if (!config.rateLimits) log.warn('RATE_LIMITS is off')
}
