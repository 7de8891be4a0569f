import { PassThrough } from 'node:stream'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it } from 'vitest'
import { createClientLine } from './client-line.ts'

/** A line whose client the test is. */
async function world(bytesMax = 1000) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()]
  const line = createClientLine({ stdin, stdout, bytesMax })
  const heard: JSONRPCMessage[] = []
  const errors: string[] = []
  let isClosed = false
  line.onmessage = (message) => void heard.push(message)
  line.onerror = (err) => void errors.push(err.message)
  line.onclose = () => {
    isClosed = true
  }
  await line.start()
  const say = async (...chunks: (string | Buffer)[]) => {
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
  return { line, say, heard, errors, answers, isClosed: () => isClosed }
}

const ping = (id: number) => ({ jsonrpc: '2.0' as const, id, method: 'ping' })

describe('the line to a client', () => {
  it('hears messages however they are cut', async () => {
    const { say, heard, answers } = await world()
    const text = `${JSON.stringify(ping(1))}\r\n\n${JSON.stringify({ ...ping(2), params: { é: 1 } })}\n`
    await say(...[...Buffer.from(text)].map((byte) => Buffer.from([byte])))
    await say(`${JSON.stringify(ping(3))}\n${JSON.stringify(ping(4))}\n`)
    expect(heard).toEqual([ping(1), { ...ping(2), params: { é: 1 } }, ping(3), ping(4)])
    expect(answers()).toEqual([])
  })

  it.each([
    ['no JSON', '{"jsonrpc":', -32_700, null],
    ['a list', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32_600, null],
    ['a text', '"ping"', -32_600, null],
    ['no version', '{"id":1,"method":"ping"}', -32_600, 1],
    ['a request with a bad method', '{"jsonrpc":"2.0","id":"a","method":7}', -32_600, 'a'],
    ['a request with a bad id', '{"jsonrpc":"2.0","id":null,"method":"ping"}', -32_600, null],
    ['a bad notification', '{"jsonrpc":"2.0","method":"ping","params":"x"}', -32_600, null],
    ['an answer to nothing', '{"jsonrpc":"2.0","id":1}', -32_600, null],
  ])('answers %s with an error, and hears the next message', async (_what, text, code, id) => {
    const { say, heard, errors, answers } = await world()
    await say(`${text}\n${JSON.stringify(ping(2))}\n`)
    expect(answers()).toEqual([
      { jsonrpc: '2.0', id, error: { code, message: expect.any(String) } },
    ])
    expect(errors).toHaveLength(1)
    expect(heard).toEqual([ping(2)])
  })

  it('ends with a message that is too long', async () => {
    const { say, heard, errors, isClosed } = await world(100)
    await say('x'.repeat(60), 'x'.repeat(60), `\n${JSON.stringify(ping(1))}\n`)
    expect([heard, errors.length, isClosed()]).toEqual([[], 1, true])
  })
})
