import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { CARD, newCheckpointId, textOf, VIOLATION } from '#harness/checkpoints.ts'
import { freePort } from '#harness/port.ts'
import { startService } from '#harness/process.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'

type Attributes = { key: string; value: Record<string, unknown> }[]

type Span = {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  attributes: Attributes
  events: { name: string; attributes: Attributes }[]
}

/** Reads typed OTLP values such as `{ intValue: 3 }`; an integer may be a string. */
function valuesOf(attributes: Attributes): Record<string, unknown> {
  const read = ({ key, value }: Attributes[number]) => {
    const [[type, plain] = []] = Object.entries(value)
    return [key, type === 'intValue' ? Number(plain) : plain]
  }
  return Object.fromEntries(attributes.map(read))
}

/** Starts an OTLP/HTTP receiver that keeps every span. */
async function startCollector() {
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

describe('telemetry', () => {
  it('has logs without secrets, metrics on a separate listener, and optional traces', async () => {
    const dir = await temporaryDir()
    const { spans, url } = await startCollector()
    const metricsPort = await freePort()
    const service = await startService({
      DATA_DIR: dir,
      LOG_LEVEL: 'trace',
      METRICS_ADDR: `127.0.0.1:${metricsPort}`,
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
    })
    const credentials = JSON.parse(await readFile(join(dir, 'credentials.json'), 'utf8'))
    const { email, password } = credentials
    const login = await service.call('POST', '/v1/auth/login', { body: { email, password } })
    const token = login.body.access_token
    const key = await service.call('POST', '/v1/api-keys', { token, body: {} })
    await fetch(`${service.url}/v1/orgs/${credentials.org_id}?secret=query-text`, {
      headers: {
        authorization: `Bearer ${key.body.key}`,
        traceparent: `00-${TRACE}-b7ad6b7169203331-01`,
        'x-request-id': 'my-request',
      },
    })
    await service.call('GET', `/v1/orgs/${credentials.org_id}`, { token: 'tsk_wrong' })

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
      org_id: credentials.org_id,
      actor: key.body.key_id,
      method: 'GET',
      route: '/v1/orgs/:org_id',
      status: 200,
    })
    const logged = lines.map((line) => JSON.stringify(line)).join('\n')
    const secrets = [password, token, login.body.refresh_token, key.body.key, credentials.api_key]
    for (const secret of [...secrets, 'query-text', 'tsk_wrong'])
      expect(logged).not.toContain(secret)

    const span = spans.find((candidate) => candidate.traceId === TRACE)
    expect(span?.name).toBe('GET /v1/orgs/:org_id')
    expect(valuesOf(span?.attributes ?? [])['http.response.status_code']).toBe(200)
  })
})

const AGENT = 'traced-agent'
const REASONING = 'It fits better than the others.'

const TRACE_BODY = {
  trace_id: 'tr-traced',
  agent_id: AGENT,
  action: { type: 'execute', name: 'share_credentials', category: 'bounded' },
  decision: { selected: 'a', selection_reasoning: REASONING, values_applied: ['honesty'] },
}

/** Runs a service whose agent violates its card three times and then sends a trace. */
async function runTracedWork() {
  const dir = await temporaryDir()
  const { spans, url } = await startCollector()
  const service = await startService({ DATA_DIR: dir, OTEL_EXPORTER_OTLP_ENDPOINT: url })
  const { api_key: token } = JSON.parse(await readFile(join(dir, 'credentials.json'), 'utf8'))
  const post = async (path: string, body: object, status: number) => {
    const answer = await service.call('POST', path, { token, body })
    expect(answer.status).toBe(status)
    return answer.body
  }
  await post('/v1/agents', { agent_id: AGENT, card: CARD }, 201)
  const results = []
  const checkpoints = `/v1/agents/${AGENT}/checkpoints`
  const decision = (n: number) => ({ thinking: textOf(n, VIOLATION), session_id: 's1' })
  for (const n of [0, 1]) results.push(await post(checkpoints, decision(n), 201))
  const last = { ...decision(2), checkpoint_id: newCheckpointId() }
  results.push(await post(checkpoints, last, 201))
  await post(checkpoints, last, 200)
  await post(checkpoints, { ...decision(3), dry_run: true }, 200)
  const { verification } = await post('/v1/traces', TRACE_BODY, 201)
  const { trace_id: _, ...nameless } = TRACE_BODY
  await post('/v1/traces/verify', { trace: nameless, card: CARD }, 200)
  expect(await service.end()).toBe(0)
  return { spans, results, verification }
}

describe('tracing', () => {
  it('exports spans with names, ids and counts, but no text of an agent', async () => {
    const { spans, results, verification } = await runTracedWork()
    const named = (name: string) => spans.filter((span) => span.name === name)
    const parentOf = ({ parentSpanId }: Span) =>
      spans.find((candidate) => candidate.spanId === parentSpanId)?.name

    const checks = named('aip.integrity_check')
    expect(checks).toHaveLength(3)
    for (const [n, { checkpoint, window_summary: window }] of results.entries()) {
      const span = checks[n]
      if (span === undefined) throw new Error('a checkpoint has no span')
      expect(parentOf(span)).toBe('POST /v1/agents/:agent_id/checkpoints')
      expect(valuesOf(span.attributes)).toEqual({
        'aip.integrity.checkpoint_id': checkpoint.checkpoint_id,
        'aip.integrity.verdict': 'boundary_violation',
        'aip.integrity.agent_id': AGENT,
        'aip.integrity.card_id': checkpoint.card_id,
        'aip.integrity.session_id': 's1',
        'aip.integrity.thinking_hash': checkpoint.thinking_block_hash,
        'aip.integrity.proceed': false,
        'aip.integrity.recommended_action': results[n].recommended_action,
        'aip.integrity.concerns_count': checkpoint.concerns.length,
        'aip.integrity.analysis_model': 'rules-v1',
        'aip.integrity.analysis_duration_ms': checkpoint.analysis_metadata.analysis_duration_ms,
        'aip.conscience.values_checked_count': checkpoint.conscience_context.values_checked.length,
        'aip.conscience.conflicts_count': checkpoint.conscience_context.conflicts.length,
        'aip.window.size': n + 1,
        'aip.window.integrity_ratio': window.integrity_ratio,
        'aip.window.drift_alert_active': n === 2,
        'gen_ai.evaluation.verdict': 'boundary_violation',
        'gen_ai.evaluation.score': window.integrity_ratio,
      })
      const concerns = checkpoint.concerns.map(() => 'aip.concern')
      const alert = n === 2 ? ['aip.drift_alert'] : []
      expect(span.events.map((event) => event.name)).toEqual([...concerns, ...alert])
    }

    const [stored, verified, ...more] = named('aap.verify_trace')
    if (stored === undefined || verified === undefined) throw new Error('a trace has no span')
    expect(more).toEqual([])
    expect(parentOf(stored)).toBe('POST /v1/traces')
    expect(parentOf(verified)).toBe('POST /v1/traces/verify')
    expect(valuesOf(stored.attributes)).toEqual({
      'aap.verification.result': false,
      'aap.verification.violations_count': verification.violation_details.length,
      'aap.verification.warnings_count': verification.warnings.length,
      'aap.verification.trace_id': 'tr-traced',
      'aap.verification.card_id': verification.card_id,
      'aap.verification.duration_ms': expect.any(Number),
    })
    expect(valuesOf(verified.attributes)).not.toHaveProperty(['aap.verification.trace_id'])
    expect(stored.events.map((event) => valuesOf(event.attributes)['aap.violation.type'])).toEqual(
      verification.violation_details.map((detail: { type: string }) => detail.type),
    )

    const [detection] = named('aap.detect_drift')
    expect(detection && parentOf(detection)).toBe('POST /v1/traces')
    expect(valuesOf(detection?.attributes ?? [])).toEqual({
      'aap.drift.alerts_count': 0,
      'aap.drift.traces_analyzed': 1,
    })

    const sent = JSON.stringify(spans)
    for (const text of ['exfiltrate', 'depot', REASONING, 'share_credentials']) {
      expect(sent).not.toContain(text)
    }
  })
})
