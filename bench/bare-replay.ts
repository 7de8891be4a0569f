import fastify from 'fastify'

/**
 * The peer of the score-read benchmark: fetches some addresses of a service once and then answers
 * the same paths with the same bytes and headers, and does nothing else.
 */
const OF_THE_CONNECTION = new Set(['connection', 'content-length', 'date', 'keep-alive'])
const source = process.env['SOURCE'] ?? ''
const app = fastify()

for (const path of (process.env['PATHS'] ?? '').split(' ')) {
  const answer = await fetch(`${source}${path}`)
  const body = await answer.text()
  const headers = Object.fromEntries(
    [...answer.headers].filter(([name]) => !OF_THE_CONNECTION.has(name)),
  )
  app.get(path, async (_req, reply) => reply.headers(headers).send(body))
}
app.get('/health/ready', async () => ({ status: 'ready' }))

await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) })
process.on('SIGTERM', () => process.exit(0))
