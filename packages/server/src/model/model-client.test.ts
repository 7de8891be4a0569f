import { beforeAll, describe, expect, it, vi } from 'vitest'
import { type ModelServer, startModelServer } from '#harness/model-server.ts'
import { freePort } from '#harness/port.ts'
import { ModelError, type ModelRequest } from './model.ts'
import { createModel, type ModelOptions } from './model-client.ts'

const KEY = 'model-key-1234567890'
const SYSTEM = 'You count things.'
const SECRET_TEXT = 'the treasure is under the oak'

const schema = {
  type: 'object',
  properties: { count: { type: 'integer' } },
  required: ['count'],
  additionalProperties: false,
}

function validate(json: unknown): string[] {
  const { count } = Object(json)
  return Number.isInteger(count) ? [] : ['count must be a whole number']
}

const request = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  system: SYSTEM,
  data: { text: SECRET_TEXT },
  schema,
  maxTokens: 100,
  timeoutMs: 10_000,
  validate,
  ...more,
})

let server: ModelServer

beforeAll(async () => {
  server = await startModelServer()
})

describe.each(['openai', 'anthropic'] as const)('a model that speaks %s', (provider) => {
  const waited = vi.fn(async (_ms: number) => {})

  const model = (more: Partial<ModelOptions> = {}) => {
    waited.mockClear()
    return createModel({ provider, url: server.url, name: 'm-1', key: KEY, wait: waited, ...more })
  }

  /** Expects a failure whose message reveals nothing of prompt, key or answer. */
  async function failure(asked: Promise<unknown>): Promise<ModelError> {
    const err = await asked.then(
      () => undefined,
      (reason: unknown) => reason,
    )
    if (!(err instanceof ModelError)) throw new Error('no ModelError', { cause: err })
    const said = `${err.message} ${err.stack} ${JSON.stringify(err)}`
    for (const secret of [KEY, SYSTEM, SECRET_TEXT, 'blabla']) expect(said).not.toContain(secret)
    expect(err.cause).toBeUndefined()
    return err
  }

  it('returns the reply with provider and model', async () => {
    server.plan({ reply: { count: 3 } })
    expect(await model().complete(request())).toEqual({
      json: { count: 3 },
      provider,
      model: 'm-1',
    })
    expect(server.questions).toHaveLength(1)
  })

  it('is asked at temperature 0 with schema, system text and one document', async () => {
    server.plan({ reply: { count: 3 } })
    await model().complete(request())
    expect(server.questions[0]).toMatchObject({
      path: provider === 'openai' ? '/chat/completions' : '/v1/messages',
      model: 'm-1',
      temperature: 0,
      maxTokens: 100,
      system: SYSTEM,
      data: { text: SECRET_TEXT },
      schema,
    })
  })

  it('is forced to use at most one tool', async () => {
    server.plan({ reply: { count: 3 } })
    await model().complete(request())
    const { tools, tool_choice, response_format } = JSON.parse(server.questions[0]?.raw ?? '')
    if (provider === 'openai') {
      expect({ tools, tool_choice }).toEqual({})
      expect(response_format).toMatchObject({ type: 'json_schema', json_schema: { strict: true } })
    } else {
      expect(tools).toHaveLength(1)
      expect(tool_choice).toMatchObject({ type: 'tool', name: tools[0].name })
    }
  })

  it('gets the key in its header and nowhere else', async () => {
    server.plan({ reply: { count: 3 } })
    await model().complete(request())
    const { headers, raw, path } = server.questions[0] ?? {}
    const holding = Object.entries(headers ?? {}).filter(([, value]) => value?.includes(KEY))
    expect(holding).toEqual([
      provider === 'openai' ? ['authorization', `Bearer ${KEY}`] : ['x-api-key', KEY],
    ])
    expect(raw).not.toContain(KEY)
    expect(path).not.toContain(KEY)
    if (provider === 'anthropic') expect(headers?.['anthropic-version']).toBe('2023-06-01')
  })

  it('needs no key', async () => {
    server.plan({ reply: { count: 3 } })
    await model({ key: undefined }).complete(request())
    const { headers } = server.questions[0] ?? {}
    expect(headers).not.toHaveProperty('authorization')
    expect(headers).not.toHaveProperty('x-api-key')
  })

  it('is reached under the path of its base URL, with its query', async () => {
    server.plan({ reply: { count: 3 } })
    await model({ url: `${server.url}/below/?v=2` }).complete(request())
    const path = provider === 'openai' ? '/chat/completions' : '/v1/messages'
    expect(server.questions[0]?.path).toBe(`/below${path}?v=2`)
  })

  it.each([
    ['text around the JSON', 'Certainly: ```json\n{"count": 4}\n``` Bye.'],
    ['an object before it that is not a reply', 'For {"x": 1} it is {"count": 4}'],
  ])('is understood with %s', async (_, text) => {
    server.plan({ text })
    expect((await model().complete(request())).json).toEqual({ count: 4 })
    expect(server.questions).toHaveLength(1)
  })

  it.each([
    ['a wrong member', { reply: { count: 'blabla' } }, 'count must be a whole number'],
    ['JSON that breaks off', { text: '{"count": 4, "more": "blabla' }, 'must be a JSON object'],
    ['words only', { text: 'blabla' }, 'must be a JSON object'],
    ['two replies', { text: '{"count": 1} {"count": 2}' }, 'exactly one JSON object'],
  ])('gets one repair call after %s', async (_, wrong, told) => {
    server.plan(wrong, { reply: { count: 5 } })
    expect((await model().complete(request())).json).toEqual({ count: 5 })
    expect(server.questions).toHaveLength(2)
    const [first, second] = server.questions
    expect(second?.system).toContain(SYSTEM)
    expect(second?.system).toContain(told)
    expect(second?.raw).not.toContain('blabla')
    expect(second?.document).toBe(first?.document)

    server.plan(wrong)
    expect((await failure(model().complete(request()))).kind).toBe('invalid')
    expect(server.questions).toHaveLength(2)
  })

  it.each([
    ['a failing server', { status: 500 }],
    ['an overloaded server', { status: 429 }],
    ['a connection closed before the answer', { cut: 'before' }],
    ['a connection closed within the answer', { cut: 'within' }],
  ] as const)('is retried once after %s', async (_, wrong) => {
    server.plan(wrong, { reply: { count: 6 } })
    expect((await model().complete(request())).json).toEqual({ count: 6 })
    expect(server.questions).toHaveLength(2)
    expect(waited.mock.calls.map(([ms]) => ms)).toEqual([500])

    server.plan(wrong)
    expect((await failure(model().complete(request()))).kind).toBe('transport')
    expect(server.questions).toHaveLength(2)
  })

  it('has one retry for request and repair together', async () => {
    server.plan({ status: 503 }, { reply: {} }, { status: 503 }, { reply: { count: 1 } })
    expect((await failure(model().complete(request()))).kind).toBe('transport')
    expect(server.questions).toHaveLength(3)
    server.plan({ reply: {} }, { status: 503 }, { reply: { count: 1 } })
    expect((await model().complete(request())).json).toEqual({ count: 1 })
  })

  it.each([
    [{ 'retry-after': '2' }, 2000],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': '5' }, 5000],
    [
      {
        date: 'Sun, 01 Mar 2026 12:00:00 GMT',
        'retry-after': 'Sun, 01 Mar 2026 12:00:03 GMT',
      },
      3000,
    ],
    [{ 'retry-after': 'soon' }, 500],
  ])('is retried after the delay requested by %j', async (headers, ms) => {
    server.plan({ status: 429, headers }, { reply: { count: 7 } })
    await model().complete(request())
    expect(waited.mock.calls.map(([wait]) => wait)).toEqual([ms])
  })

  it('is not retried if it requests a delay of more than 5 s', async () => {
    server.plan({ status: 429, headers: { 'retry-after': '6' } }, { reply: { count: 7 } })
    expect((await failure(model().complete(request()))).kind).toBe('transport')
    expect(server.questions).toHaveLength(1)
  })

  it.each([400, 401, 403, 404])('is not retried after %i', async (status) => {
    server.plan({ status })
    const err = await failure(model().complete(request()))
    expect(err).toMatchObject({ kind: 'refused', message: `the model server answered ${status}` })
    expect(server.questions).toHaveLength(1)
  })

  it('is not followed to a redirect', async () => {
    server.plan({ status: 307, headers: { location: `${server.url}/elsewhere` } })
    expect((await failure(model().complete(request()))).kind).toBe('refused')
    expect(server.questions).toHaveLength(1)
  })

  it('can refuse', async () => {
    server.plan({ refusal: true })
    expect((await failure(model().complete(request()))).kind).toBe('refused')
    expect(server.questions).toHaveLength(1)
  })

  it.each([
    ['no JSON', '<html>blabla'],
    ['JSON that breaks off', '{"choices":[{"message":{"content":"blabla'],
    ['another JSON', '{"blabla":[]}'],
    ['a list', '[]'],
    ['null members', '{"choices":[null],"content":[null]}'],
  ])('is invalid at once when the answer is %s', async (_, body) => {
    server.plan({ body })
    expect((await failure(model().complete(request()))).kind).toBe('invalid')
    expect(server.questions).toHaveLength(1)
  })

  it('is cut off at an answer of more than 1 MiB', async () => {
    server.plan({ text: `blabla${' '.repeat(1024 * 1024)}{"count":1}` })
    expect((await failure(model().complete(request()))).kind).toBe('invalid')
    expect(server.questions).toHaveLength(1)
  })

  it('is retried once if a call takes too long', async () => {
    server.plan({ hang: true }, { reply: { count: 8 } })
    const asked = model().complete(request({ timeoutMs: 3000 }))
    expect((await asked).json).toEqual({ count: 8 })
    expect(server.questions).toHaveLength(2)
  })

  it('times out if no call ends in time', async () => {
    server.plan({ hang: true })
    const { kind } = await failure(model().complete(request({ timeoutMs: 100 })))
    expect(kind).toBe('timeout')
  })

  it('times out at the overall deadline, which aborts a call and is not retried', async () => {
    server.plan({ hang: true })
    const { kind } = await failure(model().complete(request({ deadlineMs: 300 })))
    expect(kind).toBe('timeout')
    expect(server.questions.length).toBeLessThanOrEqual(1)
    expect(waited).not.toHaveBeenCalled()
  })

  it('times out at the overall deadline while waiting to retry', async () => {
    server.plan({ status: 429, headers: { 'retry-after': '5' } })
    const waiting = createModel({ provider, url: server.url, name: 'm-1', key: KEY })
    const { kind } = await failure(waiting.complete(request({ deadlineMs: 1000 })))
    expect(kind).toBe('timeout')
  })

  it('is unreachable if no server listens', async () => {
    const url = `http://127.0.0.1:${await freePort()}`
    const err = await failure(model({ url }).complete(request()))
    expect(err).toMatchObject({
      kind: 'transport',
      message: expect.stringContaining('ECONNREFUSED'),
    })
  })
})
