import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Type } from 'typebox'
import { expect, it } from 'vitest'
import { atEnd } from '#harness/at-end.ts'
import { createHotCall } from './hot-call.ts'

const ROUTE = {
  ...{ url: '/v1/ask', method: 'POST', bodyLimit: undefined, config: {} },
  schema: { body: Type.Object({ tool: Type.String() }) },
} as const
const PLAIN = { authorization: 'Bearer tsk_x', 'content-type': 'application/json' }

it('takes plain calls alone, and only while the service is open', async () => {
  let isOpen = true
  const call = createHotCall(
    { route: ROUTE, answer: async () => ({ status: 200, text: '{"by":"hot"}' }) },
    {
      check: async () => undefined,
      securityHeaders: {},
      isOpen: () => isOpen,
      onAnswered: () => undefined,
      onFault: () => undefined,
    },
  )
  const server = createServer((req, res) => {
    if (!call(req, res)) res.end('by the route')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(async () => void server.close())
  const { port } = server.address() as AddressInfo
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
