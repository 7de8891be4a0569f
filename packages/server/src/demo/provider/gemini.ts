import { type FullTurn, pieces, sse, type TurnPart, type Wire } from './turn.ts'

/** generateContent and streamGenerateContent. */
export const gemini: Wire = {
  body: (turn) => response(turn, turn.parts.map(partOf), true),

  events: (turn) => chunksOf(turn).map((chunk) => sse(chunk)),

  error: (status, message) => ({ error: { code: status, message, status: ERRORS[status] } }),

  errorEvent: (message) => sse(gemini.error(503, message)),

  ping: ': keep-alive\n\n',
}

/** The stream without `alt=sse`: one JSON array that grows. */
export function arrayChunks(events: readonly string[]): string[] {
  return [
    ...events.map((event, n) => {
      const json = JSON.stringify(JSON.parse(event.slice('data: '.length)), null, 2)
      return n === 0 ? `[${json}` : `\n,\r\n${json}`
    }),
    '\n]\n',
  ]
}

const ERRORS: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
}

function chunksOf(turn: FullTurn): object[] {
  const sent = turn.parts.flatMap(piecesOf)
  return sent.map((part, n) => response(turn, [part], n === sent.length - 1))
}

function response({ id, model, usage }: FullTurn, parts: object[], isLast: boolean) {
  return {
    candidates: [
      { content: { parts, role: 'model' }, ...(isLast && { finishReason: 'STOP' }), index: 0 },
    ],
    usageMetadata: {
      promptTokenCount: usage.input,
      cachedContentTokenCount: usage.cached,
      ...(isLast && { candidatesTokenCount: usage.output - usage.thinking }),
      thoughtsTokenCount: usage.thinking,
      totalTokenCount: usage.input + (isLast ? usage.output : usage.thinking),
    },
    modelVersion: model,
    responseId: id,
  }
}

/** Texts are cut; function calls come whole. */
function piecesOf(part: TurnPart): object[] {
  if ('thinking' in part) return pieces(part.thinking).map((text) => ({ text, thought: true }))
  if ('text' in part) return pieces(part.text).map((text) => ({ text }))
  return [partOf(part)]
}

function partOf(part: TurnPart): object {
  if ('thinking' in part) return { text: part.thinking, thought: true }
  if ('encryptedThinking' in part) return { text: '', thoughtSignature: part.encryptedThinking }
  if ('text' in part) return { text: part.text }
  if ('search' in part) {
    const code = `google_search(${JSON.stringify(part.search)})`
    return { executableCode: { language: 'PYTHON', code } }
  }
  const args = part.rawInput ?? part.input
  const id = part.id === undefined ? {} : { id: part.id }
  return { functionCall: { ...id, name: part.tool, args }, thoughtSignature: 'bW9jaw==' }
}
