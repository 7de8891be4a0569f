import { madeJson, madeStream } from './anthropic-made.ts'
import { frameEvent } from './event-cutter.ts'
import type { MadeAnswer, RefusalTurn } from './wire-format.ts'

const ERROR_TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  429: 'rate_limit_error',
}

export function openaiError(status: number, message: string) {
  const type = ERROR_TYPES[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error')
  return { error: { message, type, param: null, code: null } }
}

const NO_TOKENS = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }

/** A completion with one message, streamed or whole. */
export function chatTurn(text: string, turn: RefusalTurn): MadeAnswer {
  const head = {
    id: `chatcmpl-${turn.id}`,
    created: Math.floor(turn.createdAt.getTime() / 1000),
    model: turn.model,
  }
  const end = { index: 0, logprobs: null, finish_reason: 'stop' }
  if (turn.format === 'json') {
    const message = { role: 'assistant', content: text, refusal: null }
    const choices = [{ ...end, message }]
    return madeJson(200, { ...head, object: 'chat.completion', choices, usage: NO_TOKENS })
  }
  const object = 'chat.completion.chunk'
  const delta = { role: 'assistant', content: text, refusal: null }
  const chunks = [
    { ...head, object, choices: [{ ...end, delta, finish_reason: null }] },
    { ...head, object, choices: [{ ...end, delta: {} }] },
  ]
  const events = chunks.map((chunk) => frameEvent(undefined, JSON.stringify(chunk)))
  return madeStream([...events, 'data: [DONE]\n\n'])
}

/** A response with one message, streamed or whole. */
export function responsesTurn(text: string, turn: RefusalTurn): MadeAnswer {
  const response = {
    id: `resp_${turn.id}`,
    object: 'response',
    created_at: Math.floor(turn.createdAt.getTime() / 1000),
    status: 'completed',
    error: null,
    incomplete_details: null,
    model: turn.model,
    output: [{ ...messageItem(turn, text), status: 'completed' }],
    parallel_tool_calls: true,
    tool_choice: 'auto',
    tools: [],
    usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
  }
  if (turn.format === 'json') return madeJson(200, response)
  const begun = { ...response, status: 'in_progress', output: [] }
  const item = messageItem(turn, text)
  const [part] = item.content
  const place = { item_id: item.id, output_index: 0, content_index: 0 }
  const events = [
    { type: 'response.created', response: begun },
    {
      type: 'response.output_item.added',
      output_index: 0,
      item: { ...item, status: 'in_progress', content: [] },
    },
    { type: 'response.content_part.added', ...place, part: { ...part, text: '' } },
    { type: 'response.output_text.delta', ...place, delta: text, logprobs: [] },
    { type: 'response.output_text.done', ...place, text, logprobs: [] },
    { type: 'response.content_part.done', ...place, part },
    { type: 'response.output_item.done', output_index: 0, item: response.output[0] },
    { type: 'response.completed', response },
  ]
  return madeStream(
    events.map((event, sequence_number) =>
      frameEvent(event.type, JSON.stringify({ ...event, sequence_number })),
    ),
  )
}

function messageItem(turn: RefusalTurn, text: string) {
  const content = [{ type: 'output_text', text, annotations: [], logprobs: [] }]
  return { id: `msg_${turn.id}`, type: 'message', role: 'assistant', content }
}
