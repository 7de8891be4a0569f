import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { freePort } from '#harness/port.ts'
import { startService, temporaryDir } from '#harness/process.ts'

type Span = {
  name: string
  traceId: string
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[]
}

/** An OTLP/HTTP receiver that keeps every span. */
async function collector() {
  const spans: Span[] = []
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk)
    if (req.url === '/v1/traces') {
      const body = JSON.parse(Buffer.concat(chunks).toString())
      for (const resource of body.resourceSpans) {
        for (const scope of resource.scopeSpans) spans.push(...scope.spans)
      }
    }
    res.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => void server.close())
  return { spans, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const TRACE = '0af7651916cd43dd8448eb211c80319c'

describe('what an operator sees', () => {
  it('is logs without secrets, metrics on their own listener, and traces when wanted', async () => {
    const dir = await temporaryDir()
    const { spans, url } = await collector()
    const metricsPort = await freePort()
    const service = await startService({
      DATA_DIR: dir,
      LOG_LEVEL: 'trace',
      METRICS_ADDR: `127.0.0.1:${metricsPort}`,
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
    })
    const made = JSON.parse(await readFile(join(dir, 'credentials.json'), 'utf8'))
    const { email, password } = made
    const login = await service.call('POST', '/v1/auth/login', { body: { email, password } })
    const token = login.body.access_token
    const key = await service.call('POST', '/v1/api-keys', { token, body: {} })
    await fetch(`${service.url}/v1/orgs/${made.org_id}?secret=query-text`, {
      headers: {
        authorization: `Bearer ${key.body.key}`,
        traceparent: `00-${TRACE}-b7ad6b7169203331-01`,
        'x-request-id': 'my-request',
      },
    })
    await service.call('GET', `/v1/orgs/${made.org_id}`, { token: 'tsk_wrong' })

    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
    expect(metrics).toContain(
      'touchstone_http_requests_total{method="GET",route="/v1/orgs/:org_id",status="200"} 1',
    )
    expect(metrics).toContain('touchstone_http_request_duration_seconds_bucket')
    expect((await fetch(`http://127.0.0.1:${metricsPort}/`)).status).toBe(404)
    expect((await fetch(`${service.url}/metrics`)).status).toBe(404)

    expect(await service.end()).toBe(0)
    const lines = service
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line))
    expect(lines.find((line) => line.request_id === 'my-request')).toMatchObject({
      level: 'info',
      trace_id: TRACE,
      org_id: made.org_id,
      actor: key.body.key_id,
      method: 'GET',
      route: '/v1/orgs/:org_id',
      status: 200,
    })
    const logged = lines.map((line) => JSON.stringify(line)).join('\n')
    const secrets = [password, token, login.body.refresh_token, key.body.key, made.api_key]
    for (const secret of [...secrets, 'query-text', 'tsk_wrong'])
      expect(logged).not.toContain(secret)

    const span = spans.find((candidate) => candidate.traceId === TRACE)
    expect(span?.name).toBe('GET /v1/orgs/:org_id')
    const status = span?.attributes.find((a) => a.key === 'http.response.status_code')
    expect(Number(status?.value.intValue)).toBe(200)
  })
})
