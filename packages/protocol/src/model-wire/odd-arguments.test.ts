import { describe, expect, it } from 'vitest'
import { anthropicWire, geminiWire, openaiChatWire, openaiResponsesWire } from './index.ts'
import { chatStream, delta } from './openai-chat-streams.fixture.ts'
import { bytesOf, runStream } from './stream-run.fixture.ts'

const ODD = [[1, 2], 'text', 7, true]

const bodies: [string, typeof anthropicWire, (args: unknown) => object][] = [
  [
    'anthropic',
    anthropicWire,
    (input) => ({ content: [{ type: 'tool_use', id: 'c', name: 'x', input }] }),
  ],
  [
    'openai-chat',
    openaiChatWire,
    (args) => ({
      choices: [
        { message: { tool_calls: [{ id: 'c', function: { name: 'x', arguments: args } }] } },
      ],
    }),
  ],
  [
    'openai-responses',
    openaiResponsesWire,
    (args) => ({ output: [{ type: 'function_call', call_id: 'c', name: 'x', arguments: args }] }),
  ],
  [
    'gemini',
    geminiWire,
    (args) => ({ candidates: [{ content: { parts: [{ functionCall: { name: 'x', args } }] } }] }),
  ],
]

/** A decision about no arguments must never stand for a call that has some. */
describe.each(bodies)('arguments of %s that are no object', (_, wire, bodyOf) => {
  it.each(ODD)('such as %j are not read as none', (args) => {
    const body = Buffer.from(JSON.stringify(bodyOf(args)))
    const [call] = wire.readAnswer(body)?.calls ?? []
    if (call?.arguments.isReadable !== true) return expect(call?.arguments.isReadable).toBe(false)
    expect(call.arguments.value).toEqual(args)
  })
})

/** The client acts on the part that the kind of a call names, and on nothing else. */
describe('a call of a chat completion with the parts of two kinds', () => {
  const f = { name: 'f', arguments: '{"a":1}' }
  const readMessage = (message: object) => {
    const body = Buffer.from(JSON.stringify({ choices: [{ message }] }))
    return openaiChatWire.readAnswer(body)?.calls ?? []
  }

  it.each([
    ['function and custom', { tool_calls: [{ function: f, custom: { name: 'g', input: 'rm' } }] }],
    ['input of a function', { tool_calls: [{ function: { ...f, input: '{}' } }] }],
    ['arguments of a custom tool', { tool_calls: [{ custom: { ...f, input: 'rm' } }] }],
    ['a function in function_call', { function_call: { name: 'g', arguments: '', function: f } }],
  ])('is not readable: %s', (_, message) => {
    const [call] = readMessage(message)
    expect(call?.arguments.isReadable).toBe(false)
  })

  it('is a function if the other part is null', () => {
    const [call] = readMessage({ tool_calls: [{ function: f, custom: null }] })
    expect(call).toMatchObject({ kind: 'function', arguments: { value: { a: 1 } } })
  })

  it('is not readable if the parts come in different chunks', () => {
    const entry = (fields: object) => delta({ tool_calls: [{ index: 0, ...fields }] })
    const text = chatStream(
      entry({ id: 'x', type: 'function', function: { name: 'f', arguments: '' } }),
      entry({ custom: { input: '{"a":1}' } }),
    )
    const [call] = runStream(openaiChatWire, [bytesOf(text)]).calls
    expect(call?.arguments.isReadable).toBe(false)
  })
})
