import { anthropicWire } from './anthropic.ts'
import { encodeText, joinPieces } from './byte-queue.ts'
import { geminiWire } from './gemini.ts'
import { openaiChatWire } from './openai-chat.ts'
import { openaiResponsesWire } from './openai-responses.ts'
import type {
  StreamFault,
  StreamFormat,
  StreamOptions,
  ToolCall,
  TurnSummary,
  Verdict,
  WholeAnswer,
  WireFormat,
} from './wire-format.ts'

/** Streams written after the published formats of the providers. */
export type StreamFixture = {
  name: string
  wire: WireFormat
  format: StreamFormat
  text: string
}

type Json = Record<string, unknown>

export const event = (data: Json & { type: string }): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
export const chunk = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`

export type Run = {
  out: string
  calls: ToolCall[]
  summary: TurnSummary
  faults: StreamFault[]
}

/** A whole answer, which the test expects to be readable. */
export function readAnswer(wire: WireFormat, body: Uint8Array): WholeAnswer {
  const answer = wire.readAnswer(body)
  if (answer === undefined || answer === 'unreadable') throw new Error('no answer')
  return answer
}

/** Pushes the pieces, settles each call as soon as it is known, and ends. */
export function runStream(
  wire: WireFormat,
  pieces: readonly Uint8Array[],
  options: StreamOptions & { refuse?: (call: ToolCall) => boolean } = {},
): Run {
  const { refuse = () => false, ...streamOptions } = options
  const stream = wire.createStream(streamOptions)
  const out: Uint8Array[] = []
  const calls: ToolCall[] = []
  const faults: StreamFault[] = []
  const take = (step: ReturnType<typeof stream.push>) => {
    out.push(...step.forward)
    if (step.fault !== undefined) faults.push(step.fault)
    calls.push(...step.decide)
    const verdicts = step.decide.map(
      (call): Verdict =>
        refuse(call)
          ? { n: call.n, isReleased: false, text: refusalOf(call) }
          : { n: call.n, isReleased: true },
    )
    out.push(...stream.settle(verdicts))
  }
  for (const piece of pieces) take(stream.push(piece))
  take(stream.end())
  return {
    out: new TextDecoder().decode(joinPieces(out)),
    calls,
    summary: stream.summary(),
    faults,
  }
}

export function refusalOf({ n, name }: ToolCall): string {
  return `Touchstone blocked ${name}: not allowed (dec_${n})`
}

export const bytesOf = encodeText

/** Anthropic: thinking with a signature, text, two calls, a ping and an event that nobody knows. */
const anthropicStart = event({
  type: 'message_start',
  message: {
    id: 'msg_01',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: {
      input_tokens: 20,
      cache_creation_input_tokens: 5,
      cache_read_input_tokens: 100,
      output_tokens: 1,
    },
  },
})

const anthropicEnd = (reason: string) =>
  event({
    type: 'message_delta',
    delta: { stop_reason: reason, stop_sequence: null },
    usage: { output_tokens: 89 },
  }) + event({ type: 'message_stop' })

const block = (index: number, content_block: Json, deltas: Json[]) =>
  event({ type: 'content_block_start', index, content_block }) +
  deltas.map((delta) => event({ type: 'content_block_delta', index, delta })).join('') +
  event({ type: 'content_block_stop', index })

const text = (index: number, ...parts: string[]) =>
  block(
    index,
    { type: 'text', text: '' },
    parts.map((part) => ({ type: 'text_delta', text: part })),
  )

const thinking = (index: number, thought: string) =>
  block(index, { type: 'thinking', thinking: '', signature: '' }, [
    { type: 'thinking_delta', thinking: thought.slice(0, 9) },
    { type: 'thinking_delta', thinking: thought.slice(9) },
    { type: 'signature_delta', signature: 'EqQBCgIYAhIM1gbcDa9GJwZA2b3h' },
  ])

export const toolUse = (index: number, id: string, name: string, input: string) =>
  block(index, { type: 'tool_use', id, name, input: {} }, [
    { type: 'input_json_delta', partial_json: '' },
    { type: 'input_json_delta', partial_json: input.slice(0, 7) },
    { type: 'input_json_delta', partial_json: input.slice(7) },
  ])

const ping = event({ type: 'ping' })

export const anthropicStream = (...blocks: string[]) =>
  anthropicStart + ping + blocks.join('') + anthropicEnd('tool_use')

const anthropicStreams = {
  'thinking, text and parallel tools': anthropicStream(
    thinking(0, 'The user asks for the weather in Zürich ☀️.'),
    text(1, 'I look at ', 'the weather.'),
    toolUse(2, 'toolu_01', 'get_weather', '{"city":"Zürich"}'),
    ping,
    toolUse(3, 'toolu_02', 'delete_file', '{"path":"/tmp/a","n":12345678901234567890}'),
  ),
  'interleaved thinking, text after a tool, an unknown event': anthropicStream(
    thinking(0, 'First one tool.'),
    toolUse(1, 'toolu_01', 'read', '{}'),
    event({ type: 'content_block_new', index: 9 }),
    thinking(2, 'Then another one.'),
    text(3, 'Between.'),
    toolUse(4, 'toolu_01', 'write', '{"a":[1,2]}'),
  ),
  'redacted thinking and server tools':
    anthropicStart +
    block(0, { type: 'redacted_thinking', data: 'EmwKAhgBEgy3va3pzix' }, []) +
    block(1, { type: 'server_tool_use', id: 'srvtoolu_01', name: 'web_search', input: {} }, [
      { type: 'input_json_delta', partial_json: '{"query":"x"}' },
    ]) +
    block(2, { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_01', content: [] }, []) +
    text(3, 'Found.') +
    anthropicEnd('end_turn'),
  'an error in the middle of text':
    anthropicStart +
    event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }) +
    event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hm' } }) +
    event({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
}

const head = {
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1_700_000_000,
  model: 'gpt-4o-2024-08-06',
  system_fingerprint: 'fp_1',
}
export const delta = (fields: Json, finish_reason: string | null = null, index = 0) =>
  chunk({ ...head, choices: [{ index, delta: fields, logprobs: null, finish_reason }] })
const usageChunk = chunk({
  ...head,
  choices: [],
  usage: {
    prompt_tokens: 30,
    completion_tokens: 12,
    total_tokens: 42,
    prompt_tokens_details: { cached_tokens: 10 },
    completion_tokens_details: { reasoning_tokens: 4 },
  },
})
const done = 'data: [DONE]\n\n'
const toolStart = (index: number, id: string, name: string) => ({
  tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }],
})
const toolDelta = (index: number, args: string) => ({
  tool_calls: [{ index, function: { arguments: args } }],
})

export const chatTool = (index: number, id: string, name: string, args: string) =>
  delta(toolStart(index, id, name)) +
  delta(toolDelta(index, args.slice(0, 5))) +
  delta(toolDelta(index, args.slice(5)))

export const chatStream = (...tools: string[]) =>
  delta({ role: 'assistant', content: 'Let me see.', refusal: null }) +
  tools.join('') +
  delta({}, 'tool_calls') +
  usageChunk +
  done

const chatStreams = {
  'text, parallel tools and usage': chatStream(
    chatTool(0, 'call_a', 'get_weather', '{"city":"Zürich"}'),
    chatTool(1, 'call_b', 'delete_file', '{"path":"/x"}'),
    chatTool(2, 'call_c', 'send', '{"n":1}'),
  ),
  'a tool in the first chunk':
    delta({
      role: 'assistant',
      content: null,
      ...toolStart(0, 'call_a', 'now'),
    }) +
    delta({}, 'tool_calls') +
    done,
  'several choices':
    delta({ role: 'assistant', content: 'One.' }, null, 0) +
    delta({ role: 'assistant', content: null, ...toolStart(0, 'call_a', 'read') }, null, 1) +
    delta({ content: ' More.' }, null, 0) +
    delta(toolDelta(0, '{}'), null, 1) +
    delta({}, 'stop', 0) +
    delta({}, 'tool_calls', 1) +
    done,
  'legacy function_call':
    delta({
      role: 'assistant',
      content: null,
      function_call: { name: 'old', arguments: '' },
    }) +
    delta({ function_call: { arguments: '{"x":1}' } }) +
    delta({}, 'function_call') +
    done,
  'a refusal and reasoning_content':
    delta({ role: 'assistant', reasoning_content: 'Not this.' }) +
    delta({ refusal: 'I cannot help.' }) +
    delta({}, 'stop') +
    done,
  'an error':
    delta({ role: 'assistant', content: 'Hm' }) +
    chunk({ error: { message: 'The server had an error', type: 'server_error' } }),
}

const response = (status: string, output: unknown[]) => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1_700_000_000,
  status,
  error: null,
  incomplete_details: null,
  model: 'gpt-5-2025-08-07',
  output,
  parallel_tool_calls: true,
  tool_choice: 'auto',
  tools: [],
  usage:
    status === 'completed'
      ? {
          input_tokens: 36,
          input_tokens_details: { cached_tokens: 6 },
          output_tokens: 87,
          output_tokens_details: { reasoning_tokens: 3 },
          total_tokens: 123,
        }
      : null,
})

type ResponseItem = { item: Json; start: Json; events: (Json & { type: string })[] }

const functionItem = (id: string, name: string, args: string): ResponseItem => {
  const item = {
    id: `fc_${id}`,
    type: 'function_call',
    status: 'completed',
    call_id: `call_${id}`,
    name,
    arguments: args,
  }
  return {
    item,
    start: { ...item, status: 'in_progress', arguments: '' },
    events: [
      { type: 'response.function_call_arguments.delta', item_id: item.id, delta: args },
      { type: 'response.function_call_arguments.done', item_id: item.id, arguments: args },
    ],
  }
}

const reasoningItem: ResponseItem = {
  item: {
    id: 'rs_1',
    type: 'reasoning',
    summary: [{ type: 'summary_text', text: 'Look at the weather.' }],
    encrypted_content: 'gAAAAABo',
  },
  start: { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'gAAA' },
  events: [
    {
      type: 'response.reasoning_summary_part.added',
      item_id: 'rs_1',
      summary_index: 0,
      part: { type: 'summary_text', text: '' },
    },
    {
      type: 'response.reasoning_summary_text.delta',
      item_id: 'rs_1',
      summary_index: 0,
      delta: 'Look at the weather.',
    },
    {
      type: 'response.reasoning_summary_text.done',
      item_id: 'rs_1',
      summary_index: 0,
      text: 'Look at the weather.',
    },
    {
      type: 'response.reasoning_summary_part.done',
      item_id: 'rs_1',
      summary_index: 0,
      part: { type: 'summary_text', text: 'Look at the weather.' },
    },
  ],
}

const messageItem = (id: string, content: string): ResponseItem => {
  const part = { type: 'output_text', text: content, annotations: [], logprobs: [] }
  const item = { id, type: 'message', status: 'completed', role: 'assistant', content: [part] }
  const place = { item_id: id, content_index: 0 }
  return {
    item,
    start: { ...item, status: 'in_progress', content: [] },
    events: [
      { type: 'response.content_part.added', ...place, part: { ...part, text: '' } },
      { type: 'response.output_text.delta', ...place, delta: content, logprobs: [] },
      { type: 'response.output_text.done', ...place, text: content, logprobs: [] },
      { type: 'response.content_part.done', ...place, part },
    ],
  }
}

const customItem: ResponseItem = {
  item: {
    id: 'ctc_1',
    type: 'custom_tool_call',
    status: 'completed',
    call_id: 'call_c',
    name: 'run',
    input: 'ls -l',
  },
  start: {
    id: 'ctc_1',
    type: 'custom_tool_call',
    status: 'in_progress',
    call_id: 'call_c',
    name: 'run',
    input: '',
  },
  events: [
    { type: 'response.custom_tool_call_input.delta', item_id: 'ctc_1', delta: 'ls -l' },
    { type: 'response.custom_tool_call_input.done', item_id: 'ctc_1', input: 'ls -l' },
  ],
}

const wholeItem = (item: Json): ResponseItem => ({ item, start: item, events: [] })
const shellItem = wholeItem({
  id: 'lsh_1',
  type: 'local_shell_call',
  status: 'completed',
  call_id: 'call_s',
  action: { type: 'exec', command: ['ls'], env: {} },
})
const mcpItem = wholeItem({
  id: 'mcp_1',
  type: 'mcp_call',
  name: 'search',
  server_label: 'docs',
  arguments: '{}',
  output: 'x',
})
const approvalItem = wholeItem({
  id: 'mcpr_1',
  type: 'mcp_approval_request',
  name: 'drop',
  server_label: 'db',
  arguments: '{}',
})

export function responsesStream(items: readonly ResponseItem[]): string {
  const inner = items.flatMap(({ item, start, events }, output_index) => [
    { type: 'response.output_item.added', output_index, item: start },
    ...events.map((fields) => ({ ...fields, output_index })),
    { type: 'response.output_item.done', output_index, item },
  ])
  return [
    { type: 'response.created', response: response('in_progress', []) },
    { type: 'response.in_progress', response: response('in_progress', []) },
    ...inner,
    {
      type: 'response.completed',
      response: response(
        'completed',
        items.map(({ item }) => item),
      ),
    },
  ]
    .map((fields, sequence_number) => event({ ...fields, sequence_number }))
    .join('')
}

const responsesStreams = {
  'reasoning, functions and text': responsesStream([
    reasoningItem,
    functionItem('a', 'get_weather', '{"city":"Zürich"}'),
    functionItem('b', 'delete_file', '{"path":"/x"}'),
    messageItem('msg_1', 'Done.'),
  ]),
  'custom and built-in calls, remote MCP': responsesStream([
    customItem,
    mcpItem,
    shellItem,
    approvalItem,
  ]),
  'the same call twice': responsesStream([
    functionItem('a', 'f', '{}'),
    functionItem('a', 'f', '{}'),
  ]),
  'an error':
    event({ type: 'response.created', response: response('in_progress', []), sequence_number: 0 }) +
    event({
      type: 'error',
      code: 'server_error',
      message: 'Broken',
      param: null,
      sequence_number: 1,
    }),
  'queued in the background': event({
    type: 'response.queued',
    response: response('queued', []),
    sequence_number: 0,
  }),
}

const candidate = (parts: unknown[], finishReason?: string, index = 0) => ({
  candidates: [{ content: { parts, role: 'model' }, index, ...(finishReason && { finishReason }) }],
  usageMetadata: {
    promptTokenCount: 11,
    cachedContentTokenCount: 4,
    candidatesTokenCount: 5,
    thoughtsTokenCount: 7,
    totalTokenCount: 23,
  },
  modelVersion: 'gemini-2.5-pro',
  responseId: 'r-1',
})
const geminiCall = (name: string, args: Json, more: Json = {}) => ({
  functionCall: { name, args, ...more },
})

const geminiResponses = {
  'thoughts, text and calls with a signature': [
    candidate([{ text: 'I should ', thought: true }]),
    candidate([{ text: 'look.', thought: true }]),
    candidate([{ text: 'Looking. ☀️' }]),
    candidate([
      { ...geminiCall('get_weather', { city: 'Zürich' }), thoughtSignature: 'CsUBAc' },
      geminiCall('delete_file', { path: '/x' }, { id: 'fn-2' }),
    ]),
    candidate([{ text: '' }], 'STOP'),
  ],
  'several candidates and code execution': [
    {
      ...candidate([]),
      candidates: [
        { index: 0, content: { role: 'model', parts: [{ text: 'A' }] } },
        { index: 1, content: { role: 'model', parts: [geminiCall('read', {})] } },
      ],
    },
    candidate([{ executableCode: { language: 'PYTHON', code: 'print(1)' } }], 'STOP'),
  ],
  'a call in fragments': [
    candidate([{ functionCall: { name: 'write', willContinue: true } }]),
    candidate([
      {
        functionCall: {
          partialArgs: [{ jsonPath: '$.text', stringValue: 'a "b', willContinue: true }],
          willContinue: true,
        },
      },
    ]),
    candidate([{ functionCall: {} }], 'STOP'),
  ],
  'an error': [
    candidate([{ text: 'Hm' }]),
    { error: { code: 503, message: 'Busy', status: 'UNAVAILABLE' } },
  ],
}

function fixtures(wire: WireFormat, streams: Record<string, string>): StreamFixture[] {
  return Object.entries(streams).map(([name, body]) => ({
    name: `${wire.name}: ${name}`,
    wire,
    format: 'sse',
    text: body,
  }))
}

const geminiEvents = Object.fromEntries(
  Object.entries(geminiResponses).map(([name, list]) => [name, list.map(chunk).join('')]),
)
const geminiArrays = Object.entries(geminiResponses).map(
  ([name, list]): StreamFixture => ({
    name: `gemini: ${name}, as an array`,
    wire: geminiWire,
    format: 'json_array',
    text: `[${list.map((item) => JSON.stringify(item, null, 2)).join('\n,\r\n')}\n]\n`,
  }),
)

const withLf = [
  ...fixtures(anthropicWire, anthropicStreams),
  ...fixtures(openaiChatWire, chatStreams),
  ...fixtures(openaiResponsesWire, responsesStreams),
  ...fixtures(geminiWire, geminiEvents),
]

/** All streams, with each of the line ends of server-sent events. */
export const STREAMS: readonly StreamFixture[] = [
  ...withLf,
  ...withLf.map((one) => ({
    ...one,
    name: `${one.name}, CRLF`,
    text: one.text.replaceAll('\n', '\r\n'),
  })),
  ...withLf.map((one) => ({
    ...one,
    name: `${one.name}, CR`,
    text: one.text.replaceAll('\n', '\r'),
  })),
  ...geminiArrays,
]

export function streamNamed(name: string): StreamFixture {
  const found = STREAMS.find((one) => one.name === name)
  if (found === undefined) throw new Error(`no stream is named ${name}`)
  return found
}
