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
