import { describe, expect, it } from 'vitest'
import { encodeText } from './byte-queue.ts'
import { anthropicWire, geminiWire, openaiChatWire, openaiResponsesWire } from './index.ts'
import { runStream } from './stream-run.fixture.ts'
import type { StreamFormat, WireFormat } from './wire-format.ts'

const DEEP = `${'['.repeat(600)}${']'.repeat(600)}`
const CHAT_CALL = `{"id":"c","function":{"name":"drop","arguments":"{}"}}`

/** Answers that a client may well read, and in which we would overlook a call. */
const ANSWERS: [string, WireFormat, string][] = [
  [
    'a number that only JavaScript rejects',
    openaiChatWire,
    `{"choices":[{"logprobs":NaN,"message":{"tool_calls":[${CHAT_CALL}]}}]}`,
  ],
  [
    'arguments nested deeply',
    anthropicWire,
    `{"content":[{"type":"tool_use","id":"c","name":"drop","input":{"a":${DEEP}}}]}`,
  ],
  [
    'arguments nested deeply, of Gemini',
    geminiWire,
    `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"drop","args":{"a":${DEEP}}}}]}}]}`,
  ],
  [
    'a callback of JSONP',
    geminiWire,
    `f({"candidates":[{"content":{"parts":[{"functionCall":{"name":"drop"}}]}}]})`,
  ],
  ['positions in place of names', geminiWire, `[[[[[[null,null,null,["drop"]]]]]]]`],
  [
    'two values',
    openaiResponsesWire,
    `{} {"output":[{"type":"function_call","call_id":"c","name":"drop","arguments":"{}"}]}`,
  ],
]

describe('an answer that we cannot read', () => {
  it.each(ANSWERS)('is not taken for one without calls: %s', (_, wire, body) => {
    expect(wire.readAnswer(encodeText(body))).toBeUndefined()
  })

  const events: [string, WireFormat, StreamFormat, string][] = [
    ...ANSWERS.slice(0, 5).map(([name, wire, body]): [string, WireFormat, StreamFormat, string] => [
      name,
      wire,
      'sse',
      `data: ${body}\n\n`,
    ]),
    [
      'lines of JSON',
      openaiChatWire,
      'sse',
      `{"choices":[{"delta":{"tool_calls":[${CHAT_CALL}]}}]}\n`,
    ],
    [
      'JSON beside an event',
      openaiChatWire,
      'sse',
      `{"message":{"tool_calls":[${CHAT_CALL}]}}\ndata: {}\n\n`,
    ],
    ['a binary form', geminiWire, 'sse', '\n\u0014\n\u0012*\u0010\n\u0004drop'],
    ['positions in an array', geminiWire, 'json_array', '[[[[[[null,null,null,["drop"]]]]]]]'],
    ['positions before an object', geminiWire, 'json_array', '[[[["drop"]]],{"candidates":[]}]'],
    ['deep arguments in an array', geminiWire, 'json_array', `[${ANSWERS[2]?.[2]}]`],
  ]

  it.each(events)('stops a stream before it: %s', (_, wire, format, text) => {
    const { out, faults } = runStream(wire, [encodeText(text)], { format })
    expect(out).not.toContain('drop')
    expect(faults).toEqual([{ kind: 'unreadable_event' }])
  })

  it.each(events)('passes in mode observe and after abandon: %s', (_, wire, format, text) => {
    const observed = runStream(wire, [encodeText(text)], { format, isHolding: false })
    expect(observed.out).toBe(text)
    const stream = wire.createStream({ format })
    const decoder = new TextDecoder()
    const out = [...stream.push(encodeText(text)).forward, ...stream.end().forward]
    out.push(...stream.abandon())
    expect(out.map((piece) => decoder.decode(piece, { stream: true })).join('')).toBe(text)
  })
})
