import { CREATED_AT_S, type FullTurn, inputText, pieces, sse, type Wire } from './turn.ts'

/** The chat completions API; thinking is `reasoning_content`, as compatible servers have it. */
export const openaiChat: Wire = {
  body(turn) {
    const calls = callsOf(turn)
    const reasoning = joined(turn, 'thinking')
    const message = {
      role: 'assistant',
      content: joined(turn, 'text') ?? null,
      refusal: null,
      annotations: [],
      ...(reasoning !== undefined && { reasoning_content: reasoning }),
      ...(calls.length > 0 && { tool_calls: calls }),
    }
    return {
      ...envelope(turn, 'chat.completion'),
      choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(turn) }],
      usage: usageOf(turn),
    }
  },

  events(turn) {
    const deltas = [
      { role: 'assistant', content: '', refusal: null },
      ...(joinedPieces(turn, 'thinking') ?? []).map((reasoning_content) => ({ reasoning_content })),
      ...(joinedPieces(turn, 'text') ?? []).map((content) => ({ content })),
      ...callsOf(turn).flatMap(callDeltas),
    ]
    return [
      ...deltas.map((delta) => chunk(turn, delta, null)),
      chunk(turn, {}, finishReason(turn)),
      sse({ ...envelope(turn, CHUNK), choices: [], usage: usageOf(turn) }),
      sse('[DONE]'),
    ]
  },

  error: openaiError,

  errorEvent: (message) => sse(openaiError(500, message)),

  ping: ': keep-alive\n\n',
}

/** Both OpenAI wires have this form. */
export function openaiError(status: number, message: string) {
  const type = status >= 500 ? 'server_error' : (ERROR_TYPES[status] ?? 'invalid_request_error')
  return { error: { message, type, param: null, code: null } }
}

const ERROR_TYPES: Record<number, string> = { 429: 'rate_limit_exceeded' }

const CHUNK = 'chat.completion.chunk'

function envelope({ id, model }: FullTurn, object: string) {
  return {
    id: `chatcmpl-${id}`,
    object,
    created: CREATED_AT_S,
    model,
    service_tier: 'default',
    system_fingerprint: 'fp_mock',
  }
}

function chunk(turn: FullTurn, delta: object, finish_reason: string | null): string {
  const choice = { index: 0, delta, logprobs: null, finish_reason }
  return sse({ ...envelope(turn, CHUNK), choices: [choice], usage: null })
}

function usageOf({ usage }: FullTurn) {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cached },
    completion_tokens_details: { reasoning_tokens: usage.thinking },
  }
}

function finishReason(turn: FullTurn): string {
  return callsOf(turn).length > 0 ? 'tool_calls' : 'stop'
}

/** The wire has one text and one reasoning a message. */
function joined({ parts }: FullTurn, kind: 'text' | 'thinking'): string | undefined {
  const texts = parts.flatMap((part) => {
    if (kind === 'text') return 'text' in part ? [part.text] : []
    return 'thinking' in part ? [part.thinking] : []
  })
  return texts.length === 0 ? undefined : texts.join('\n')
}

function joinedPieces(turn: FullTurn, kind: 'text' | 'thinking'): string[] | undefined {
  const text = joined(turn, kind)
  return text === undefined ? undefined : pieces(text)
}

type Call = { id: string; type: 'function'; function: { name: string; arguments: string } }

function callsOf({ id, parts }: FullTurn): Call[] {
  return parts.flatMap((part, place) =>
    'tool' in part
      ? [
          {
            id: part.id ?? `call_${id}_${place + 1}`,
            type: 'function' as const,
            function: { name: part.tool, arguments: inputText(part) },
          },
        ]
      : [],
  )
}

function callDeltas(call: Call, index: number): object[] {
  const start = { index, ...call, function: { name: call.function.name, arguments: '' } }
  return [
    { tool_calls: [start] },
    ...pieces(call.function.arguments).map((text) => ({
      tool_calls: [{ index, function: { arguments: text } }],
    })),
  ]
}
