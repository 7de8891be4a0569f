import { describe, expect, it } from 'vitest'
import { streamNamed } from './answers.fixture.ts'
import { anthropicWire } from './anthropic.ts'
import { chunk, event } from './events.fixture.ts'
import { geminiWire } from './gemini.ts'
import { openaiChatWire } from './openai-chat.ts'
import { delta } from './openai-chat-streams.fixture.ts'
import { openaiResponsesWire } from './openai-responses.ts'
import { bytesOf, runStream } from './stream-run.fixture.ts'

const WIRES = [anthropicWire, openaiChatWire, openaiResponsesWire, geminiWire]
const DEEP = `${'{"a":'.repeat(600)}1${'}'.repeat(600)}`
const PARTS = `{"parts":[{"functionCall":{"name":"rm","args":${DEEP}}}]}`
const DEEP_CALL = `{"candidates":[{"content":${PARTS}}]}`

describe('an event in which a lenient client could find a call', () => {
  it.each([
    ['nested too deeply', geminiWire, `data: ${DEEP_CALL}\n\n`],
    [
      'with NaN, which Python reads',
      openaiChatWire,
      chunk({
        choices: [{ delta: { tool_calls: [{ index: 0, function: { name: 'rm' } }] }, x: 7 }],
      }).replace('"x":7', '"x":NaN'),
    ],
    ['with two objects', openaiResponsesWire, 'data: {"type":"a"}{"type":"b"}\n\n'],
  ])('does not leave: %s', (_, wire, bad) => {
    const before = chunk({ note: 1 })
    const { out, faults } = runStream(wire, [bytesOf(before + bad + before)])
    expect(out).toBe(before)
    expect(faults).toEqual([{ kind: 'unreadable_event' }])
  })

  it('does not leave an array of Gemini', () => {
    const { out, faults } = runStream(geminiWire, [bytesOf(`[{"a":1},${DEEP_CALL}]`)], {
      format: 'json_array',
    })
    expect(out).toBe('[{"a":1}')
    expect(faults).toEqual([{ kind: 'unreadable_event' }])
  })

  it('is released as it came by abandon, with what followed in the same bytes', () => {
    const text = `${delta({ content: 'A' })}data: {"x":NaN}\n\n${delta({ content: 'B' })}data: [D`
    const stream = openaiChatWire.createStream()
    const out = [...stream.push(bytesOf(text)).forward, ...stream.abandon()]
    out.push(...stream.push(bytesOf('ONE]\n\n')).forward)
    expect(out.map((piece) => new TextDecoder().decode(piece)).join('')).toBe(`${text}ONE]\n\n`)
  })

  it('passes without holding', () => {
    const text = `data: ${DEEP_CALL}\n\n`
    expect(runStream(geminiWire, [bytesOf(text)], { isHolding: false })).toMatchObject({
      out: text,
      faults: [],
    })
  })
})

describe('half an event at the end of a stream', () => {
  it.each([
    'anthropic: thinking, text and parallel tools',
    'openai-chat: text, parallel tools and usage',
    'openai-responses: reasoning, functions and text',
    'gemini: a call in fragments',
  ])('never leaves: %s', (name) => {
    const { wire, text } = streamNamed(name)
    for (let end = 1; end < text.length; end += 13) {
      const { out } = runStream(wire, [bytesOf(text.slice(0, end))])
      for (const line of out.split('\n')) {
        const json = /^data: (\{.*)$/.exec(line)?.[1]
        if (json !== undefined) expect(() => JSON.parse(json), json).not.toThrow()
      }
    }
  })

  it('is reported', () => {
    const text = event({ type: 'message_start', message: { id: 'a' } })
    const { out, faults } = runStream(anthropicWire, [bytesOf(`${text}data: {"type":"con`)])
    expect(out).toBe(text)
    expect(faults).toEqual([{ kind: 'truncated_call', hasProviderError: false }])
  })
})

describe.each(WIRES)('a whole answer of $name', (wire) => {
  it.each([
    ['nested too deeply', DEEP_CALL],
    ['cut off', '{"choices":[{"message":{"tool_calls":[{"id":"a"'],
    ['with NaN', '\uFEFF {"choices":[],"x":NaN}'],
    ['no object', '[1]'],
  ])('is none if it is %s', (_, body) => {
    expect(wire.readAnswer(bytesOf(body))).toBeUndefined()
  })
})
