/** A tool call and what became of it, as a client reports it to its model. */
export type ReportedCall = { id: string; tool: string; isFailed?: boolean }

/** An API of a provider as its clients call it. */
export type ModelWire = {
  name: string
  provider: 'anthropic' | 'openai' | 'gemini'
  /** Below the address of a connection or of the provider. */
  path: string
  /** The first request of a conversation. */
  body: Readonly<Record<string, unknown>>
  /** The request after these calls were made. */
  withResults(calls: readonly ReportedCall[]): Readonly<Record<string, unknown>>
  /** Whether a result can say that its call failed. */
  saysFailed: boolean
  /** The message of an error, if it has exactly this wire's form. */
  errorMessage(body: unknown): string | undefined
  /** How sure the service is about the thinking that this wire shows. */
  confidence: number
  /** Sent to a client while a call is held. */
  keepAlive: string
}

const MODEL = 'mock-large'
const QUESTION = 'Hi'
const RESULT = 'Done.'

const user = { role: 'user', content: QUESTION }

const anthropic: ModelWire = {
  name: 'anthropic',
  provider: 'anthropic',
  path: 'v1/messages',
  body: { model: MODEL, max_tokens: 100, stream: true, messages: [user] },
  withResults(calls) {
    const used = calls.map(({ id, tool }) => ({ type: 'tool_use', id, name: tool, input: {} }))
    const results = calls.map(({ id, isFailed }) => ({
      type: 'tool_result',
      tool_use_id: id,
      content: RESULT,
      is_error: isFailed === true,
    }))
    const answers = [
      { role: 'assistant', content: used },
      { role: 'user', content: results },
    ]
    return { ...this.body, messages: [user, ...answers] }
  },
  saysFailed: true,
  errorMessage: (body) => {
    const { type, error } = objectOf(body)
    return type === 'error' && hasTexts(error, ['type', 'message']) ? error['message'] : undefined
  },
  confidence: 1,
  keepAlive: 'event: ping\n',
}

function openaiError(body: unknown): string | undefined {
  const { error } = objectOf(body)
  const isForm = hasTexts(error, ['message', 'type']) && error['param'] === null
  return isForm && error['code'] === null ? error['message'] : undefined
}

const openaiChat: ModelWire = {
  name: 'openai-chat',
  provider: 'openai',
  path: 'v1/chat/completions',
  body: { model: MODEL, stream: true, messages: [user] },
  withResults(calls) {
    const tool_calls = calls.map(({ id, tool }) => ({
      id,
      type: 'function',
      function: { name: tool, arguments: '{}' },
    }))
    const results = calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: RESULT }))
    return { ...this.body, messages: [user, { role: 'assistant', tool_calls }, ...results] }
  },
  saysFailed: false,
  errorMessage: openaiError,
  confidence: 1,
  keepAlive: ': keep-alive\n',
}

const openaiResponses: ModelWire = {
  name: 'openai-responses',
  provider: 'openai',
  path: 'v1/responses',
  body: { model: MODEL, stream: true, input: [user] },
  withResults(calls) {
    const items = calls.flatMap(({ id, tool, isFailed }) => [
      { type: 'function_call', call_id: id, name: tool, arguments: '{}' },
      {
        type: 'function_call_output',
        call_id: id,
        output: RESULT,
        status: isFailed === true ? 'incomplete' : 'completed',
      },
    ])
    return { ...this.body, input: [user, ...items] }
  },
  saysFailed: true,
  errorMessage: openaiError,
  confidence: 0.9,
  keepAlive: ': keep-alive\n',
}

const asked = { role: 'user', parts: [{ text: QUESTION }] }

const gemini: ModelWire = {
  name: 'gemini',
  provider: 'gemini',
  path: `v1beta/models/${MODEL}:streamGenerateContent?alt=sse`,
  body: { contents: [asked] },
  withResults(calls) {
    const parts = calls.map(({ id, tool }) => ({ functionCall: { id, name: tool, args: {} } }))
    const results = calls.map(({ id, tool, isFailed }) => ({
      functionResponse: {
        id,
        name: tool,
        response: isFailed === true ? { error: RESULT } : { output: RESULT },
      },
    }))
    const answers = [
      { role: 'model', parts },
      { role: 'user', parts: results },
    ]
    return { contents: [asked, ...answers] }
  },
  saysFailed: true,
  errorMessage: (body) => {
    const { error } = objectOf(body)
    const isForm = hasTexts(error, ['message', 'status'])
    return isForm && typeof error['code'] === 'number' ? error['message'] : undefined
  },
  confidence: 1,
  keepAlive: ': keep-alive\n',
}

/** The stream without `alt=sse`: one JSON array, also around an error. */
const geminiArray: ModelWire = {
  ...gemini,
  name: 'gemini, JSON array',
  path: `v1beta/models/${MODEL}:streamGenerateContent`,
  errorMessage: (body) =>
    Array.isArray(body) && body.length === 1 ? gemini.errorMessage(body[0]) : undefined,
  keepAlive: '\n',
}

export const MODEL_WIRES = [anthropic, openaiChat, openaiResponses, gemini, geminiArray]

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function hasTexts<Name extends string>(
  value: unknown,
  names: readonly Name[],
): value is Record<string, unknown> & Record<Name, string> {
  return names.every((name) => typeof objectOf(value)[name] === 'string')
}
