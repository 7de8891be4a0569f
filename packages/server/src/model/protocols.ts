import type { ModelProvider } from './model.ts'

/** One request, independent of the protocol. */
export type Question = {
  name: string
  system: string
  document: string
  schema: object
  maxTokens: number
}

/** The answer: a value, text that may contain one, a refusal, or nothing recognisable. */
export type Answer =
  | { kind: 'json'; json: unknown }
  | { kind: 'text'; text: string }
  | { kind: 'refusal' }
  | { kind: 'malformed' }

export type Protocol = {
  path: string
  headers(key: string | undefined): Record<string, string>
  body(question: Question): object
  read(envelope: unknown): Answer
}

/** The name of the schema, or of the only tool. */
const REPLY = 'reply'
const TEMPERATURE = 0

const openai: Protocol = {
  path: '/chat/completions',

  headers: (key): Record<string, string> =>
    key === undefined ? {} : { authorization: `Bearer ${key}` },

  body: ({ name, system, document, schema, maxTokens }) => ({
    model: name,
    temperature: TEMPERATURE,
    max_tokens: maxTokens,
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: document },
    ],
    response_format: { type: 'json_schema', json_schema: { name: REPLY, strict: true, schema } },
  }),

  read(envelope) {
    const [choice] = listOf(envelope, 'choices')
    const message = memberOf(choice, 'message')
    const refused = memberOf(choice, 'finish_reason') === 'content_filter'
    if (refused || typeof memberOf(message, 'refusal') === 'string') return { kind: 'refusal' }
    const content = memberOf(message, 'content')
    return typeof content === 'string' ? { kind: 'text', text: content } : { kind: 'malformed' }
  },
}

const anthropic: Protocol = {
  path: '/v1/messages',

  headers: (key) => ({
    'anthropic-version': '2023-06-01',
    ...(key !== undefined && { 'x-api-key': key }),
  }),

  body: ({ name, system, document, schema, maxTokens }) => ({
    model: name,
    temperature: TEMPERATURE,
    max_tokens: maxTokens,
    system,
    messages: [{ role: 'user', content: document }],
    tools: [{ name: REPLY, description: 'Gives the reply.', input_schema: schema }],
    tool_choice: { type: 'tool', name: REPLY, disable_parallel_tool_use: true },
  }),

  /** A compatible server without tool support answers in text. */
  read(envelope) {
    if (memberOf(envelope, 'stop_reason') === 'refusal') return { kind: 'refusal' }
    const blocks = listOf(envelope, 'content')
    const uses = blocks.filter((block) => memberOf(block, 'type') === 'tool_use')
    if (uses.length === 1) return { kind: 'json', json: memberOf(uses[0], 'input') }
    const texts = blocks.map((block) => memberOf(block, 'text')).filter(isText)
    if (uses.length > 1 || texts.length === 0) return { kind: 'malformed' }
    return { kind: 'text', text: texts.join('\n') }
  },
}

export const PROTOCOLS: Record<ModelProvider, Protocol> = { openai, anthropic }

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

function listOf(value: unknown, name: string): unknown[] {
  const list = memberOf(value, name)
  return Array.isArray(list) ? list : []
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
