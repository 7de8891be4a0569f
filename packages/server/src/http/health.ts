import { Type } from 'typebox'
import { NamedEnum, NamedObject } from './openapi/named.ts'
import { Problem } from './openapi/responses.ts'
import type { Server } from './server.ts'
import { Nullable } from './wire.ts'

export type HealthChecks = {
  /** Whether migrations have run and keys are loaded. */
  isStarted(): boolean
  isStopping(): boolean
  database(): Promise<{ status: 'ok' } | { status: 'read_only' | 'down'; reason: string }>
  /** False while changes made on other nodes may be missed. */
  hearsChanges(): boolean
  /** The clock of this machine differs too much from the database's. */
  clockFault(): { status: 'degraded' | 'unavailable'; reason: string } | undefined
  queue(): Promise<boolean>
  chain(): Promise<boolean>
  log(): Promise<LogHealth>
  /** Whether start-up waits for the first answer of the chain (spec: platform §1.5). */
  needsChain: boolean
  /** The setting DECISION_DURABILITY. */
  decisionDurability: string
}

type LogHealth = {
  status: 'ok' | 'degraded'
  size: number
  publishedSize: number | null
  pending: number
  lastCheckpointAt: Date | null
  fault: string | null
  witnesses: readonly {
    witness: { name: string }
    size: number
    status: string
    cosignedAt: Date | null
  }[]
}

const Live = NamedObject(
  'Liveness',
  { status: Type.Literal('ok') },
  { description: 'The check passed' },
)
const Status = NamedEnum('HealthStatus', ['ok', 'degraded', 'down'])
const Check = NamedObject('HealthCheck', { status: Status })
const LogCheck = NamedObject('LogCheck', {
  status: Status,
  size: Nullable(Type.Integer({ description: 'entries in the log' })),
  published_size: Nullable(
    Type.Integer({ description: 'entries under the published checkpoint; null while none is' }),
  ),
  pending: Nullable(Type.Integer({ description: 'records that are not in the log yet' })),
  last_checkpoint_at: Nullable(Type.String()),
  fault: Nullable(Type.String({ description: 'why nothing is added to the log any more' })),
  witnesses: Type.Array(
    NamedObject('WitnessCheck', {
      name: Type.String(),
      status: Type.String({ description: 'the outcome of the last request' }),
      size: Type.Integer({ description: 'the newest checkpoint that it cosigned' }),
      cosigned_at: Nullable(Type.String({ description: 'when it cosigned that checkpoint' })),
    }),
  ),
})
const Ready = NamedObject(
  'Readiness',
  {
    status: Type.Enum(['ready', 'degraded', 'unavailable']),
    reason: Nullable(Type.String({ description: 'why the status is not ready' })),
    checks: Type.Object({
      database: Check,
      notices: Check,
      queue: Check,
      chain: Check,
      log: LogCheck,
    }),
    decision_durability: Type.String({ description: 'the setting DECISION_DURABILITY' }),
  },
  { description: 'The state of the service and its dependencies' },
)

/** Undefined if the database is not reachable. */
function toLogCheck(log: LogHealth | undefined) {
  return {
    status: log?.status ?? ('down' as const),
    size: log?.size ?? null,
    published_size: log?.publishedSize ?? null,
    pending: log?.pending ?? null,
    last_checkpoint_at: log?.lastCheckpointAt?.toISOString() ?? null,
    fault: log?.fault ?? null,
    witnesses: (log?.witnesses ?? []).map(({ witness, status, size, cosignedAt }) => ({
      name: witness.name,
      status,
      size,
      cosigned_at: cosignedAt?.toISOString() ?? null,
    })),
  }
}

type Found = { database: Awaited<ReturnType<HealthChecks['database']>>; hearsChanges: boolean }

/** Reads and decisions are answered without writes and without the changes of other nodes. */
function readinessOf(
  checks: Pick<HealthChecks, 'isStarted' | 'isStopping' | 'clockFault'>,
  { database, hearsChanges }: Found,
) {
  if (checks.isStopping()) return { status: 'unavailable', reason: STOPPING } as const
  if (!checks.isStarted()) return { status: 'unavailable', reason: STARTING } as const
  if (database.status === 'down') return { status: 'unavailable', reason: database.reason } as const
  const clockFault = checks.clockFault()
  if (clockFault?.status === 'unavailable') return clockFault
  if (database.status !== 'ok') return { status: 'degraded', reason: database.reason } as const
  if (!hearsChanges) return { status: 'degraded', reason: MISSES_CHANGES } as const
  return clockFault ?? ({ status: 'ready', reason: null } as const)
}

const STARTING = 'The service is starting.'
const STOPPING = 'The service is stopping.'
const MISSES_CHANGES =
  'Changes made on other nodes are not announced, so every decision reads the database.'

const config = { access: 'public', perMinute: 'unlimited' } as const
const tags = ['service']

/** Not behind the guard: unlimited and not logged (spec: platform §1.5). */
export function healthRoutes(app: Server, checks: HealthChecks): void {
  const response = { 200: Live, 503: Problem }
  let chainSeen = !checks.needsChain
  const isComplete = async (): Promise<boolean> => {
    if (!checks.isStarted()) return false
    chainSeen ||= await checks.chain()
    return chainSeen
  }
  app.get(
    '/health/live',
    {
      config,
      schema: {
        operationId: 'getLiveness',
        summary: 'Check that the process runs',
        tags,
        response: { 200: Live },
      },
    },
    async () => ({ status: 'ok' as const }),
  )

  app.get(
    '/health/startup',
    {
      config,
      schema: {
        operationId: 'getStartup',
        summary: 'Check that start-up is complete',
        tags,
        response,
      },
    },
    async (_req, reply) =>
      (await isComplete())
        ? { status: 'ok' as const }
        : reply
            .code(503)
            .header('retry-after', '5')
            .send({ error: 'unavailable', message: STARTING }),
  )

  app.get(
    '/health/ready',
    {
      config,
      schema: {
        operationId: 'getReadiness',
        summary: 'Check that the service accepts requests',
        tags,
        response: { 200: Ready, 503: Ready },
      },
    },
    async (_req, reply) => {
      const [database, queue, chain, log] = await Promise.all([
        checks.database(),
        checks.queue(),
        checks.chain(),
        checks.log().catch(() => undefined),
      ])
      const hearsChanges = checks.hearsChanges()
      const readiness = readinessOf(checks, { database, hearsChanges })
      if (readiness.status === 'unavailable') reply.code(503).header('retry-after', '5')
      return {
        ...readiness,
        checks: {
          database: {
            status: database.status === 'read_only' ? ('degraded' as const) : database.status,
          },
          notices: { status: hearsChanges ? ('ok' as const) : ('degraded' as const) },
          queue: { status: queue ? ('ok' as const) : ('degraded' as const) },
          chain: { status: chain ? ('ok' as const) : ('degraded' as const) },
          log: toLogCheck(log),
        },
        decision_durability: checks.decisionDurability,
      }
    },
  )

  app.get(
    '/health/writable',
    {
      config,
      schema: {
        operationId: 'getWritability',
        summary: 'Check that the service can store data',
        description:
          '503 while the database is read-only, its disk is full or there is no primary. Reads may be answered all the same: see `/health/ready`.',
        tags,
        response,
      },
    },
    async (_req, reply) => {
      const database = await checks.database()
      const reason = checks.isStarted() ? reasonOf(database) : STARTING
      if (reason === undefined) return { status: 'ok' as const }
      return reply
        .code(503)
        .header('retry-after', '5')
        .send({ error: 'unavailable', message: reason })
    },
  )
}

function reasonOf(database: Found['database']): string | undefined {
  return database.status === 'ok' ? undefined : database.reason
}
