import { once } from 'node:events'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { eventually } from '#harness/eventually.ts'
import { type PlannedProvider, startPlannedProvider } from '#harness/mock-provider.ts'
import { onFileFinished } from '#harness/on-file-finished.ts'

/**
 * The model gateway reads requests of up to 32 MB whole. Somebody with one token who never ended them
 * took the memory of the process: forty connections took more than a gigabyte.
 */
const MB = 1024 * 1024
const TRIED = 7

let t: TestApp
let provider: PlannedProvider
let service: string
let token: string

beforeAll(async () => {
  provider = await startPlannedProvider()
  t = await testApp({ env: { MODEL_GATEWAY_UPSTREAMS: JSON.stringify({ openai: provider.url }) } })
  service = await t.app.server.listen({ host: '127.0.0.1', port: 0 })
  onFileFinished(() => t.app.server.server.closeAllConnections())
  await t.call('POST', '/v1/agents', { token: t.first.api_key, body: { agent_id: 'clerk' } })
  const made = await t.call('POST', '/v1/agents/clerk/connections', {
    token: await t.ownerToken(),
    body: { provider: 'openai' },
  })
  token = made.body.token
})

/** Sends 30 MB of a body of 31 MB, and never the rest. */
function hold(): { socket: Socket; isHeld(): boolean } {
  let isHeld = true
  const socket = connect(Number(new URL(service).port), '127.0.0.1')
  socket.on('error', () => undefined)
  // Refused; the connection stays open for a while, so that the client can read why.
  socket.once('data', (chunk) => {
    expect(String(chunk)).toMatch(/^HTTP\/1.1 503/)
    isHeld = false
  })
  onFileFinished(() => void socket.destroy())
  const path = `/llm/${token}/openai/v1/chat/completions`
  socket.write(`POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-length: ${31 * MB}\r\n\r\n`)
  const chunk = Buffer.alloc(MB, 0x20)
  for (let sent = 0; sent < 30; sent += 1) socket.write(chunk)
  return { socket, isHeld: () => isHeld }
}

async function ask(bytes: number) {
  const content = 'a'.repeat(bytes)
  provider.plan({ parts: [{ text: 'Hello.' }] })
  const path = `${service}/llm/${token}/openai/v1/chat/completions`
  const headers = { 'content-type': 'application/json' }
  const req = request(path, { method: 'POST', headers, agent: false })
  req.end(JSON.stringify({ model: 'mock', messages: [{ role: 'user', content }] }))
  const [res] = await once(req, 'response')
  res.resume()
  return res.statusCode
}

describe('requests that are not ended', () => {
  it('take their share of the memory, and nothing of ordinary requests', async () => {
    const held = Array.from({ length: TRIED }, hold)
    await eventually(() => expect(held.filter(({ isHeld }) => isHeld())).toHaveLength(4))
    expect(await ask(1000)).toBe(200)
    for (const { socket } of held) socket.destroy()
    await eventually(async () => expect(await ask(20 * MB)).toBe(200))
  })
})
