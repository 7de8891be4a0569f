import { describe, expect, it } from 'vitest'
import { STREAMS } from './answers.fixture.ts'
import { anthropicWire } from './anthropic.ts'
import { geminiWire } from './gemini.ts'
import { openaiChatWire } from './openai-chat.ts'
import { openaiResponsesWire } from './openai-responses.ts'
import { bytesOf, refusalOf, runStream } from './stream-run.fixture.ts'
import {
  blockedText,
  type ToolCall,
  type Verdict,
  type WholeAnswer,
  type WireFormat,
} from './wire-format.ts'

const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes)

/** The body after the calls with these names were refused. */
function rewrite(wire: WireFormat, body: string, refused: readonly string[]) {
  return rewriteWhere(wire, body, ({ name }) => refused.includes(name))
}

function rewriteWhere(wire: WireFormat, body: string, isRefused: (call: ToolCall) => boolean) {
  const answer = wire.readAnswer(bytesOf(body))
  const verdicts = answer?.calls.map((call): Verdict => {
    const { n } = call
    return isRefused(call)
      ? { n, isReleased: false, text: refusalOf(call) }
      : { n, isReleased: true }
  })
  return { answer, out: text(answer?.rewrite(verdicts ?? [])) }
}

describe('a whole message of Anthropic', () => {
  const body = `{ "id":"msg_1", "type":"message","role":"assistant","model":"claude-x",
    "content":[{"type":"thinking","thinking":"Hm.","signature":"sig=="},{"type":"text","text":"A"},
    {"type":"tool_use","id":"t1","name":"f","input":{"n":12345678901234567890}},
    {"type":"tool_use","id":"t2","name":"g","input":{}}],
    "stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":2}}\n`

  it('stays as it is, loses one call, or all', () => {
    expect(rewrite(anthropicWire, body, []).out).toBe(body)
    const one = rewrite(anthropicWire, body, ['g']).out
    expect(one).toBe(
      body.replace(
        '{"type":"tool_use","id":"t2","name":"g","input":{}}',
        '{"type":"text","text":"Touchstone blocked g: not allowed (dec_2)"}',
      ),
    )
    const none = rewrite(anthropicWire, body, ['f', 'g']).out
    expect(none).toContain('"stop_reason":"end_turn"')
    expect(none).not.toContain('tool_use')
    expect(none).toContain('"signature":"sig=="')
  })

  it('is summarised', () => {
    const { answer } = rewrite(anthropicWire, body, [])
    expect(answer?.summary).toMatchObject({
      model: 'claude-x',
      answerId: 'msg_1',
      thinking: 'Hm.',
      thinkingKind: 'native',
      isThinkingWithheld: false,
      outputText: 'A',
      usage: { inputTokens: 1, cachedTokens: 0, outputTokens: 2 },
      end: { kind: 'finished', reason: 'tool_use' },
    })
  })
})

describe('a whole chat completion', () => {
  const call = (id: string, name: string) =>
    `{"id":"${id}","type":"function","function":{"name":"${name}","arguments":"{}"}}`
  const message = (calls: string) =>
    `{"role":"assistant","content":null,"refusal":null,"tool_calls":[${calls}]}`
  const body = (calls: string) =>
    `{"id":"c","model":"gpt-x","choices":[{"index":0,"message":${message(calls)},"logprobs":null,"finish_reason":"tool_calls"}]}`

  it('stays as it is, loses one call, or all', () => {
    const both = body(`${call('a', 'f')},${call('b', 'g')}`)
    expect(rewrite(openaiChatWire, both, []).out).toBe(both)
    const one = JSON.parse(rewrite(openaiChatWire, both, ['f']).out).choices[0]
    expect(one.finish_reason).toBe('tool_calls')
    expect(one.message.tool_calls.map(({ id }: { id: string }) => id)).toEqual(['b'])
    const none = JSON.parse(rewrite(openaiChatWire, both, ['f', 'g']).out).choices[0]
    expect(none).toEqual({
      index: 0,
      message: {
        role: 'assistant',
        content:
          'Touchstone blocked f: not allowed (dec_1)\nTouchstone blocked g: not allowed (dec_2)',
        refusal: null,
      },
      logprobs: null,
      finish_reason: 'stop',
    })
  })
})

describe('a whole response of OpenAI', () => {
  const body = JSON.stringify({
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    error: null,
    model: 'gpt-5',
    output: [
      { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'gAAA' },
      { id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{"a":1}' },
      { id: 'ws_1', type: 'web_search_call', status: 'completed' },
    ],
  })

  it('stays as it is or has a message at the place of the call', () => {
    const { answer, out } = rewrite(openaiResponsesWire, body, [])
    expect(out).toBe(body)
    expect(answer?.summary).toMatchObject({
      isThinkingWithheld: true,
      thinkingKind: 'none',
      serverTools: [{ name: 'web_search', callId: 'ws_1' }],
    })
    const { output } = JSON.parse(rewrite(openaiResponsesWire, body, ['f']).out)
    expect(output.map(({ type }: { type: string }) => type)).toEqual([
      'reasoning',
      'message',
      'web_search_call',
    ])
    expect(output[1]).toMatchObject({ id: 'msg_1', role: 'assistant', status: 'completed' })
  })
})

describe('a whole response of Gemini', () => {
  it('moves the signature of a refused call to the next one, which must have it', () => {
    const parts = [
      { functionCall: { name: 'f', args: { x: 1 } }, thoughtSignature: 'sig' },
      { functionCall: { name: 'g', args: {} } },
    ]
    const body = JSON.stringify({ candidates: [{ content: { role: 'model', parts } }] })
    expect(rewrite(geminiWire, body, []).out).toBe(body)
    expect(JSON.parse(rewrite(geminiWire, body, ['f']).out).candidates[0].content.parts).toEqual([
      { text: 'Touchstone blocked f: not allowed (dec_1)', thoughtSignature: 'sig' },
      { functionCall: { name: 'g', args: {} }, thoughtSignature: 'sig' },
    ])
  })
})

/** Bodies with these calls, all with the same id. */
const chatCall = (fields: object) => ({ id: 'x', type: 'function', ...fields })
const chatBody = (...messages: object[]) => ({
  choices: messages.map((message) => ({ index: 0, message, finish_reason: 'tool_calls' })),
})
const functionCall = (text: string) => chatCall({ function: { name: 'run', arguments: text } })
const customCall = (input: string) => chatCall({ type: 'custom', custom: { name: 'run', input } })
const responseItem = (item: object) => ({ id: 'i', call_id: 'x', name: 'run', ...item })

const SAME_IDS: [string, WireFormat, string[], (texts: string[]) => object][] = [
  [
    'anthropic',
    anthropicWire,
    ['{}', '{"a":1}', '{}'],
    (texts) => ({
      content: texts.map((input) => ({
        type: 'tool_use',
        id: 'x',
        name: 'run',
        input: JSON.parse(input),
      })),
    }),
  ],
  [
    'openai-chat, empty arguments',
    openaiChatWire,
    ['', '', ''],
    (texts) => chatBody({ tool_calls: texts.map(functionCall) }),
  ],
  [
    'openai-chat, functions',
    openaiChatWire,
    ['{"a":1}', '', '{"b":2}'],
    (texts) => chatBody({ tool_calls: texts.map(functionCall) }),
  ],
  [
    'openai-chat, custom tools',
    openaiChatWire,
    ['ls ', 'rm -rf /', 'ls '],
    (texts) => chatBody({ tool_calls: texts.map(customCall) }),
  ],
  [
    'openai-chat, an id only at the first call of an index',
    openaiChatWire,
    ['ls ', 'rm -rf /', '; ls'],
    (texts) =>
      chatBody({
        tool_calls: texts.map((input, at) => {
          const { id, ...rest } = customCall(input)
          return at === 0 ? { index: 0, id, ...rest } : { index: 0, ...rest }
        }),
      }),
  ],
  [
    'openai-chat, the index of a call as the id of another',
    openaiChatWire,
    ['ls ', 'rm -rf /', '; ls'],
    (texts) =>
      chatBody({
        tool_calls: texts.map((input, at) => {
          const call = { ...customCall(input), id: '1' }
          return at === 0 ? { ...call, index: 1 } : call
        }),
      }),
  ],
  [
    'openai-chat, choices with the same index',
    openaiChatWire,
    ['ls ', 'rm -rf /', '; ls'],
    (texts) => chatBody(...texts.map((input) => ({ tool_calls: [customCall(input)] }))),
  ],
  [
    'openai-chat, function_call of choices with the same index',
    openaiChatWire,
    ['', '{"a":1}', ''],
    (texts) =>
      chatBody(...texts.map((text) => ({ function_call: { name: 'run', arguments: text } }))),
  ],
  [
    'openai-responses, functions',
    openaiResponsesWire,
    ['', '', '{"a":1}'],
    (texts) => ({
      output: texts.map((text) => responseItem({ type: 'function_call', arguments: text })),
    }),
  ],
  [
    'openai-responses, custom tools',
    openaiResponsesWire,
    ['ls ', 'rm -rf /', 'ls '],
    (texts) => ({
      output: texts.map((input) => responseItem({ type: 'custom_tool_call', input })),
    }),
  ],
  [
    'gemini',
    geminiWire,
    ['{}', '{"a":1}', '{}'],
    (texts) => ({
      candidates: texts.map((args) => ({
        index: 0,
        content: { parts: [{ functionCall: { id: 'x', name: 'run', args: JSON.parse(args) } }] },
      })),
    }),
  ],
]

describe.each(SAME_IDS)('calls with equal ids in a whole answer: %s', (_, wire, texts, bodyOf) => {
  const body = JSON.stringify(bodyOf(texts))
  const countOf = (out: string) => out.match(/"name":"run"/g)?.length ?? 0
  const orEmpty = (found: readonly string[] = []) => found.map((one) => one || '{}')
  const textsOf = (answer?: WholeAnswer) =>
    orEmpty(answer?.calls.map((call) => call.arguments.text))

  it('are calls of their own, each with its own arguments', () => {
    const { answer, out } = rewriteWhere(wire, body, () => false)
    expect(out).toBe(body)
    expect(textsOf(answer)).toEqual(orEmpty(texts))
  })

  it.each([1, 2, 3])('are refused one by one: number %i', (n) => {
    const { out } = rewriteWhere(wire, body, (call) => call.n === n)
    expect(out).toContain(`(dec_${n})`)
    expect(countOf(out)).toBe(2)
    const again = rewriteWhere(wire, out, () => true)
    expect(textsOf(again.answer)).toEqual(orEmpty(texts.filter((_text, at) => at !== n - 1)))
    expect(countOf(again.out)).toBe(0)
  })
})

describe.each([anthropicWire, openaiChatWire, openaiResponsesWire, geminiWire])(
  'a body that is no answer: $name',
  (wire) => {
    it('is not read', () => {
      expect(wire.readAnswer(bytesOf('<html>'))).toBeUndefined()
      expect(wire.readAnswer(bytesOf('[1]'))).toBeUndefined()
      expect(wire.readAnswer(bytesOf('['.repeat(100_000)))).toBeUndefined()
      expect(wire.readAnswer(bytesOf('{}'))?.calls).toEqual([])
    })

    it('is an error if it is one of ours', () => {
      const { body, status } = wire.errorAnswer({ status: 503, message: 'Down.' })
      expect(status).toBe(503)
      expect(wire.readAnswer(body)?.summary.end).toEqual({ kind: 'failed', message: 'Down.' })
    })
  },
)

describe('the summary of a stream', () => {
  const summaryOf = (name: string) => {
    const found = STREAMS.find((one) => one.name === name)
    return found && runStream(found.wire, [bytesOf(found.text)]).summary
  }

  it('has thinking, text, usage, server tools and the end on every wire', () => {
    expect(summaryOf('anthropic: thinking, text and parallel tools')).toMatchObject({
      model: 'claude-sonnet-4-5',
      thinking: 'The user asks for the weather in Zürich ☀️.',
      thinkingKind: 'native',
      outputText: 'I look at the weather.',
      usage: { inputTokens: 125, cachedTokens: 100, outputTokens: 89 },
      end: { kind: 'finished', reason: 'tool_use' },
    })
    expect(summaryOf('anthropic: redacted thinking and server tools')).toMatchObject({
      thinkingKind: 'none',
      isThinkingWithheld: true,
      serverTools: [{ name: 'web_search', callId: 'srvtoolu_01' }],
    })
    expect(
      summaryOf('anthropic: interleaved thinking, text after a tool, an unknown event'),
    ).toMatchObject({ thinking: 'First one tool.\nThen another one.' })
    expect(summaryOf('openai-chat: text, parallel tools and usage')).toMatchObject({
      isThinkingWithheld: true,
      usage: { inputTokens: 30, cachedTokens: 10, outputTokens: 12 },
      end: { kind: 'finished', reason: 'tool_calls' },
    })
    expect(summaryOf('openai-chat: a refusal and reasoning_content')).toMatchObject({
      thinking: 'Not this.',
      thinkingKind: 'native',
      outputText: 'I cannot help.',
    })
    expect(summaryOf('openai-responses: reasoning, functions and text')).toMatchObject({
      answerId: 'resp_1',
      thinking: 'Look at the weather.',
      thinkingKind: 'reasoning_summary',
      isThinkingWithheld: false,
      outputText: 'Done.',
      usage: { inputTokens: 36, cachedTokens: 6, outputTokens: 87 },
      end: { kind: 'finished', reason: 'completed' },
    })
    expect(summaryOf('gemini: thoughts, text and calls with a signature')).toMatchObject({
      model: 'gemini-2.5-pro',
      thinking: 'I should look.',
      outputText: 'Looking. ☀️',
      usage: { inputTokens: 11, cachedTokens: 4, outputTokens: 12 },
      end: { kind: 'finished', reason: 'STOP' },
    })
    expect(summaryOf('openai-chat: an error')?.end).toMatchObject({ kind: 'failed' })
  })
})

describe('the text of a refusal', () => {
  it('names tool, message and decision', () => {
    const call = { tool: 'rm', message: 'forbidden by policy', decisionId: 'dec_1' }
    expect(blockedText(call)).toBe('Touchstone blocked rm: forbidden by policy (dec_1)')
  })
})
