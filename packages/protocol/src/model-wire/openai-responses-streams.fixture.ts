import { event, type Json } from './events.fixture.ts'

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

export const responsesStreams = {
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
