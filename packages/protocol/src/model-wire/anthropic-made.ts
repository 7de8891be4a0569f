import { encodeText } from './byte-queue.ts'
import { frameEvent } from './event-cutter.ts'
import type { MadeAnswer, RefusalTurn } from './wire-format.ts'

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
}

export function anthropicError(status: number, message: string) {
  return { type: 'error', error: { type: ERROR_TYPES[status] ?? 'api_error', message } }
}

/** A message with one text block, streamed or whole. */
export function anthropicTurn(text: string, turn: RefusalTurn): MadeAnswer {
  const message = {
    id: `msg_${turn.id}`,
    type: 'message',
    role: 'assistant',
    model: turn.model,
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 0, output_tokens: 0 },
  }
  if (turn.format === 'json') return madeJson(200, message)
  const events = [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: 0 },
    },
    { type: 'message_stop' },
  ]
  return madeStream(events.map((event) => frameEvent(event.type, JSON.stringify(event))))
}

export function madeJson(status: number, body: unknown): MadeAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: encodeText(JSON.stringify(body)),
  }
}

export function madeStream(events: readonly string[]): MadeAnswer {
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' },
    body: encodeText(events.join('')),
  }
}
