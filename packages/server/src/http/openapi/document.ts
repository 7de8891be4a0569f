import type { Server } from '../server.ts'

const config = { access: 'public', perMinute: 'unlimited' } as const

/** The OpenAPI document, which the dashboard shows as the API reference at `/docs/reference`. */
export function documentRoute(app: Server): void {
  let document: string | undefined
  app.get('/openapi.json', { config, schema: { hide: true } }, async (_req, reply) => {
    document ??= JSON.stringify(app.swagger())
    return reply.type('application/json').header('access-control-allow-origin', '*').send(document)
  })
}
