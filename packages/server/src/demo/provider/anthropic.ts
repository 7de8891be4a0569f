import { type FullTurn, inputText, pieces, sse, type TurnPart, type Wire } from './turn.ts'

/** The Messages API. */
export const anthropic: Wire = {
  body(turn) {
    return {
      ...envelope(turn),
      content: blocksOf(turn).map(({ block }) => block),
      stop_reason: stopReason(turn),
      usage: usageOf(turn),
    }
  },

  events(turn) {
    const start = { ...envelope(turn), content: [], stop_reason: null, usage: usageOf(turn, 1) }
    return [
      event({ type: 'message_start', message: start }),
      ...blocksOf(turn).flatMap((block, index) => blockEvents(block, index)),
      event({
        type: 'message_delta',
        delta: { stop_reason: stopReason(turn), stop_sequence: null },
        usage: { output_tokens: turn.usage.output },
      }),
      event({ type: 'message_stop' }),
    ]
  },

  error: (status, message) => ({
    type: 'error',
    error: { type: ERROR_TYPES[status] ?? 'api_error', message },
    request_id: 'req_mock1',
  }),

  errorEvent: (message) => event({ type: 'error', error: { type: 'overloaded_error', message } }),

  ping: sse({ type: 'ping' }, 'ping'),
}

const ERROR_TYPES: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
}

function event(data: { type: string } & Record<string, unknown>): string {
  return sse(data, data.type)
}

function envelope({ id, model }: FullTurn) {
  return {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [] as unknown[],
    stop_reason: null as string | null,
    stop_sequence: null,
  }
}

function usageOf({ usage }: FullTurn, output = usage.output) {
  return {
    input_tokens: usage.input - usage.cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: usage.cached,
    output_tokens: output,
  }
}

function stopReason({ parts }: FullTurn): string {
  return parts.some((part) => 'tool' in part) ? 'tool_use' : 'end_turn'
}

/** A content block: whole, as its stream begins, and the deltas between. */
type Block = { block: object; start: object; deltas: object[] }

function blocksOf(turn: FullTurn): Block[] {
  return turn.parts.flatMap((part, place) => partBlocks(part, `${turn.id}_${place + 1}`))
}

function partBlocks(part: TurnPart, id: string): Block[] {
  if ('thinking' in part) {
    const signature = part.signature ?? 'bW9jayBzaWduYXR1cmU='
    return [
      {
        block: { type: 'thinking', thinking: part.thinking, signature },
        start: { type: 'thinking', thinking: '', signature: '' },
        deltas: [
          ...pieces(part.thinking).map((thinking) => ({ type: 'thinking_delta', thinking })),
          { type: 'signature_delta', signature },
        ],
      },
    ]
  }
  if ('encryptedThinking' in part) {
    return [atOnce({ type: 'redacted_thinking', data: part.encryptedThinking })]
  }
  if ('text' in part) {
    return [
      {
        block: { type: 'text', text: part.text },
        start: { type: 'text', text: '' },
        deltas: pieces(part.text).map((text) => ({ type: 'text_delta', text })),
      },
    ]
  }
  if ('search' in part) return searchBlocks(part, id)
  const call = { type: 'tool_use', id: part.id ?? `toolu_${id}`, name: part.tool }
  return [
    {
      block: { ...call, input: part.input },
      start: { ...call, input: {} },
      deltas: ['', ...pieces(inputText(part))].map(jsonDelta),
    },
  ]
}

function searchBlocks({ search, finds }: { search: string; finds: string }, id: string): Block[] {
  const call = { type: 'server_tool_use', id: `srvtoolu_${id}`, name: 'web_search' }
  const result = { type: 'web_search_result', title: finds, url: 'https://example.com/' }
  return [
    {
      block: { ...call, input: { query: search } },
      start: { ...call, input: {} },
      deltas: pieces(JSON.stringify({ query: search })).map(jsonDelta),
    },
    atOnce({
      type: 'web_search_tool_result',
      tool_use_id: call.id,
      content: [{ ...result, encrypted_content: 'bW9jaw==', page_age: null }],
    }),
  ]
}

function jsonDelta(partial_json: string) {
  return { type: 'input_json_delta', partial_json }
}

/** A block that is sent whole when it starts. */
function atOnce(block: object): Block {
  return { block, start: block, deltas: [] }
}

function blockEvents({ start, deltas }: Block, index: number): string[] {
  return [
    event({ type: 'content_block_start', index, content_block: start }),
    ...deltas.map((delta) => event({ type: 'content_block_delta', index, delta })),
    event({ type: 'content_block_stop', index }),
  ]
}
