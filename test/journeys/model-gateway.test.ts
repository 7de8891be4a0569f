import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { freshDatabaseUrl } from '#harness/database.ts'
import { eventually } from '#harness/eventually.ts'
import { type PlannedProvider, startPlannedProvider } from '#harness/mock-provider.ts'
import { GATEWAY_POLICY, openMessage, sendMessage, upstreamsAt } from '#harness/model-gateway.ts'
import { onFileFinished } from '#harness/on-file-finished.ts'
import { freePort } from '#harness/port.ts'
import { type Service, startGatewayProcess, startSharedService } from '#harness/process.ts'
import { fullOrShort } from '#harness/runs.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'

const AGENT = 'near-agent'
const drop = { tool: 'drop_tables', input: { all: true, why: 'it is in the way' }, id: 'call_drop' }
const refund = { tool: 'refund', input: { amount: 60 }, id: 'call_refund' }
const search = { tool: 'search', input: { q: 'a' }, id: 'call_search' }

let provider: PlannedProvider
let env: Record<string, string>
let api: Service
let owner: string

beforeAll(async () => {
  provider = await startPlannedProvider()
  const dir = await temporaryDir()
  env = {
    DATABASE_URL: await freshDatabaseUrl(),
    SECRET_KEY: randomBytes(32).toString('base64'),
    BASE_URL: 'http://touchstone.test',
    LOG_LEVEL: 'trace',
    ...upstreamsAt(provider.url),
  }
  api = await startSharedService({ ...env, DATA_DIR: dir })
  const { email, password } = JSON.parse(await readFile(join(dir, 'credentials.json'), 'utf8'))
  const login = await api.call('POST', '/v1/auth/login', { body: { email, password } })
  owner = login.body.access_token
  await call('POST', '/v1/agents', { agent_id: AGENT })
  await call('PUT', `/v1/agents/${AGENT}/policy`, GATEWAY_POLICY)
})

async function call(method: string, path: string, body?: unknown) {
  const answer = await api.call(method, path, { token: owner, body })
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  return answer.body
}

const connect = (body: object = { provider: 'anthropic' }) =>
  call('POST', `/v1/agents/${AGENT}/connections`, body)
const startGateway = async (more: Record<string, string> = {}) =>
  startGatewayProcess({ ...env, DATA_DIR: await temporaryDir(), ...more })
const at = (gateway: Service, { base_url }: { base_url: string }) =>
  gateway.url + new URL(base_url).pathname
const decisionsOf = async (session: string) =>
  (await call('GET', `/v1/decisions?agent_id=${AGENT}&session_id=${session}`)).decisions

/** The bytes of an answer until it ends or breaks. */
function readToEnd(answer: Response) {
  let text = ''
  let begin = (): void => undefined
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const read = async () => {
    const decoder = new TextDecoder()
    const reader = answer.body?.getReader()
    try {
      for (;;) {
        const part = await reader?.read()
        if (part?.value === undefined) return { text, isWhole: true }
        text += decoder.decode(part.value, { stream: true })
        begin()
      }
    } catch {
      return { text, isWhole: false }
    }
  }
  return { begun, done: read() }
}

/** Receives traces as text. */
async function startCollector() {
  let received = ''
  const server = createServer(async (req, res) => {
    for await (const part of req) received += String(part)
    res.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onFileFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, received: () => received }
}

describe('touchstone gateway', () => {
  it('governs turns, tells nobody its tokens, and ends without losing evidence', async () => {
    const collector = await startCollector()
    const metricsAt = `127.0.0.1:${await freePort()}`
    const more = { METRICS_ADDR: metricsAt, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
    const gateway = await startGateway(more)
    const made = await connect()
    const baseUrl = at(gateway, made)
    provider.plan({ parts: [{ thinking: 'The tables are in the way.' }, drop] })
    const refused = await sendMessage(baseUrl, { stream: true }, { session: 'first' })
    expect(refused.text).toContain('Touchstone blocked drop_tables: No tables are dropped')
    expect(refused.text).not.toContain('call_drop')
    provider.plan({ parts: [{ text: 'Short.' }, search] })
    await sendMessage(baseUrl, { stream: true }, { session: 'first' })
    const result = { type: 'tool_result', tool_use_id: 'call_search', content: 'Found.' }
    provider.plan({ parts: [{ text: 'Fine.' }] })
    await sendMessage(
      baseUrl,
      { messages: [{ role: 'user', content: [result] }] },
      { session: 'first' },
    )
    await eventually(async () => {
      expect(await decisionsOf('first')).toMatchObject([
        { tool: 'search', decision: 'allow', outcome: { status: 'executed' } },
        { tool: 'drop_tables', decision: 'block', outcome: null, source: 'model_gateway' },
      ])
      const path = `/v1/agents/${AGENT}/checkpoints?session_id=first`
      expect((await call('GET', path)).checkpoints).toMatchObject([{ provenance: 'observed' }])
    })
    expect((await fetch(`${gateway.url}/health/ready`)).status).toBe(200)
    for (const path of ['/v1/agents', '/openapi.json', '/']) {
      expect((await fetch(gateway.url + path)).status, path).toBe(404)
    }

    const token: string = made.token
    const told: string[] = []
    for (const [path, headers] of [
      [`/llm/${token}/openai/v1/responses`, {}],
      [`/llm/${token}/anthropic//v1/messages`, {}],
      [`/llm/${token}/anthropic/v1/%zz`, {}],
      [`/llm/${token}/anthropic/v1/models?key=${token}`, {}],
      [`/llm/anthropic/v1/${token}`, { 'x-touchstone-token': token }],
      [`/llm/${token.slice(0, -1)}x/anthropic/v1/messages`, {}],
      [`/llm//${token}/anthropic`, {}],
      [`/v1/${token}`, { authorization: `Bearer ${token}` }],
    ] as const) {
      const answer = await fetch(gateway.url + path, { method: 'POST', headers, body: '{}' })
      expect(answer.status, path).toBeGreaterThanOrEqual(400)
      told.push((await answer.text()) + JSON.stringify([...answer.headers]))
    }
    const metrics = await (await fetch(`http://${metricsAt}/metrics`)).text()
    expect(metrics).toMatch(/touchstone_model_first_byte_seconds_count [1-9]/)
    expect(metrics).toMatch(/touchstone_model_held_seconds_count [1-9]/)
    expect(metrics).toMatch(/touchstone_model_tokens_total\{kind="input"\} [1-9]/)

    provider.plan({ parts: [{ text: 'Wait.' }, drop], failsAfter: 5, failure: 'hang' })
    const open = await openMessage(baseUrl, { stream: true }, { session: 'last' })
    provider.plan({ parts: [{ text: 'Short too.' }, search] })
    await sendMessage(baseUrl, { stream: true }, { session: 'gathered' })
    const reading = readToEnd(open)
    expect(await gateway.end('SIGTERM')).toBe(0)
    expect((await reading.done).text).not.toContain('call_drop')
    const path = `/v1/agents/${AGENT}/checkpoints?session_id=gathered`
    expect((await call('GET', path)).checkpoints).toHaveLength(1)

    const spans = collector.received()
    for (const name of ['POST /llm/*', 'model_gateway.first_byte', 'model_gateway.held']) {
      expect(spans).toContain(name)
    }
    const written = gateway.output() + metrics + spans + told.join()
    expect(gateway.output()).toContain('/llm/[token]/anthropic/v1/messages')
    expect(written).not.toContain(token.slice(4, 20))
    expect(api.output()).not.toContain(token.slice(4, 20))
  })

  it('refuses a token that the service revoked', async () => {
    const gateway = await startGateway()
    const made = await connect()
    provider.plan({ parts: [{ text: 'Hello.' }] })
    const ask = async () => (await sendMessage(at(gateway, made))).status
    expect(await ask()).toBe(200)
    await call('DELETE', `/v1/agents/${AGENT}/connections/${made.connection_id}`)
    // Sooner than the cache of tokens would expire by itself.
    await expect.poll(ask, { timeout: 4000, interval: 20 }).toBe(401)
  })
})

const CHAT = { model: 'mock-large', messages: [{ role: 'user', content: 'Hi' }], stream: true }
const WIRES = [
  ['anthropic', 'v1/messages', { ...CHAT, max_tokens: 99 }],
  ['openai', 'v1/chat/completions', CHAT],
  ['openai', 'v1/responses', { model: 'mock-large', input: 'Hi', stream: true }],
  [
    'gemini',
    'v1beta/models/mock-large:streamGenerateContent?alt=sse',
    { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
  ],
] as const

describe('a gateway that is killed in the middle of a stream', () => {
  it('never released a refused call; the agent sees that the answer broke', async () => {
    let gateway = await startGateway()
    const connections = new Map<string, { base_url: string }>()
    for (const name of ['anthropic', 'openai', 'gemini']) {
      connections.set(name, await connect({ provider: name }))
    }
    for (let round = 0; round < fullOrShort({ full: 12, short: 4 }); round += 1) {
      const [name, path, body] = WIRES[round % WIRES.length] ?? WIRES[0]
      const parts = [{ text: 'I will drop them.' }, drop, { ...search, id: 'call_after' }]
      // Hangs before the end, so that the service always dies within the answer.
      provider.plan({ parts, pauseMs: round * 2, failsAfter: 3 + round, failure: 'hang' })
      const answer = await fetch(
        `${at(gateway, connections.get(name) ?? { base_url: '' })}/${path}`,
        {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        },
      )
      const reading = readToEnd(answer)
      // In every second round something arrived, in the others the service dies as early as it can.
      if (round % 2 === 1) await reading.begun
      await gateway.end('SIGKILL')
      const { text, isWhole } = await reading.done
      expect(isWhole).toBe(false)
      expect(text).not.toContain('drop_tables"')
      expect(text).not.toContain('call_drop')
      gateway = await startGateway()
    }
  })

  it('while a call waits for its approval: the approval holds for the next request', async () => {
    let gateway = await startGateway()
    const made = await connect()
    provider.plan({ parts: [refund] })
    const answer = await openMessage(at(gateway, made), { stream: true }, { session: 'killed' })
    const reading = readToEnd(answer)
    await eventually(async () => expect(await decisionsOf('killed')).toHaveLength(1))
    await gateway.end('SIGKILL')
    const { text, isWhole } = await reading.done
    expect(isWhole).toBe(false)
    expect(text).not.toContain('call_refund')
    const [{ escalation_id }] = await decisionsOf('killed')
    await call('POST', `/v1/escalations/${escalation_id}/resolve`, { outcome: 'approve' })
    gateway = await startGateway()
    const again = await sendMessage(at(gateway, made), { stream: true }, { session: 'killed' })
    expect(again.text).toContain('call_refund')
  })
})
