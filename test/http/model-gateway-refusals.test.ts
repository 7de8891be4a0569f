import { once } from 'node:events'
import { connect } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { type PlannedProvider, startPlannedProvider } from '#harness/mock-provider.ts'
import { startModelGateway } from '#harness/model-gateway.ts'
import { MODEL_WIRES } from '#harness/model-wires.ts'

let provider: PlannedProvider
let gateway: Awaited<ReturnType<typeof startModelGateway>>

beforeAll(async () => {
  provider = await startPlannedProvider()
  gateway = await startModelGateway(provider.url, { modelWaits: { silentMsMax: 200 } })
})

const MB = 1024 * 1024

async function post(url: string, body: object) {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: answer.status, body: JSON.parse(await answer.text()) }
}

/** More than a request may have, and less than is read of one that is refused. */
const PIECES = 40

/** Sends the whole body before it reads the answer, as many clients do. */
async function upload(url: string, framing: 'chunked' | 'content-length') {
  const { hostname, port, pathname, search } = new URL(url)
  const socket = connect(Number(port), hostname)
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
  })
  const isChunked = framing === 'chunked'
  const length = isChunked ? 'transfer-encoding: chunked' : `content-length: ${PIECES * MB}`
  socket.write(`POST ${pathname}${search} HTTP/1.1\r\nhost: ${hostname}\r\n${length}\r\n\r\n`)
  const spaces = Buffer.alloc(MB, ' ')
  const chunk = Buffer.concat([Buffer.from(`${MB.toString(16)}\r\n`), spaces, Buffer.from('\r\n')])
  for (let n = 0; n < PIECES; n += 1) {
    if (!socket.write(isChunked ? chunk : spaces)) await once(socket, 'drain')
  }
  if (isChunked) socket.write('0\r\n\r\n')
  await once(socket, 'close')
  const [head = '', body = ''] = text.split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), body: JSON.parse(body) }
}

describe.each(MODEL_WIRES)('a refusal in the form of $name', (wire) => {
  const connect = (connection: object = {}) =>
    gateway.newAgent({ connection: { provider: wire.provider, ...connection } })

  it('is 400 for a path that another server could read as a governed one', async () => {
    const { baseUrl } = await connect()
    const { status, body } = await post(`${baseUrl}/${wire.path.replace('/', '//')}`, wire.body)
    expect(status).toBe(400)
    expect(wire.errorMessage(body)).toContain('plain form')
  })

  it('is 404 for the address of a program that lacks the version, which some servers tolerate', async () => {
    const { baseUrl } = await connect()
    const sent = provider.requests.length
    const path = wire.path.replace(/^v1(beta)?\//, '')
    const { status, body } = await post(`${baseUrl}/${path}`, wire.body)
    expect(status).toBe(404)
    expect(wire.errorMessage(body)).toContain(wire.path.split(':').at(-1)?.split('?')[0])
    expect(provider.requests).toHaveLength(sent)
  })

  it('is 401 for a token that was never given out', async () => {
    const path = `/llm/tgw_0123456789/${wire.provider}/${wire.path}`
    const { status, body } = await post(gateway.service + path, wire.body)
    expect(status).toBe(401)
    expect(wire.errorMessage(body)).toContain('token')
  })

  it('is 403 for an agent that is contained', async () => {
    const { agentId, baseUrl } = await connect()
    const { org_id } = gateway.t.first
    await gateway.call('POST', `/v1/orgs/${org_id}/agents/${agentId}/pause`, { reason: 'Look.' })
    const { status, body } = await post(`${baseUrl}/${wire.path}`, wire.body)
    expect(status).toBe(403)
    expect(wire.errorMessage(body)).toContain('is paused')
  })

  it('is 403 for a budget that is used up', async () => {
    const model_limits = [{ name: 'daily', models: ['*'], max_turns: 1, per: 'day' }]
    const { baseUrl } = await gateway.newAgent({
      connection: { provider: wire.provider },
      policy: { model_limits },
    })
    provider.plan({ parts: [{ text: 'Hello.' }] })
    const headers = { 'content-type': 'application/json' }
    const first = { method: 'POST', headers, body: JSON.stringify(wire.body) }
    await (await fetch(`${baseUrl}/${wire.path}`, first)).text()
    const { status, body } = await post(`${baseUrl}/${wire.path}`, wire.body)
    expect(status).toBe(403)
    expect(wire.errorMessage(body)).toContain('the budget agent/daily is used up')
  })

  it('is 413 for a body of more than 32 MB, also for a client that is still writing', async () => {
    const { baseUrl } = await connect()
    provider.plan({ parts: [{ text: 'Hello.' }] })
    const { status, body } = await upload(`${baseUrl}/${wire.path}`, 'chunked')
    expect(status).toBe(413)
    expect(wire.errorMessage(body)).toContain('32 MB')
    expect(provider.requests).toEqual([])
  })

  it('is 504 for a provider that stays silent', async () => {
    const { baseUrl } = await connect()
    provider.plan({ hang: true })
    const { status, body } = await post(`${baseUrl}/${wire.path}`, wire.body)
    expect(status).toBe(504)
    expect(wire.errorMessage(body)).toContain('did not answer in time')
  })

  it('is an error at the end of a stream whose provider falls silent', async () => {
    const { baseUrl } = await connect()
    provider.plan({ parts: [{ text: 'A long text.' }], failsAfter: 1, failure: 'hang' })
    const answer = await fetch(`${baseUrl}/${wire.path}`, {
      method: 'POST',
      body: JSON.stringify(wire.body),
    })
    expect(await answer.text()).toContain('did not answer in time')
  })
})

describe('a client that still writes when its path is refused', () => {
  it('gets the answer', async () => {
    const { baseUrl } = await gateway.newAgent()
    const { status, body } = await upload(`${baseUrl}/v1//messages`, 'content-length')
    expect(status).toBe(400)
    expect(body.type).toBe('error')
  })
})

describe('a background response', () => {
  const body = { model: 'mock-large', input: 'Hi', background: true }

  it('is refused with a sealed key, because it is fetched by a route that nobody reads', async () => {
    const { baseUrl } = await gateway.newAgent({
      connection: { provider: 'openai', credential: { sealed: 'sealed-key-1' } },
    })
    provider.plan({ parts: [{ text: 'Hello.' }] })
    const refused = await post(`${baseUrl}/v1/responses`, body)
    expect(refused.status).toBe(403)
    expect(refused.body.error).toMatchObject({ param: null, code: null })
    expect(refused.body.error.message).toContain('background')
    expect(provider.requests).toEqual([])
  })

  it('is passed on for a client that has the key of the provider', async () => {
    const { baseUrl } = await gateway.newAgent({ connection: { provider: 'openai' } })
    provider.plan({ parts: [{ text: 'Hello.' }] })
    expect((await post(`${baseUrl}/v1/responses`, body)).status).toBe(200)
    expect(provider.requests).toHaveLength(1)
  })
})
