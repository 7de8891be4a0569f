import { hostname } from 'node:os'
import { createLogQueue } from '../areas/log/entries/feature.ts'
import type { Config } from '../config.ts'
import { type DatabaseClock, describeSkew, type TimeSample } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import type { DatabaseHealth } from '../database/health.ts'
import type { Replicas } from '../database/replicas.ts'
import { serviceName } from '../database/session.ts'
import { createEgress, type Egress } from '../egress/egress.ts'
import { type Clock, MINUTE_MS } from '../kernel/clock.ts'
import type { Db } from '../kernel/db.ts'
import { createEvents, type Outbox } from '../kernel/events.ts'
import { createJobs, type Jobs } from '../kernel/jobs.ts'
import { createLifecycle } from '../kernel/lifecycle.ts'
import { createNotices, type Notices } from '../kernel/notices.ts'
import { createSchedules, type Schedules } from '../kernel/schedules.ts'
import { createSecretBox, type SecretBox } from '../kernel/secrets.ts'
import { erasedWithOrg, type Lifecycle } from '../lifecycle-phases.ts'
import type { LogQueue } from '../log-record.ts'
import type { Model } from '../model/model.ts'
import { createModel } from '../model/model-client.ts'
import type { Log } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Spans } from '../telemetry/spans.ts'
import {
  createReader,
  createServerWorkers,
  createVerifiers,
  type ServerWorkers,
} from '../workers/server-workers.ts'
import { kernelGauges } from './kernel-gauges.ts'

/** Dependencies shared by all features. */
export type Kernel = {
  config: Config
  db: Db
  /** Whether the database answers and can be written to. */
  checkDatabase(): Promise<DatabaseHealth>
  /** Undefined without DATABASE_REPLICA_URLS. */
  replicas: Replicas | undefined
  /** For transactions on behalf of many callers, which wait for a lock only briefly. */
  groupCommitDb: Db
  clock: Clock
  log: Log
  metrics: Metrics
  /** Undefined without OTEL_EXPORTER_OTLP_ENDPOINT. */
  spans: Spans | undefined
  notices: Notices
  events: Outbox
  jobs: Jobs
  schedules: Schedules
  /** Features register their hooks, routes, purges and schedules here. */
  lifecycle: Lifecycle
  /** Queues records for the witnessed log. */
  logQueue: LogQueue
  secrets: SecretBox
  /** Calls addresses that users name. */
  egress: Egress
  /** Calls addresses of the settings, which may be on this machine. */
  operatorEgress: Egress
  /** Undefined without MODEL_PROVIDER. */
  model: Model | undefined
  /** For computations that would block the event loop. */
  workers: ServerWorkers
  /** For verifications that anybody can ask for. */
  verifiers: ServerWorkers
  /** For the texts of checkpoints. */
  reader: ServerWorkers
}

export function createKernel(
  options: {
    config: Config
    clock: Clock
    log: Log
    secretKey: Buffer
    role: string
    version: string
    databaseClock?: DatabaseClock
    jobPrefix?: string
    verifierMemoryMbMax?: number
  },
  database: Database,
  telemetry: { metrics: Metrics; spans: Spans | undefined },
): Kernel {
  const { config, clock, log } = options
  const { metrics, spans } = telemetry
  const { db, groupCommitDb } = database
  const notices = createNotices({
    connectionString: database.directConnectionString,
    name: serviceName(options.role, options.version),
    onTime: options.databaseClock && followTime(options.databaseClock, log),
    onError: (err) => log.error({ err }, 'the connection for notices between nodes failed'),
  })
  const jobs = createJobs({
    db,
    clock,
    notices,
    node: `${hostname()}:${process.pid}`,
    ...(options.jobPrefix === undefined ? {} : { prefix: options.jobPrefix }),
    onError: (err, kind) => log.error({ err, job: kind }, 'a job failed'),
    onDone: (kind, durationMs) => {
      metrics.jobDuration.observe({ job: kind }, durationMs / 1000)
      metrics.jobLastSuccess.set({ job: kind }, clock.nowMs() / 1000)
    },
  })
  const schedules = createSchedules({
    db,
    clock,
    jobs,
    onError: (err) => log.error({ err }, 'a schedule failed'),
  })
  const events = createEvents({ db, clock, onEmit: (type) => metrics.events.inc({ type }) })
  const lifecycle: Lifecycle = createLifecycle()
  lifecycle.add({
    name: 'kernel',
    purges: [
      { name: 'jobs', run: jobs.purge },
      { name: 'schedules', run: schedules.purge },
      { name: 'events', run: events.purge },
    ],
    // Last, because other hooks may emit events about the erasure.
    hooks: { serve: events.prepare, orgErased: { run: events.erase, last: true } },
    gauges: kernelGauges({
      db,
      clock,
      checkDatabase: database.checkHealth,
      replicas: database.replicas,
    }),
    tables: {
      event: erasedWithOrg({ exported: 'webhooks', purged: 'with its month, after 30 days' }),
    },
  })
  return {
    config,
    db,
    groupCommitDb,
    replicas: database.replicas,
    checkDatabase: database.checkHealth,
    clock,
    log,
    metrics,
    spans,
    notices,
    jobs,
    schedules,
    events,
    lifecycle,
    logQueue: createLogQueue({ clock }),
    secrets: createSecretBox(options.secretKey),
    model: config.model && createModel(config.model),
    workers: createServerWorkers(),
    verifiers: createVerifiers(options.verifierMemoryMbMax),
    reader: createReader(),
    egress: createEgress({
      allowLoopback: config.allowLoopbackEgress,
      allowCidrs: config.egressAllowCidrs,
    }),
    operatorEgress: createEgress({ allowLoopback: true, allowCidrs: config.egressAllowCidrs }),
  }
}

/** Sets the clock by the database, and says once a minute if the machine's is wrong. */
function followTime(clock: DatabaseClock, log: Log): (sample: TimeSample) => void {
  let toldAtMs = Number.NEGATIVE_INFINITY
  return (sample) => {
    clock.observe(sample)
    const skew = describeSkew(clock.skewMs())
    if (skew === undefined || sample.receivedMs - toldAtMs < MINUTE_MS) return
    toldAtMs = sample.receivedMs
    log.warn(skew.reason)
  }
}
