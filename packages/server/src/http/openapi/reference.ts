import { createReadStream } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Server } from '../server.ts'

const config = { access: 'public', perMinute: 'unlimited' } as const

/** Disables everything that contacts other hosts: fonts, telemetry, agents and hosted tools. */
const OPTIONS = {
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
}

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Touchstone API reference</title>
  </head>
  <body>
    <div id="reference"></div>
    <script src="/docs/reference.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`

const START = `Scalar.createApiReference('#reference', ${JSON.stringify({ url: '/openapi.json', ...OPTIONS })})\n`

const POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The OpenAPI document and the page that shows it, both served from this process. */
export function referenceRoutes(app: Server): void {
  let document: string | undefined
  app.get('/openapi.json', { config, schema: { hide: true } }, async (_req, reply) => {
    document ??= JSON.stringify(app.swagger())
    return reply.type('application/json').header('access-control-allow-origin', '*').send(document)
  })
  app.get('/docs', { config, schema: { hide: true } }, async (_req, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', POLICY)
      .header('x-content-type-options', 'nosniff')
      .send(PAGE),
  )
  app.get('/docs/start.js', { config, schema: { hide: true } }, async (_req, reply) =>
    reply.type('text/javascript; charset=utf-8').send(START),
  )
  app.get('/docs/reference.js', { config, schema: { hide: true } }, async (_req, reply) =>
    reply
      .type('text/javascript; charset=utf-8')
      .header('cache-control', 'public, max-age=86400')
      .send(createReadStream(bundlePath())),
  )
}

function bundlePath(): string {
  const entry = createRequire(import.meta.url).resolve('@scalar/fastify-api-reference')
  return join(dirname(entry), 'js', 'standalone.js')
}
