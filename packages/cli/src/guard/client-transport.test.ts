import { PassThrough } from 'node:stream'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it } from 'vitest'
import { createClientTransport } from './client-transport.ts'

/** A transport whose client the test plays. */
async function createTransport(bytesMax = 1000) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()]
  const transport = createClientTransport({ stdin, stdout, bytesMax })
  const received: JSONRPCMessage[] = []
  const errors: string[] = []
  let isClosed = false
  transport.onmessage = (message) => void received.push(message)
  transport.onerror = (err) => void errors.push(err.message)
  transport.onclose = () => {
    isClosed = true
  }
  await transport.start()
  const send = async (...chunks: (string | Buffer)[]) => {
    for (const chunk of chunks) {
      stdin.write(chunk)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const answers = () =>
    String(stdout.read() ?? '')
      .split('\n')
      .filter((text) => text !== '')
      .map((text) => JSON.parse(text))
  return { send, received, errors, answers, isClosed: () => isClosed }
}

const ping = (id: number) => ({ jsonrpc: '2.0' as const, id, method: 'ping' })

describe('the client transport', () => {
  it('reassembles messages from any chunks', async () => {
    const { send, received, answers } = await createTransport()
    const text = `${JSON.stringify(ping(1))}\r\n\n${JSON.stringify({ ...ping(2), params: { é: 1 } })}\n`
    await send(...[...Buffer.from(text)].map((byte) => Buffer.from([byte])))
    await send(`${JSON.stringify(ping(3))}\n${JSON.stringify(ping(4))}\n`)
    expect(received).toEqual([ping(1), { ...ping(2), params: { é: 1 } }, ping(3), ping(4)])
    expect(answers()).toEqual([])
  })

  it.each([
    ['invalid JSON', '{"jsonrpc":', -32_700, null],
    ['an array', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32_600, null],
    ['a string', '"ping"', -32_600, null],
    ['no version', '{"id":1,"method":"ping"}', -32_600, 1],
    ['a request with a bad method', '{"jsonrpc":"2.0","id":"a","method":7}', -32_600, 'a'],
    ['a request with a bad id', '{"jsonrpc":"2.0","id":null,"method":"ping"}', -32_600, null],
    ['a bad notification', '{"jsonrpc":"2.0","method":"ping","params":"x"}', -32_600, null],
    ['a response without a result', '{"jsonrpc":"2.0","id":1}', -32_600, null],
  ])('answers %s with an error, and reads the next message', async (_fault, text, code, id) => {
    const { send, received, errors, answers } = await createTransport()
    await send(`${text}\n${JSON.stringify(ping(2))}\n`)
    expect(answers()).toEqual([
      { jsonrpc: '2.0', id, error: { code, message: expect.any(String) } },
    ])
    expect(errors).toHaveLength(1)
    expect(received).toEqual([ping(2)])
  })

  it('closes on a message that exceeds the size limit', async () => {
    const { send, received, errors, isClosed } = await createTransport(100)
    await send('x'.repeat(60), 'x'.repeat(60), `\n${JSON.stringify(ping(1))}\n`)
    expect([received, errors.length, isClosed()]).toEqual([[], 1, true])
  })
})
