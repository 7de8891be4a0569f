import { describe, expect, it } from 'vitest'
import { readAnswer } from './answers.fixture.ts'
import { anthropicWire, geminiWire, openaiChatWire, openaiResponsesWire } from './index.ts'

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
    const [call] = readAnswer(wire, body).calls
    if (call?.arguments.isReadable !== true) return expect(call?.arguments.isReadable).toBe(false)
    expect(call.arguments.value).toEqual(args)
  })
})
