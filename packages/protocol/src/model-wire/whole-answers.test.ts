import { describe, expect, it } from 'vitest'
import { STREAMS } from './answers.fixture.ts'
import { anthropicWire } from './anthropic.ts'
import { geminiWire } from './gemini.ts'
import { openaiChatWire } from './openai-chat.ts'
import { openaiResponsesWire } from './openai-responses.ts'
import { bytesOf, refusalOf, runStream } from './stream-run.fixture.ts'
import { blockedText, type Verdict, type WireFormat } from './wire-format.ts'

const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes)

/** The body after the calls with these names were refused. */
function rewrite(wire: WireFormat, body: string, refused: readonly string[]) {
  const answer = wire.readAnswer(bytesOf(body))
  const verdicts = answer?.calls.map((call): Verdict => {
    const { n } = call
    return refused.includes(call.name)
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
