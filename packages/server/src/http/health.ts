import { Type } from 'typebox'
import type { Server } from './server.ts'

export type HealthChecks = {
  /** Migrations and keys are there. */
  isStarted(): boolean
  isStopping(): boolean
  database(): Promise<boolean>
  queue(): Promise<boolean>
  chain(): Promise<boolean>
  /** Then start-up is complete only once the chain has answered (04 §1.5). */
  needsChain: boolean
}

const Live = Type.Object({ status: Type.Literal('ok') })
const Check = Type.Object({ status: Type.Enum(['ok', 'degraded', 'down']) })
const Ready = Type.Object({
  status: Type.Enum(['ready', 'unavailable']),
  checks: Type.Object({ database: Check, queue: Check, chain: Check }),
})
const Unavailable = Type.Object({ error: Type.String(), message: Type.String() })

const config = { access: 'public', perMinute: 'unlimited' } as const
const tags = ['service']

/** Outside the guard: cheap, unlimited, not logged (04 §1.5). */
export function healthRoutes(app: Server, checks: HealthChecks): void {
  const response = { 200: Live, 503: Unavailable }
  let chainSeen = !checks.needsChain
  const isComplete = async (): Promise<boolean> => {
    if (!checks.isStarted()) return false
    chainSeen ||= await checks.chain()
    return chainSeen
  }
  app.get(
    '/health/live',
    { config, schema: { summary: 'The process runs', tags, response: { 200: Live } } },
    async () => ({ status: 'ok' as const }),
  )

  app.get(
    '/health/startup',
    { config, schema: { summary: 'Start-up is complete', tags, response } },
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
      schema: { summary: 'Requests are welcome', tags, response: { 200: Ready, 503: Ready } },
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
      }
    },
  )
}
