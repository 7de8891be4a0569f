import { Type } from 'typebox'
import { NamedEnum, NamedObject } from './openapi/named.ts'
import { Problem } from './openapi/responses.ts'
import type { Server } from './server.ts'
import { Nullable } from './wire.ts'

export type HealthChecks = {
  /** Whether migrations have run and keys are loaded. */
  isStarted(): boolean
  isStopping(): boolean
  database(): Promise<boolean>
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
  pending: number
  lastCheckpointAt: Date | null
  fault: string | null
  witnesses: readonly { witness: { name: string }; size: number; status: string }[]
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
  pending: Nullable(Type.Integer({ description: 'records that are not in the log yet' })),
  last_checkpoint_at: Nullable(Type.String()),
  fault: Nullable(Type.String({ description: 'why nothing is added to the log any more' })),
  witnesses: Type.Array(
    NamedObject('WitnessCheck', {
      name: Type.String(),
      status: Type.String({ description: 'the outcome of the last request' }),
      size: Type.Integer({ description: 'the newest checkpoint that it cosigned' }),
    }),
  ),
})
const Ready = NamedObject(
  'Readiness',
  {
    status: Type.Enum(['ready', 'unavailable']),
    checks: Type.Object({ database: Check, queue: Check, chain: Check, log: LogCheck }),
    decision_durability: Type.String({ description: 'the setting DECISION_DURABILITY' }),
  },
  { description: 'The state of the service and its dependencies' },
)

/** Undefined if the database is not reachable. */
function toLogCheck(log: LogHealth | undefined) {
  return {
    status: log?.status ?? ('down' as const),
    size: log?.size ?? null,
    pending: log?.pending ?? null,
    last_checkpoint_at: log?.lastCheckpointAt?.toISOString() ?? null,
    fault: log?.fault ?? null,
    witnesses: (log?.witnesses ?? []).map(({ witness, status, size }) => ({
      name: witness.name,
      status,
      size,
    })),
  }
}

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
            .send({ error: 'unavailable', message: 'The service is starting.' }),
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
      const ready = database && checks.isStarted() && !checks.isStopping()
      if (!ready) reply.code(503).header('retry-after', '5')
      return {
        status: ready ? ('ready' as const) : ('unavailable' as const),
        checks: {
          database: { status: database ? ('ok' as const) : ('down' as const) },
          queue: { status: queue ? ('ok' as const) : ('degraded' as const) },
          chain: { status: chain ? ('ok' as const) : ('degraded' as const) },
          log: toLogCheck(log),
        },
        decision_durability: checks.decisionDurability,
      }
    },
  )
}
