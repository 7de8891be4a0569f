import { createServer, type Server } from 'node:http'
import type { Registry } from 'prom-client'

/**
 * Serves GET /metrics on a separate listener, so that it is never public by accident (spec:
 * platform §1.5).
 */
export async function serveMetrics(
  registry: Registry,
  address: { host: string; port: number },
): Promise<Server> {
  const server = createServer((req, res) => {
    if (
      req.url?.split('?', 1)[0] !== '/metrics' ||
      (req.method !== 'GET' && req.method !== 'HEAD')
    ) {
      res
        .writeHead(404, { 'content-type': 'application/json' })
        .end('{"error":"Use GET /metrics."}')
      return
    }
    registry
      .metrics()
      .then((text) => res.writeHead(200, { 'content-type': registry.contentType }).end(text))
      .catch(() => res.writeHead(500).end())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(address.port, address.host, resolve)
  })
  return server
}
