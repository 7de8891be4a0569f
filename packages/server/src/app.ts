import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { API_TAGS } from './api-tags.ts'
import type { Credentials } from './areas/platform/bootstrap/service.ts'
import { createAuthenticator, createStreamAuthenticator } from './compose/authenticator.ts'
import { createFeatures, type Features } from './compose/features.ts'
import { createKernel, type Kernel } from './compose/kernel.ts'
import { openRateLimits, warnAboutSiblings } from './compose/rate-limits.ts'
import type { Config } from './config.ts'
import { ConfigError } from './config-reader.ts'
import { type DatabaseClock, describeSkew } from './database/clock.ts'
import { createDatabase, type Database } from './database/database.ts'
import { type SessionLimits, serviceName } from './database/session.ts'
import { createGuard, isStillAdmitted } from './http/access/guard.ts'
import type { GuardedRequest } from './http/access/guarded.ts'
import { createIdempotency, type Idempotency } from './http/answers/idempotency.ts'
import { createDashboard, type Dashboard } from './http/dashboard.ts'
import { healthRoutes } from './http/health.ts'
import { createAuthenticate } from './http/identity/authenticate.ts'
import type { RateLimitStore } from './http/limits/rate-limit.ts'
import { createRelayLimits } from './http/limits/relay-limit.ts'
import { createSharedLimit } from './http/limits/shared-limit.ts'
import { documentRoute } from './http/openapi/document.ts'
import { describeApi } from './http/openapi/openapi.ts'
import { createServer, mountApi, type Server, type ServerOptions } from './http/server.ts'
import type { Clock } from './kernel/clock.ts'
import { createLineWriter, type Log } from './telemetry/log.ts'
import { createMetrics, type Metrics } from './telemetry/metrics.ts'
import { serveMetrics } from './telemetry/metrics-server.ts'
import { startTracing, type Tracing, traceIdOf } from './telemetry/tracing.ts'
import { libsodium } from './workers/libsodium.ts'

/** `gateway` serves nothing but the model gateway and health checks, and does no background work. */
export type ProcessRole = 'api' | 'worker' | 'all' | 'gateway'

export type AppOptions = {
  config: Config
  connectionString: string
  secretKey: Buffer
  clock: Clock
  /** Follows the time of the database; usually the same as `clock`. */
  databaseClock?: DatabaseClock
  log: Log
  role: ProcessRole
  version: string
  /** Separates the jobs of this instance from those of others on the same database. */
  jobPrefix?: string
  /** For tests on slow machines; default: the limit of the specification. */
  evaluationMsMax?: number
  /** For tests on slow machines: how long a request waits for a database connection. */
  connectMsMax?: number
  /** For tests on slow machines: what the database allows sessions. */
  sessionLimits?: Partial<SessionLimits>
  /** For tests of what exceeds it: the memory of a thread that verifies documents of strangers. */
  verifierMemoryMbMax?: number
}

export type App = {
  server: Server
  kernel: Kernel
  /** Opens the listeners; the API answers 503 until `markStarted`. */
  listen(): Promise<void>
  /** Called after the migrations: listens for notices and, in a worker, starts the jobs. */
  start(): Promise<void>
  markStarted(): void
  firstStart(keep: (c: Credentials) => Promise<void>): Promise<Credentials | undefined>
  /** The OpenAPI document of every mounted route. */
  openapi(): object
  /** Enqueues the computation of all scores, as the hourly schedule does. */
  rateAll(): Promise<void>
  /** Erases the organisations whose grace period has ended at that time. */
  eraseDueOrgs(now: Date): Promise<number>
  /** Creates the tables for decisions from that time on, if it is in a past month. */
  prepareDecisionsSince(since: Date): Promise<void>
  /** Deletes the second factor of an account, for the operator. */
  resetSecondFactor: Features['resetSecondFactor']
  /** Sends the due webhooks; a worker does this automatically. */
  sendDue(): Promise<number>
  /** Leaves due deliveries to others until the returned function is called. */
  pauseSending(): Promise<() => void>
  /** Adds waiting entries to the log; a worker does this automatically. */
  sequenceLog(): Promise<number>
  /** Asks the witnesses of the log; a worker does this automatically. */
  askWitnesses(): Promise<void>
  /** Creates the due proofs; a worker does this automatically. */
  proveDue(): Promise<number>
  stop(): Promise<void>
}

/** Time for pending requests to finish after `stop` was called. */
const GRACE_MS = 10_000

type State = { started: boolean; stopping: boolean }

/** The composition root: builds all components and passes each its dependencies. */
export async function createApp(options: AppOptions): Promise<App> {
  const { config, log } = options
  const state: State = { started: false, stopping: false }
  const metrics = createMetrics()
  const tracing = await openTracing(options)
  const database = openDatabase(options)
  const kernel = createKernel(options, database, { metrics, spans: tracing?.spans })
  const idempotency = createIdempotency({
    db: kernel.db,
    clock: kernel.clock,
    secretKey: options.secretKey,
    onError: (err) => log.error({ err }, 'storing a response for its Idempotency-Key failed'),
  })
  const rateLimits = await openRateLimits(kernel)
  const limits = createSharedLimit({ rateLimits, clock: kernel.clock })
  const { lifecycle } = kernel
  lifecycle.add({
    name: 'http/idempotency',
    purges: [{ name: 'idempotent responses', run: idempotency.purge }],
  })
  const features = createFeatures(kernel, {
    limits,
    relayLimits: createRelayLimits({ rateLimits, clock: kernel.clock }),
    isReady: () => state.started,
    evaluationMsMax: options.evaluationMsMax,
  })
  lifecycle.seal()
  connectRegistrations(kernel)
  const parts = { features, idempotency, rateLimits, tracing, metrics, state }
  const server = await createHttp(options, kernel, parts)
  const closers: (() => Promise<void>)[] = []
  return {
    server,
    kernel,
    firstStart: (keep) => features.bootstrap.firstStart(keep),
    openapi: () => server.swagger(),
    rateAll: () => features.rateAll(kernel.clock.now()),
    eraseDueOrgs: (now) => features.eraseDueOrgs(now),
    prepareDecisionsSince: (since) => features.prepareDecisionsSince(since),
    resetSecondFactor: (email) => features.resetSecondFactor(email),
    sendDue: () => features.sendDue(),
    pauseSending: () => features.pauseSending(),
    sequenceLog: () => features.sequenceLog(),
    askWitnesses: () => features.askWitnesses(),
    proveDue: () => features.proveDue(),
    markStarted: () => {
      database.endStart()
      state.started = true
    },
    async listen() {
      await listenForMetrics(options, metrics, closers)
      if (options.role === 'worker') return
      await server.listen({ host: config.host, port: config.port })
    },
    async start() {
      database.replicas?.start()
      await kernel.notices.start()
      await lifecycle.run('warm')
      if (options.role !== 'worker') await warnAboutSiblings(kernel)
      if (options.role === 'api' || options.role === 'gateway') return
      kernel.jobs.start()
      kernel.schedules.start()
      await lifecycle.run('serve')
    },
    async stop() {
      state.stopping = true
      // A balancer that has not asked again yet still sends requests.
      if (state.started) await sleep(config.shutdownDelayMs)
      await closeServer(server)
      await kernel.schedules.stop()
      await kernel.jobs.stop()
      await lifecycle.runAll('drain')
      await lifecycle.runAll('stop')
      await kernel.workers.close()
      await kernel.verifiers.close()
      await kernel.reader.close()
      for (const close of closers) await close()
      await tracing?.stop()
      await rateLimits?.close()
      await kernel.notices.stop()
      await database.close()
    },
  }
}

/** Passes the schedules and gauges that features registered to the components that run them. */
function connectRegistrations({ lifecycle, metrics, schedules }: Kernel): void {
  for (const part of lifecycle.parts()) {
    for (const { name, cron, run } of part.schedules ?? []) schedules.add(name, cron, run)
    for (const gauge of part.gauges ?? []) metrics.watch(gauge)
  }
}

async function openTracing({ config, version }: AppOptions): Promise<Tracing | undefined> {
  const endpoint = config.otlpEndpoint
  return endpoint === undefined ? undefined : startTracing({ endpoint, version })
}

function openDatabase(options: AppOptions): Database {
  return createDatabase({
    connectionString: options.connectionString,
    directConnectionString: options.config.databaseDirectUrl,
    replicaConnectionStrings: options.config.databaseReplicaUrls,
    name: serviceName(options.role, options.version),
    connectionsMax: options.config.databaseConnectionsMax,
    preparedStatements: options.config.preparedStatements,
    connectMsMax: options.connectMsMax,
    limits: options.sessionLimits,
    isStarting: true,
    onError: (err) => options.log.error({ err }, 'a database connection was lost'),
  })
}

type Parts = {
  features: Features
  idempotency: Idempotency
  rateLimits: RateLimitStore | undefined
  tracing: Tracing | undefined
  metrics: Metrics
  state: State
}

async function createHttp(options: AppOptions, kernel: Kernel, parts: Parts): Promise<Server> {
  const { config, log, clock } = options
  const { features, metrics, state, tracing } = parts
  const authenticate = createAuthenticate(createAuthenticator(features.services), clock)
  const authenticateStream = createAuthenticate(
    createStreamAuthenticator(features.services, kernel),
    clock,
  )
  const guard = createGuard({
    authenticate,
    idempotency: parts.idempotency,
    clock,
    trustedHops: config.trustedHops,
    legacyKeyHeaders: config.legacyKeyHeaders,
    rateLimits: parts.rateLimits,
    registeredIds: features.registeredIds,
    orgOfAgent: features.orgOfAgent,
    orgOfTeam: features.orgOfTeam,
    orgExists: features.orgExists,
    isReady: () => state.started,
    onRateLimited: (route) => metrics.rateLimited.inc({ route }),
    onImpersonated: (req) => features.recordImpersonated(req),
  })
  const logRequest = createRequestLog(log, metrics)
  const dashboard = options.role === 'gateway' ? undefined : createDashboard()
  const serverOptions: ServerOptions = {
    baseUrl: config.baseUrl,
    cors: { origins: config.corsOrigins, keyHeaders: config.legacyKeyHeaders },
    connectionsPerAddress: config.connectionsPerAddress,
    guard,
    registeredIds: features.registeredIds,
    idempotency: parts.idempotency,
    isStillAdmitted: (req, askOnce) => isStillAdmitted(req, authenticateStream, askOnce),
    onRequest: (req) => tracing?.begin(req),
    runInContext: tracing?.within,
    replicas: kernel.replicas,
    onAnswered: (req, reply) => {
      tracing?.end(req, reply)
      logRequest(req, reply.statusCode, reply.elapsedTime)
    },
    onFault: (req, err) => log.error({ err, request_id: req.id }, 'a request failed'),
    missingPage: dashboard?.missingPage,
  }
  const server = createServer(serverOptions)
  await describeApi(server, {
    version: options.version,
    baseUrl: config.baseUrl,
    tags: API_TAGS,
  })
  healthRoutes(server, {
    isStarted: () => state.started,
    isStopping: () => state.stopping,
    database: kernel.checkDatabase,
    hearsChanges: kernel.notices.isLive,
    clockFault: () => describeSkew(options.databaseClock?.skewMs() ?? 0),
    queue: () => isAnswered(sql`select 1 from job limit 1`.execute(kernel.db)),
    chain: () => isAnswered(features.assertChainWell()),
    log: features.logHealth,
    needsChain: config.chain.mode === 'rpc',
    decisionDurability: config.decisionDurability,
  })
  features.mountRelay(server, tracing)
  if (options.role !== 'gateway') mountProduct(server, serverOptions, kernel, dashboard)
  if (libsodium === undefined)
    log.warn('libsodium is not available; signing with OpenSSL, which is slower')
  await server.ready()
  return server
}

/** The API, its reference and the dashboard. */
function mountProduct(
  server: Server,
  options: ServerOptions,
  { log, lifecycle }: Kernel,
  dashboard: Dashboard | undefined,
): void {
  documentRoute(server)
  if (dashboard === undefined)
    log.warn('the dashboard is not available because packages/web is not built')
  else dashboard.routes(server)
  mountApi(server, options, lifecycle.mount)
}

/** Counts a request and logs it. */
function createRequestLog(log: Log, metrics: Metrics) {
  const writeAnswered = createLineWriter(log, 'answered')
  return (req: GuardedRequest, status: number, elapsedMs: number): void => {
    const line = lineOf(req, status, elapsedMs)
    metrics.answered(line, elapsedMs)
    writeAnswered(line)
  }
}

const PROBE_MS = 2000

async function isAnswered(query: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, PROBE_MS, false)
  })
  const reply = query.then(
    () => true,
    () => false,
  )
  const answered = await Promise.race([reply, late])
  clearTimeout(timer)
  return answered
}

function lineOf(req: GuardedRequest, status: number, elapsedMs: number) {
  const { caller } = req
  return {
    request_id: req.id,
    trace_id: traceIdOf(req),
    org_id: req.tenant?.orgId,
    actor:
      caller?.kind === 'key' ? caller.keyId : caller?.kind === 'user' ? caller.userId : undefined,
    method: req.method,
    route: req.route.url,
    status,
    duration_ms: Math.round(elapsedMs * 100) / 100,
  }
}

async function listenForMetrics(
  options: AppOptions,
  metrics: Metrics,
  closers: (() => Promise<void>)[],
): Promise<void> {
  const address = options.config.metricsAddr
  if (address === undefined) return
  const listener = await serveMetrics(metrics.registry, address).catch((err: unknown) => {
    throw new ConfigError(
      `METRICS_ADDR: cannot listen on ${address.host}:${address.port} (${String(err)}). Choose a different address, or off.`,
    )
  })
  closers.push(
    () =>
      new Promise((resolve) => {
        listener.close(() => resolve())
        listener.closeAllConnections()
      }),
  )
}

async function closeServer(server: Server): Promise<void> {
  const force = setTimeout(() => server.server.closeAllConnections(), GRACE_MS)
  // Otherwise a connection that was busy at the start of closing stays open until it times out.
  const sweep = setInterval(() => server.server.closeIdleConnections(), 50)
  await server.close()
  clearInterval(sweep)
  clearTimeout(force)
}
