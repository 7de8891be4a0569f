import { describe, expect, it } from 'vitest'
import { anthropicWire } from './anthropic.ts'
import { geminiWire } from './gemini.ts'
import { openaiChatWire } from './openai-chat.ts'
import { openaiResponsesWire } from './openai-responses.ts'
import { bytesOf } from './stream-run.fixture.ts'
import type { RefusedOutput, RequestTarget, WireFormat } from './wire-format.ts'

const TARGETS: Record<string, RequestTarget> = {
  anthropic: { path: 'v1/messages' },
  'openai-chat': { path: 'v1/chat/completions' },
  'openai-responses': { path: 'v1/responses' },
  gemini: { path: 'v1beta/models/gemini-2.5-pro:streamGenerateContent', query: 'alt=sse' },
}

const read = (wire: WireFormat, body: unknown) =>
  wire.readRequest(bytesOf(JSON.stringify(body)), TARGETS[wire.name] ?? { path: '' })

/** The body with a nudge; the text must be the only change. */
function nudge(wire: WireFormat, body: string): string | undefined {
  const nudged = wire.appendNudge(bytesOf(body), 'Be "careful".')
  return nudged && new TextDecoder().decode(nudged)
}

const user = (content: unknown) => ({ role: 'user', content })

describe('a request', () => {
  it('of the Messages API', () => {
    const body = {
      model: 'claude-x',
      stream: true,
      metadata: { user_id: 'user_1_session_2' },
      tools: [
        { name: 'read', input_schema: {} },
        { type: 'bash_20250124', name: 'bash' },
        { type: 'web_search_20250305', name: 'web_search' },
      ],
      messages: [
        user([{ type: 'text', text: 'Hello "x"\n' }]),
        { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'read', input: {} }] },
        user([
          { type: 'tool_result', tool_use_id: 't1', content: 'no', is_error: true },
          { type: 'tool_result', tool_use_id: 't2', content: [{ type: 'tool_result' }] },
        ]),
      ],
    }
    expect(read(anthropicWire, body)).toMatchObject({
      model: 'claude-x',
      isStreamAsked: true,
      streamFormat: 'sse',
      session: { field: 'metadata.user_id', value: 'user_1_session_2' },
      firstUserText: 'Hello "x"\n',
      declaredTools: [
        { name: 'read', isServerSide: false },
        { name: 'bash', isServerSide: false },
        { name: 'web_search', isServerSide: true },
      ],
      toolResults: [
        { callId: 't1', name: undefined, isFailed: true },
        { callId: 't2', name: undefined, isFailed: false },
      ],
    })
  })

  it('for a chat completion', () => {
    const body = {
      model: 'gpt-x',
      prompt_cache_key: 'key-1',
      metadata: { session_id: '' },
      messages: [
        { role: 'system', content: 'S' },
        user('Hi'),
        { role: 'tool', tool_call_id: 'c1', content: '1' },
        { role: 'function', name: 'old', content: '2' },
      ],
      tools: [
        { type: 'function', function: { name: 'f' } },
        { type: 'custom', custom: { name: 'g' } },
      ],
      functions: [{ name: 'old' }],
    }
    expect(read(openaiChatWire, body)).toMatchObject({
      model: 'gpt-x',
      isStreamAsked: false,
      session: { field: 'prompt_cache_key', value: 'key-1' },
      firstUserText: 'Hi',
      declaredTools: [{ name: 'f' }, { name: 'g' }, { name: 'old' }],
      toolResults: [
        { callId: 'c1', name: undefined },
        { callId: undefined, name: 'old' },
      ],
    })
  })

  it('of the Responses API', () => {
    const body = {
      model: 'gpt-5',
      background: true,
      previous_response_id: 'resp_0',
      conversation: { id: 'conv_1' },
      tools: [{ type: 'function', name: 'f' }, { type: 'local_shell' }, { type: 'web_search' }],
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
        { type: 'function_call_output', call_id: 'c1', output: 'x', status: 'incomplete' },
        { type: 'local_shell_call_output', id: 'c2', output: 'x' },
      ],
    }
    expect(read(openaiResponsesWire, body)).toMatchObject({
      session: { field: 'previous_response_id', value: 'resp_0' },
      previousResponseId: 'resp_0',
      conversation: 'conv_1',
      isBackground: true,
      firstUserText: 'Hi',
      declaredTools: [
        { name: 'f', isServerSide: false },
        { name: 'local_shell', isServerSide: false },
        { name: 'web_search', isServerSide: true },
      ],
      toolResults: [
        { callId: 'c1', isFailed: true },
        { callId: 'c2', isFailed: false },
      ],
    })
    expect(read(openaiResponsesWire, { input: 'Hello' })?.firstUserText).toBe('Hello')
  })

  it('of Gemini, in both spellings', () => {
    const body = {
      cached_content: 'cachedContents/1',
      tools: [{ function_declarations: [{ name: 'f' }], googleSearch: {} }],
      contents: [
        { parts: [{ text: 'Hi' }] },
        {
          role: 'user',
          parts: [
            { functionResponse: { id: 'x', name: 'f', response: { output: 1 } } },
            { function_response: { name: 'g', response: { error: 'no' } } },
          ],
        },
      ],
    }
    expect(read(geminiWire, body)).toMatchObject({
      model: 'gemini-2.5-pro',
      isStreamAsked: true,
      streamFormat: 'sse',
      session: { field: 'cachedContent', value: 'cachedContents/1' },
      firstUserText: 'Hi',
      declaredTools: [
        { name: 'f', isServerSide: false },
        { name: 'googleSearch', isServerSide: true },
      ],
      toolResults: [
        { callId: 'x', name: 'f', isFailed: false },
        { callId: undefined, name: 'g', isFailed: true },
      ],
    })
    const target = { path: 'v1beta/models/m:streamGenerateContent' }
    expect(geminiWire.readRequest(bytesOf('{}'), target)?.streamFormat).toBe('json_array')
    const { body: error } = geminiWire.errorAnswer({ status: 403, message: 'No.', target })
    expect(JSON.parse(new TextDecoder().decode(error))).toEqual([
      { error: { code: 403, message: 'No.', status: 'PERMISSION_DENIED' } },
    ])
  })

  it.each([anthropicWire, openaiChatWire, openaiResponsesWire, geminiWire])(
    'that is no JSON object is not read: $name',
    (wire) => {
      for (const body of ['', 'hello', '[1]', `{"a":${'['.repeat(100_000)}`]) {
        expect(wire.readRequest(bytesOf(body), { path: 'v1' })).toBeUndefined()
        expect(wire.appendNudge(bytesOf(body), 'x')).toBeUndefined()
      }
      for (const body of ['{', '{"messages":[{"role":', '{"messages":[}', '{"a":"\\']) {
        expect(wire.readRequest(bytesOf(body), { path: 'v1' })?.toolResults).toEqual([])
      }
    },
  )
})

describe('a nudge', () => {
  const block = '{"type":"text","text":"Be \\"careful\\"."}'

  it('follows tool results and cache breakpoints, and changes no other byte', () => {
    const before = `{ "n":1e400, "system":"S", "messages":[ {"role":"user", "content":[{"type":"tool_result","tool_use_id":"t","cache_control":{"type":"ephemeral"}}`
    const after = ' ]} ] ,"z": 0}\n'
    expect(nudge(anthropicWire, `${before}${after}`)).toBe(`${before},${block}${after}`)
    const text = nudge(anthropicWire, '{"messages":[{"content":"A\\n","role":"user"}]}')
    expect(text).toBe(
      `{"messages":[{"content":[{"type":"text","text":"A\\n"},${block}],"role":"user"}]}`,
    )
  })

  it('extends the last message of a chat, or is one after tool results', () => {
    const chat = (last: string) => `{"messages":[{"role":"user","content":"A"},${last}]}`
    expect(nudge(openaiChatWire, chat('{"role":"user","content":"B"}'))).toBe(
      chat('{"role":"user","content":"B\\n\\nBe \\"careful\\"."}'),
    )
    expect(nudge(openaiChatWire, chat('{"role":"user","content":[]}'))).toBe(
      chat(`{"role":"user","content":[${block}]}`),
    )
    const result = '{"role":"tool","tool_call_id":"c","content":"1"}'
    expect(nudge(openaiChatWire, chat(result))).toBe(
      chat(`${result},{"role":"user","content":"Be \\"careful\\"."}`),
    )
    expect(nudge(openaiChatWire, chat('{"role":"assistant","content":"B"}'))).toBeUndefined()
  })

  it('extends the input of a response, or is a message after outputs', () => {
    const part = '{"type":"input_text","text":"Be \\"careful\\"."}'
    expect(nudge(openaiResponsesWire, '{"input":"A"}')).toBe('{"input":"A\\n\\nBe \\"careful\\"."}')
    const output = '{"type":"function_call_output","call_id":"c","output":"1"}'
    expect(nudge(openaiResponsesWire, `{"input":[${output}]}`)).toBe(
      `{"input":[${output},{"type":"message","role":"user","content":[${part}]}]}`,
    )
    expect(nudge(openaiResponsesWire, '{"input":[{"role":"user","content":[]}]}')).toBe(
      `{"input":[{"role":"user","content":[${part}]}]}`,
    )
  })

  it('is a part after the function responses of Gemini', () => {
    const result = '{"functionResponse":{"name":"f","response":{}}}'
    const text = '{"text":"Be \\"careful\\"."}'
    expect(nudge(geminiWire, `{"contents":[{"parts":[${result}],"role":"user"}]}`)).toBe(
      `{"contents":[{"parts":[${result},${text}],"role":"user"}]}`,
    )
    expect(nudge(geminiWire, `{"contents":[{"parts":[${result}],"role":"function"}]}`)).toBe(
      `{"contents":[{"parts":[${result}],"role":"function"},{"role":"user","parts":[${text}]}]}`,
    )
    expect(nudge(geminiWire, '{"contents":[{"parts":[],"role":"model"}]}')).toBeUndefined()
  })
})

describe('outputs for refused calls', () => {
  const refused: RefusedOutput[] = [
    { callId: 'c1', kind: 'function', name: 'f', text: 'Blocked.' },
    { callId: 'c2', kind: 'custom', name: 'g', text: 'Blocked.' },
    { callId: 'c3', kind: 'builtin', name: 'shell', text: 'Blocked.' },
    { callId: 'c4', kind: 'approval', name: 'h', text: 'Blocked.' },
  ]
  const add = (body: unknown) => {
    const added = openaiResponsesWire.addRefusedOutputs(bytesOf(JSON.stringify(body)), refused)
    return added && JSON.parse(new TextDecoder().decode(added)).input
  }
  const given = { type: 'function_call_output', call_id: 'c1', output: 'mine' }

  it('are added where the provider keeps the conversation, if the client has none', () => {
    const input = add({ previous_response_id: 'r', input: [given, user('Hi')] })
    expect(input).toEqual([
      { type: 'custom_tool_call_output', call_id: 'c2', output: 'Blocked.' },
      {
        type: 'shell_call_output',
        call_id: 'c3',
        output: [{ stdout: '', stderr: 'Blocked.', outcome: { type: 'exit', exit_code: 1 } }],
      },
      {
        type: 'mcp_approval_response',
        approval_request_id: 'c4',
        approve: false,
        reason: 'Blocked.',
      },
      given,
      user('Hi'),
    ])
    expect(add({ conversation: 'conv_1', input: 'Hi' }).at(-1)).toMatchObject(user('Hi'))
  })

  it('are not added elsewhere', () => {
    expect(add({ input: 'Hi' })).toBeUndefined()
    expect(add({ previous_response_id: null, input: 'Hi' })).toBeUndefined()
    for (const wire of [anthropicWire, openaiChatWire, geminiWire]) {
      expect(wire.addRefusedOutputs(bytesOf('{}'), refused)).toBeUndefined()
    }
  })
})

describe('the format of an answer', () => {
  it('is what the answer says, else what was asked', () => {
    const of = (contentType: string | undefined, isStreamAsked: boolean) =>
      openaiChatWire.answerFormat({ contentType, isStreamAsked })
    expect(of('text/event-stream; charset=utf-8', false)).toBe('sse')
    expect(of('application/json', true)).toBe('json')
    expect(of(undefined, true)).toBe('sse')
    expect(of('text/html', false)).toBe('json')
    const array = { contentType: 'application/json', isStreamAsked: true }
    expect(geminiWire.answerFormat(array)).toBe('json_array')
  })
})
