import { Type } from 'typebox'
import { NamedEnum, NamedObject } from './openapi/named.ts'
import { Problem } from './openapi/responses.ts'
import type { Server } from './server.ts'

export type HealthChecks = {
  /** Whether migrations have run and keys are loaded. */
  isStarted(): boolean
  isStopping(): boolean
  database(): Promise<boolean>
  queue(): Promise<boolean>
  chain(): Promise<boolean>
  /** Whether start-up waits for the first answer of the chain (spec: platform §1.5). */
  needsChain: boolean
  /** The setting DECISION_DURABILITY. */
  decisionDurability: string
}

const Live = NamedObject(
  'Liveness',
  { status: Type.Literal('ok') },
  { description: 'The check passed' },
)
const Check = NamedObject('HealthCheck', {
  status: NamedEnum('HealthStatus', ['ok', 'degraded', 'down']),
})
const Ready = NamedObject(
  'Readiness',
  {
    status: Type.Enum(['ready', 'unavailable']),
    checks: Type.Object({ database: Check, queue: Check, chain: Check }),
    decision_durability: Type.String({ description: 'the setting DECISION_DURABILITY' }),
  },
  { description: 'The state of the service and its dependencies' },
)

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
      const [database, queue, chain] = await Promise.all([
        checks.database(),
        checks.queue(),
        checks.chain(),
      ])
      const ready = database && checks.isStarted() && !checks.isStopping()
      if (!ready) reply.code(503).header('retry-after', '5')
      return {
        status: ready ? ('ready' as const) : ('unavailable' as const),
        checks: {
          database: { status: database ? ('ok' as const) : ('down' as const) },
          queue: { status: queue ? ('ok' as const) : ('degraded' as const) },
          chain: { status: chain ? ('ok' as const) : ('degraded' as const) },
        },
        decision_durability: checks.decisionDurability,
      }
    },
  )
}
