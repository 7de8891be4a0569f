import { event, type Json } from './events.fixture.ts'

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

export const anthropicStreams = {
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
