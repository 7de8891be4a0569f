import { openaiError } from './openai-chat.ts'
import {
  CREATED_AT_S,
  type FullTurn,
  inputText,
  pieces,
  sse,
  type TurnPart,
  type Wire,
} from './turn.ts'

/** The Responses API; thinking is a reasoning summary. */
export const openaiResponses: Wire = {
  body: (turn) => finished(turn),

  events(turn) {
    const started = { ...envelope(turn), status: 'in_progress', output: [], usage: null }
    const events = [
      { type: 'response.created', response: started },
      { type: 'response.in_progress', response: started },
      ...turn.parts.flatMap((part, index) => itemEvents(part, index, turn)),
      { type: 'response.completed', response: finished(turn) },
    ]
    return events.map(({ type, ...rest }, place) =>
      sse({ type, ...rest, sequence_number: place }, type),
    )
  },

  error: openaiError,

  errorEvent(message, turn) {
    const response = {
      ...envelope(turn),
      status: 'failed',
      output: [],
      error: { code: 'server_error', message },
    }
    const type = 'response.failed'
    return sse({ type, response, sequence_number: 1000 }, type)
  },

  // Not an event: the SDK accepts none before response.created.
  ping: ': keep-alive\n\n',
}

function envelope({ id, model }: FullTurn) {
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: CREATED_AT_S,
    status: 'completed',
    error: null as { code: string; message: string } | null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    metadata: {},
    model,
    output: [] as object[],
    parallel_tool_calls: true,
    previous_response_id: null,
    store: true,
    temperature: 1,
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    usage: null as object | null,
  }
}

function finished(turn: FullTurn) {
  const { input, cached, output, thinking } = turn.usage
  return {
    ...envelope(turn),
    output: turn.parts.map((part, place) => itemOf(part, place, turn)),
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: cached },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: thinking },
      total_tokens: input + output,
    },
  }
}

type Item = { id: string; type: string; status?: string } & Record<string, unknown>

function itemOf(part: TurnPart, place: number, { id: turnId }: FullTurn): Item {
  const id = `${turnId}_${place + 1}`
  if ('thinking' in part) {
    const summary = [{ type: 'summary_text', text: part.thinking }]
    return { id: `rs_${id}`, type: 'reasoning', summary }
  }
  if ('encryptedThinking' in part) {
    const { encryptedThinking: encrypted_content } = part
    return { id: `rs_${id}`, type: 'reasoning', summary: [], encrypted_content }
  }
  if ('text' in part) {
    const content = [{ type: 'output_text', text: part.text, annotations: [], logprobs: [] }]
    return { id: `msg_${id}`, type: 'message', status: 'completed', role: 'assistant', content }
  }
  if ('search' in part) {
    const action = { type: 'search', query: part.search }
    return { id: `ws_${id}`, type: 'web_search_call', status: 'completed', action }
  }
  const call = { status: 'completed', call_id: part.id ?? `call_${id}`, name: part.tool }
  if (part.custom) {
    return { id: `ctc_${id}`, type: 'custom_tool_call', input: inputText(part), ...call }
  }
  return { id: `fc_${id}`, type: 'function_call', arguments: inputText(part), ...call }
}

type Event = { type: string } & Record<string, unknown>

function itemEvents(part: TurnPart, output_index: number, turn: FullTurn): Event[] {
  const item = itemOf(part, output_index, turn)
  return [
    { type: 'response.output_item.added', output_index, item: begun(item) },
    ...contentEvents(part, { item_id: item.id, output_index }),
    { type: 'response.output_item.done', output_index, item },
  ]
}

function begun(item: Item): Item {
  const open = { ...item, ...(item.status !== undefined && { status: 'in_progress' }) }
  if (item.type === 'message') return { ...open, content: [] }
  if (item.type === 'reasoning') return { ...open, summary: [] }
  if (item.type === 'function_call') return { ...open, arguments: '' }
  if (item.type === 'custom_tool_call') return { ...open, input: '' }
  return open
}

type Place = { item_id: string; output_index: number }

function contentEvents(part: TurnPart, at: Place): Event[] {
  if ('thinking' in part) return summaryEvents(part.thinking, at)
  if ('text' in part) return textEvents(part.text, at)
  if ('tool' in part) {
    const text = inputText(part)
    const type = part.custom
      ? 'response.custom_tool_call_input'
      : 'response.function_call_arguments'
    const done = part.custom ? { input: text } : { name: part.tool, arguments: text }
    return [
      ...pieces(text).map((delta) => ({ type: `${type}.delta`, ...at, delta })),
      { type: `${type}.done`, ...at, ...done },
    ]
  }
  if ('search' in part) {
    return ['in_progress', 'searching', 'completed'].map((state) => ({
      type: `response.web_search_call.${state}`,
      ...at,
    }))
  }
  return []
}

function summaryEvents(text: string, at: Place): Event[] {
  const type = 'response.reasoning_summary'
  const place = { ...at, summary_index: 0 }
  return [
    { type: `${type}_part.added`, ...place, part: { type: 'summary_text', text: '' } },
    ...pieces(text).map((delta) => ({ type: `${type}_text.delta`, ...place, delta })),
    { type: `${type}_text.done`, ...place, text },
    { type: `${type}_part.done`, ...place, part: { type: 'summary_text', text } },
  ]
}

function textEvents(text: string, at: Place): Event[] {
  const place = { ...at, content_index: 0 }
  const part = { type: 'output_text', text: '', annotations: [], logprobs: [] }
  return [
    { type: 'response.content_part.added', ...place, part },
    ...pieces(text).map((delta) => ({
      type: 'response.output_text.delta',
      ...place,
      delta,
      logprobs: [],
    })),
    { type: 'response.output_text.done', ...place, text, logprobs: [] },
    { type: 'response.content_part.done', ...place, part: { ...part, text } },
  ]
}
