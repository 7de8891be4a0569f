import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { Type } from 'typebox'
import { expect, it } from 'vitest'
import { atEnd } from '#harness/at-end.ts'
import { createHotCall, type HotCall } from './hot-call.ts'

const ROUTE = {
  url: '/v1/ask',
  method: 'POST',
  bodyLimit: undefined,
  config: {},
  schema: { body: Type.Object({ tool: Type.String() }) },
} as const
const PLAIN = { authorization: 'Bearer tsk_x', 'content-type': 'application/json' }

async function serve(answer: HotCall['answer'], isOpen = () => true): Promise<number> {
  const call = createHotCall(
    { route: ROUTE, answer },
    {
      check: () => undefined,
      securityHeaders: {},
      isOpen,
      onAnswered: () => undefined,
      onFault: () => undefined,
    },
  )
  const server = createServer((req, res) => {
    if (!call(req, res)) res.end('by the route')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(async () => void server.close())
  return (server.address() as AddressInfo).port
}

const echo: HotCall['answer'] = async (req) => ({ status: 200, text: JSON.stringify(req.body) })

function requestOf(body: string): string {
  const headers = Object.entries({ ...PLAIN, 'content-length': Buffer.byteLength(body) })
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return `POST /v1/ask HTTP/1.1\r\nhost: localhost\r\n${lines}\r\n${body}`
}

it('takes plain calls alone, and only while the service is open', async () => {
  let isOpen = true
  const answer = async () => ({ status: 200, text: '{"by":"hot"}' })
  const port = await serve(answer, () => isOpen)
  const by = async (headers: object = {}, body = '{"tool":"a"}', path = '/v1/ask') => {
    const sent = { method: 'POST', headers: { ...PLAIN, ...headers }, body }
    return (await fetch(`http://127.0.0.1:${port}${path}`, sent)).text()
  }
  expect(await by()).toBe('{"by":"hot"}')
  expect(await by({}, '{"tool":"a"}', '/v1/ask?x=1')).toBe('by the route')
  expect(await by({}, `{"tool":"${'a'.repeat(65_536)}"}`)).toBe('by the route')
  expect(await by({ authorization: 'Bearer eyJ' })).toBe('by the route')
  expect(await by({ 'content-type': 'text/yaml' })).toBe('by the route')
  for (const name of ['content-encoding', 'idempotency-key', 'origin', 'x-service-api-key']) {
    expect(await by({ [name]: 'x' }), name).toBe('by the route')
  }
  isOpen = false
  expect(await by()).toBe('by the route')
})

it('reads bodies in pieces, and several requests of one piece, each for itself', async () => {
  const port = await serve(echo)
  const socket = connect(port, '127.0.0.1')
  let told = ''
  socket.setEncoding('utf8').on('data', (text: string) => {
    told += text
  })
  const bodies = ['{"tool":"größer"}', '{"tool":"b"}', '{"tool":"c"}']
  const bytes = Buffer.from(requestOf(bodies[0] ?? ''))
  // Also within a character.
  for (const piece of [bytes.subarray(0, 40), bytes.subarray(40, -7), bytes.subarray(-7)]) {
    socket.write(piece)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  socket.write(requestOf(bodies[1] ?? '') + requestOf(bodies[2] ?? ''))
  await expect.poll(() => told.match(/\{.*\}/g)).toEqual(bodies)
  socket.destroy()
})

it('survives callers that leave, before all was said or before they are answered', async () => {
  let answer: () => void = () => undefined
  const asked: unknown[] = []
  const port = await serve(async (req) => {
    asked.push(req.body)
    if (asked.length === 1) await new Promise<void>((resolve) => (answer = resolve))
    return echo(req)
  })
  const whole = requestOf('{"tool":"left"}')
  const early = connect(port, '127.0.0.1')
  early.write(whole.slice(0, -3))
  const late = connect(port, '127.0.0.1')
  late.write(whole)
  await expect.poll(() => asked.length).toBe(1)
  for (const socket of [early, late]) {
    socket.resetAndDestroy()
    await once(socket, 'close')
  }
  answer()
  const sent = { method: 'POST', headers: PLAIN, body: '{"tool":"stays"}' }
  const stays = await fetch(`http://127.0.0.1:${port}/v1/ask`, sent)
  expect(await stays.json()).toEqual({ tool: 'stays' })
  expect(asked).toEqual([{ tool: 'left' }, { tool: 'stays' }])
})
