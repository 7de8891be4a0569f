import { madeJson, madeStream } from './anthropic-made.ts'
import { frameEvent } from './event-cutter.ts'
import type { MadeAnswer, RefusalTurn } from './wire-format.ts'

/** Names of google.rpc.Code. */
const STATUS_NAMES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  413: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}

export function geminiError(code: number, message: string) {
  return { error: { code, message, status: STATUS_NAMES[code] ?? 'INTERNAL' } }
}

/** One response with one text part, streamed or whole. */
export function geminiTurn(text: string, turn: RefusalTurn): MadeAnswer {
  const response = {
    candidates: [{ content: { parts: [{ text }], role: 'model' }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 0, candidatesTokenCount: 0, totalTokenCount: 0 },
    modelVersion: turn.model,
    responseId: turn.id,
  }
  if (turn.format === 'sse') return madeStream([frameEvent(undefined, JSON.stringify(response))])
  return madeJson(200, turn.format === 'json' ? response : [response])
}
