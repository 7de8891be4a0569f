import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { testClock } from '#harness/clock.ts'

const PATH = '/v1/otlp/v1/traces'
const PROTOBUF = { 'content-type': 'application/x-protobuf' }
const JSON_TYPE = { 'content-type': 'application/json' }
/** Later than the recordings. */
const NOW = '2026-11-19T18:00:00.000Z'

const recorded = (name: string) =>
  readFileSync(new URL(`../fixtures/otlp/${name}`, import.meta.url))

let t: TestApp
let key: string

const send = (body: unknown, headers: Record<string, string> = JSON_TYPE, token = key) =>
  t.call('POST', PATH, { token, body, headers })

const card = {
  principal: { type: 'organization', relationship: 'delegated_authority' },
  values: { declared: ['honesty'] },
  autonomy_envelope: {
    bounded_actions: ['inference', 'search_orders'],
    forbidden_actions: ['share_customer_data'],
    max_autonomous_value: { amount: 40 },
  },
  audit_commitment: { retention_days: 90, queryable: false },
}

beforeAll(async () => {
  t = await testApp({ clock: testClock(NOW) })
  key = t.first.api_key
  await t.call('POST', '/v1/agents', { token: key, body: { agent_id: 'parcel-helper', card } })
})

/** Builds a request as an SDK writes it in JSON. */
function request(
  resource: Record<string, string>,
  spans: readonly { id: number; attributes?: Record<string, string>; endMs?: number }[],
) {
  const pairs = (given: Record<string, string>) =>
    Object.entries(given).map(([name, value]) => ({ key: name, value: { stringValue: value } }))
  const created = spans.map(({ id, attributes = {}, endMs = t.clock.nowMs() }) => ({
    traceId: 'a'.repeat(32),
    spanId: id.toString(16).padStart(16, '0'),
    name: 'chat gpt-5',
    kind: 3,
    endTimeUnixNano: `${endMs}000000`,
    attributes: pairs({ 'gen_ai.operation.name': 'chat', ...attributes }),
  }))
  return {
    resourceSpans: [
      { resource: { attributes: pairs(resource) }, scopeSpans: [{ spans: created }] },
    ],
  }
}

async function read(path: string) {
  return (await t.call('GET', path, { token: key })).body
}

describe('a span of an instrumented agent', () => {
  it('belongs to the agent that its attributes name in any case', async () => {
    const body = { agent_id: 'crate-helper', card }
    await t.call('POST', '/v1/agents', { token: key, body })
    const answer = await send(request({ 'service.name': 'CRATE-Helper' }, [{ id: 4095 }]))
    expect(answer.headers['touchstone-spans']).toContain('rejected=0')
    const { traces } = await read('/v1/traces')
    expect(traces).toMatchObject([{ agent_id: 'crate-helper' }])
  })

  it('becomes a trace and a checkpoint, linked to each other', async () => {
    const answer = await send(recorded('current.json'))
    expect(answer).toMatchObject({
      status: 200,
      body: {
        partialSuccess: {
          rejectedSpans: '0',
          errorMessage:
            '1 span: ignored, not a call of a model or a tool. 1 span: ignored, a step invoke_agent',
        },
      },
    })
    expect(answer.headers['touchstone-spans']).toBe(
      'accepted=3, duplicates=0, ignored=2, rejected=0',
    )
    const { traces } = await read('/v1/agents/parcel-helper/traces')
    const { checkpoints } = await read('/v1/agents/parcel-helper/checkpoints')
    expect(checkpoints).toHaveLength(2)
    expect(checkpoints).toContainEqual(
      expect.objectContaining({
        session_id: 'conv-5',
        model: 'gpt-5-2026-08-07',
        provider: 'openai',
        synthetic: false,
        verdict: 'clear',
        linked_trace_id: expect.stringMatching(/^otel-/),
      }),
    )
    expect(traces.map((trace: { action: { name: string } }) => trace.action.name).sort()).toEqual([
      'inference',
      'inference',
      'search_orders',
    ])
    const executed = traces.find(
      (trace: { action: { type: string } }) => trace.action.type === 'execute',
    )
    // The amount of the call exceeds the card's max_autonomous_value.
    expect(executed.verification.violations).toEqual(['MISSED_ESCALATION'])
    expect(executed.tools).toEqual(['search_orders'])
    const integrity = await read('/v1/agents/parcel-helper/integrity')
    expect(integrity).toMatchObject({ total_checks: 2, analyzed_checks: 2, clear_count: 2 })
  })

  it('is accepted once, however often it is sent, in either encoding and compressed', async () => {
    const packed = gzipSync(recorded('openllmetry.binpb'))
    const headers = { ...PROTOBUF, 'content-encoding': 'gzip' }
    const first = await send(packed, headers)
    expect(first).toMatchObject({ status: 200, text: '' })
    expect(first.headers['content-type']).toBe('application/x-protobuf')
    expect(first.headers['touchstone-spans']).toMatch(/^accepted=1, duplicates=0/)
    const again = await send(recorded('openllmetry.binpb'), PROTOBUF)
    expect(again.headers['touchstone-spans']).toMatch(/^accepted=0, duplicates=1/)
    const json = await send(recorded('current.json'))
    expect(json.headers['touchstone-spans']).toMatch(/^accepted=0, duplicates=3/)
  })

  it('becomes only a trace if no content was recorded', async () => {
    const before = (await read('/v1/agents/parcel-helper/integrity')).total_checks
    const answer = await send(recorded('no-content.json'))
    expect(answer.body.partialSuccess.errorMessage).toMatch(
      /^1 span: ignored, a call that failed. 1 span: recorded without content, /,
    )
    expect(answer.headers['touchstone-spans']).toBe(
      'accepted=1, duplicates=0, ignored=1, rejected=0',
    )
    expect((await read('/v1/agents/parcel-helper/integrity')).total_checks).toBe(before)
  })

  it('is rejected for an unknown or foreign agent, with advice', async () => {
    const stranger = await t.newUser('stranger@example.com')
    await t.call('POST', '/v1/orgs', { token: stranger.token, body: { name: 'Other' } })
    await t.call('POST', '/v1/agents', { token: stranger.token, body: { agent_id: 'not-ours' } })
    const ours = { id: 1, attributes: { 'touchstone.agent_id': 'parcel-helper' } }
    const body = request({ 'service.name': 'not-ours' }, [ours, { id: 2 }, { id: 3 }])
    const answer = await send(body)
    expect(answer).toMatchObject({
      status: 200,
      body: {
        partialSuccess: {
          rejectedSpans: '2',
          errorMessage: expect.stringMatching(
            /^2 spans: no agent of your organisation has the id "not-ours"; register it with POST \/v1\/agents/,
          ),
        },
      },
    })
    expect(answer.headers['touchstone-spans']).toBe(
      'accepted=1, duplicates=0, ignored=0, rejected=2',
    )
  })

  it('is rejected if another span has its ids, or if it is too old', async () => {
    const resource = { 'service.name': 'parcel-helper' }
    await send(request(resource, [{ id: 20, attributes: { 'gen_ai.completion': 'One.' } }]))
    const other = { id: 20, attributes: { 'gen_ai.completion': 'Two.' } }
    const old = { id: 21, attributes: { 'gen_ai.completion': 'Old.' }, endMs: 1_000_000_000_000 }
    expect((await send(request(resource, [other, old]))).body.partialSuccess).toMatchObject({
      rejectedSpans: '2',
      errorMessage: expect.stringMatching(
        /belongs to a different submission.*at most 90 days in the past/,
      ),
    })
  })

  it('is rejected on its own if a text cannot be stored, and an ignored span does not affect others', async () => {
    const resource = { 'service.name': 'parcel-helper' }
    const spans = [
      { id: 30, attributes: { 'gen_ai.completion': 'A whole one.' } },
      { id: 31, attributes: { 'gen_ai.completion': 'x\u0000y' } },
      { id: 32, attributes: { 'gen_ai.completion': '\ud800' } },
    ]
    const answer = await send(request(resource, spans))
    expect(answer.body.partialSuccess).toMatchObject({
      rejectedSpans: '2',
      errorMessage: expect.stringContaining('NUL character'),
    })
    expect(answer.headers['touchstone-spans']).toMatch(/^accepted=1, /)
    const foreign = await send(request({ 'service.name': 'a\u0000b' }, [{ id: 33 }]))
    expect(foreign).toMatchObject({ status: 200, body: { partialSuccess: { rejectedSpans: '1' } } })
  })

  it('is rejected for an archived agent', async () => {
    await t.call('POST', '/v1/agents', { token: key, body: { agent_id: 'retired' } })
    await t.call('DELETE', '/v1/agents/retired', { token: await t.ownerToken() })
    const answer = await send(request({ 'service.name': 'retired' }, [{ id: 30 }]))
    expect(answer.body.partialSuccess.errorMessage).toMatch(/archived/)
  })
})

describe('spans of other conventions', () => {
  it.each([
    ['openinference', 3, 4, 0],
    ['langfuse', 2, 3, 1],
  ])('become traces and checkpoints: %s', async (style, checkpoints, accepted, ignored) => {
    const path = '/v1/agents/parcel-helper/integrity'
    const before = (await read(path)).total_checks
    const answer = await send(recorded(`${style}.json`))
    expect(answer.headers['touchstone-spans']).toBe(
      `accepted=${accepted}, duplicates=0, ignored=${ignored}, rejected=0`,
    )
    expect((await read(path)).total_checks).toBe(before + checkpoints)
  })
})

describe('log records with the content of model calls', () => {
  const LOGS = '/v1/otlp/v1/logs'
  const sendLogs = (body: unknown, headers: Record<string, string> = JSON_TYPE) =>
    t.call('POST', LOGS, { token: key, body, headers })

  it('become checkpoints of their spans, once, in either encoding and order', async () => {
    const path = '/v1/agents/parcel-helper/integrity'
    const before = (await read(path)).total_checks
    const first = await sendLogs(recorded('genai-logs.logs.json'))
    expect(first).toMatchObject({ status: 200, body: {} })
    expect(first.headers['touchstone-log-records']).toMatch(/^accepted=4, /)
    const again = await sendLogs(gzipSync(recorded('genai-logs.logs.json')), {
      ...JSON_TYPE,
      'content-encoding': 'gzip',
    })
    expect(again.headers['touchstone-log-records']).toMatch(/^accepted=0, duplicates=4, /)
    expect((await read(path)).total_checks).toBe(before + 2)
    // The spans have no content of their own.
    const spans = await send(recorded('genai-logs.json'))
    expect(spans.headers['touchstone-spans']).toMatch(/^accepted=2, /)
    expect((await read(path)).total_checks).toBe(before + 2)
    const { traces } = await read('/v1/agents/parcel-helper/traces?per_page=100')
    const { checkpoints } = await read('/v1/agents/parcel-helper/checkpoints?per_page=100')
    const ids = new Set(traces.map((trace: { trace_id: string }) => trace.trace_id))
    for (const { linked_trace_id: id } of checkpoints) expect(ids).toContain(id)
    const binary = await sendLogs(recorded('genai-logs.logs.binpb'), PROTOBUF)
    expect(binary).toMatchObject({ status: 200, text: '' })
    expect(binary.headers['touchstone-log-records']).toMatch(/^accepted=4, /)
  })

  const record = (name: string, more: object = {}) => ({
    traceId: 'b'.repeat(32),
    spanId: 'c'.repeat(16),
    timeUnixNano: `${t.clock.nowMs()}000000`,
    eventName: name,
    ...more,
  })
  const logs = (logRecords: object[], service = 'parcel-helper') => ({
    resourceLogs: [
      {
        resource: {
          attributes: [{ key: 'service.name', value: { stringValue: service } }],
        },
        scopeLogs: [{ logRecords }],
      },
    ],
  })
  const choice = (text: string) => ({
    body: {
      kvlistValue: {
        values: [
          {
            key: 'message',
            value: { kvlistValue: { values: [{ key: 'content', value: { stringValue: text } }] } },
          },
        ],
      },
    },
  })

  it('are the same checkpoint as a span with the same content', async () => {
    const both = { 'gen_ai.completion': 'In both.', 'touchstone.agent_id': 'parcel-helper' }
    await send(request({}, [{ id: 77, attributes: both }]))
    const ids = { traceId: 'a'.repeat(32), spanId: '4d'.padStart(16, '0') }
    const same = await sendLogs(logs([record('gen_ai.choice', { ...ids, ...choice('In both.') })]))
    expect(same.headers['touchstone-log-records']).toMatch(/^accepted=0, duplicates=1, /)
    const other = await sendLogs(logs([record('gen_ai.choice', { ...ids, ...choice('Other.') })]))
    expect(other.body.partialSuccess).toMatchObject({
      rejectedLogRecords: '1',
      errorMessage: expect.stringContaining('belongs to a different submission'),
    })
  })

  it('are ignored or rejected for the reason that the answer gives', async () => {
    const answer = await sendLogs(
      logs([
        record('session.start'),
        record('', { body: { stringValue: 'A line of a log.' } }),
        record('gen_ai.choice', { traceId: '', spanId: '', ...choice('Nowhere.') }),
        record('gen_ai.user.message', { body: { kvlistValue: { values: [] } } }),
      ]),
    )
    expect(answer).toMatchObject({
      status: 200,
      body: {
        partialSuccess: {
          rejectedLogRecords: '0',
          errorMessage:
            '1 log record: ignored, no output of a model. 2 log records: ignored, not an event of a model. 1 log record: ignored, without a span',
        },
      },
    })
    const unknown = logs([record('gen_ai.choice', choice('Whose?'))], 'nobody-here')
    expect((await sendLogs(unknown)).body.partialSuccess).toMatchObject({
      rejectedLogRecords: '1',
      errorMessage: expect.stringMatching(/^1 log record: no agent of your organisation/),
    })
  })

  it('are 400 with a google.rpc.Status if malformed', async () => {
    expect(await sendLogs({ resourceLogs: [{ scopeLogs: 1 }] })).toMatchObject({
      status: 400,
      body: {
        code: 3,
        message: 'The request cannot be parsed: /resourceLogs/0/scopeLogs must be a list.',
      },
    })
    expect((await sendLogs(Buffer.from([0x0a, 0x05]), PROTOBUF)).status).toBe(400)
    expect((await t.call('POST', LOGS, { body: {} })).status).toBe(401)
  })
})

describe('the guide', () => {
  it('shows a request that the service accepts', async () => {
    const guide = readFileSync(
      new URL('../../docs/guide/opentelemetry.md', import.meta.url),
      'utf8',
    )
    const register = { token: key, body: { agent_id: 'parcel-desk', card } }
    await t.call('POST', '/v1/agents', register)
    const body = /v1\/otlp\/v1\/traces .* -d '(\{.*?\n\})'/s.exec(guide)?.[1] ?? ''
    const answer = await send(JSON.parse(body))
    expect(answer.headers['touchstone-spans']).toMatch(/^accepted=1, /)
    expect(guide).toContain(String(answer.headers['touchstone-spans']))
  })
})

describe('an invalid OTLP request', () => {
  it('is 400 with a google.rpc.Status in its own encoding', async () => {
    expect(await send({ resourceSpans: 'x' })).toMatchObject({
      status: 400,
      body: { code: 3, error: 'invalid_request', message: expect.any(String) },
    })
    expect(await send({ resourceSpans: [{ scopeSpans: 1 }] })).toMatchObject({
      status: 400,
      body: {
        message: 'The request cannot be parsed: /resourceSpans/0/scopeSpans must be a list.',
      },
    })
    expect(await send('{"resourceSpans":[],"resourceSpans":[]}')).toMatchObject({ status: 400 })
    const binary = await send(Buffer.from([0x0a, 0x05]), PROTOBUF)
    expect(binary.status).toBe(400)
    expect(binary.headers['content-type']).toBe('application/x-protobuf')
    // Field 1, the code, is 3; field 2 is the message.
    expect(binary.text.slice(0, 3)).toBe('\u0008\u0003\u0012')
    expect(binary.text.slice(4)).toBe('The request cannot be parsed: a field is truncated.')
  })

  it('is 401 without a credential and 403 for a read-only key', async () => {
    const body = request({}, [])
    expect(await send(body, JSON_TYPE, 'tsk_nonsense')).toMatchObject({
      status: 401,
      body: { code: 16, error: 'unauthorized' },
    })
    const created = await t.call('POST', '/v1/api-keys', {
      token: await t.ownerToken(),
      body: { scopes: ['read'] },
    })
    expect(await send(body, JSON_TYPE, created.body.key)).toMatchObject({
      status: 403,
      body: { code: 7, error: 'forbidden' },
    })
  })

  it('is 413 if too large, compressed or not, and 415 in another media type', async () => {
    const large = Buffer.alloc(6 * 1024 * 1024, 0x20)
    expect((await send(large)).status).toBe(413)
    const packed = await send(gzipSync(large), { ...PROTOBUF, 'content-encoding': 'gzip' })
    expect(packed.status).toBe(413)
    expect((await send('x', { 'content-type': 'text/plain' })).status).toBe(415)
    expect((await send('x', { ...JSON_TYPE, 'content-encoding': 'br' })).status).toBe(415)
  })
})

describe('an agent above its rate limit', () => {
  it('is told when to retry, and no span is lost or stored twice', async () => {
    const limited = await testApp({ env: { RATE_LIMITS: 'on' }, clock: testClock(NOW) })
    const token = limited.first.api_key
    await limited.call('POST', '/v1/agents', { token, body: { agent_id: 'hasty' } })
    const decisions = Array.from({ length: 50 }, () => ({ agent_id: 'hasty', output: 'Done.' }))
    for (let batch = 0; batch < 12; batch += 1) {
      const body = { checkpoints: decisions }
      await limited.call('POST', '/v1/checkpoints/batch', { token, body })
    }
    const spans = [1, 2, 3].map((id) => ({
      id,
      attributes: { 'gen_ai.completion': `Text ${id}.` },
    }))
    const post = () =>
      limited.call('POST', PATH, { token, body: request({ 'service.name': 'hasty' }, spans) })
    const refused = await post()
    expect(refused).toMatchObject({ status: 429, body: { code: 8, error: 'rate_limited' } })
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    limited.clock.advance(61_000)
    expect(await post()).toMatchObject({ status: 200, body: {} })
    expect((await post()).headers['touchstone-spans']).toMatch(/^accepted=0, duplicates=3/)
    const integrity = await limited.call('GET', '/v1/agents/hasty/integrity', { token })
    expect(integrity.body.total_checks).toBe(603)
  })
})
