import fastify from 'fastify'

/**
 * The peer of the score-read benchmark: fetches the given paths from a service once, then answers
 * requests for them with the same bytes and headers, and does nothing else.
 */
const CONNECTION_HEADERS = new Set(['connection', 'content-length', 'date', 'keep-alive'])
const source = process.env['SOURCE'] ?? ''
const app = fastify()

for (const path of (process.env['PATHS'] ?? '').split(' ')) {
  const answer = await fetch(`${source}${path}`)
  const body = await answer.text()
  const headers = Object.fromEntries(
    [...answer.headers].filter(([name]) => !CONNECTION_HEADERS.has(name)),
  )
  app.get(path, async (_req, reply) => reply.headers(headers).send(body))
}
app.get('/health/ready', async () => ({ status: 'ready' }))

await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) })
process.on('SIGTERM', () => process.exit(0))
