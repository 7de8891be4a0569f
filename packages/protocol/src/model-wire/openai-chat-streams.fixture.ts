import { chunk, type Json } from './events.fixture.ts'

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

export const chatStreams = {
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
