import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import Anthropic from '@anthropic-ai/sdk'
import { type FunctionDeclaration, GoogleGenAI } from '@google/genai'
import { generateText, jsonSchema, streamText, type ToolSet, tool } from 'ai'
import OpenAI from 'openai'

/** One turn as an SDK reports it to its caller. */
export type Heard = {
  text: string
  thinking: string
  calls: { name: string; input: unknown }[]
  stop: string
}

export type Ask = {
  /** The address before the API's own path: `base_url` of a connection, or the provider itself. */
  baseUrl: string
  headers?: Record<string, string>
  signal?: AbortSignal
  isStreamed: boolean
}

/** An SDK as its documentation shows it, with nothing changed but address and headers. */
export type ModelClient = {
  name: string
  provider: 'anthropic' | 'openai' | 'gemini' | 'openai_compatible'
  ask(ask: Ask): Promise<Heard>
}

export const MODEL = 'mock-large'
export const PROVIDER_KEY = 'provider-key-1'

const QUESTION = 'How warm is it in Oslo, and in Bergen?'
const TOOL = { name: 'get_weather', description: 'The weather in a city' }
const SCHEMA = {
  type: 'object' as const,
  properties: { city: { type: 'string' as const } },
  required: ['city'],
}

/** A test counts requests itself. */
const RETRIES_MAX = 0

const anthropic: ModelClient = {
  name: '@anthropic-ai/sdk',
  provider: 'anthropic',
  async ask({ baseUrl, headers = {}, signal, isStreamed }) {
    const client = new Anthropic({
      apiKey: PROVIDER_KEY,
      baseURL: baseUrl,
      defaultHeaders: headers,
      maxRetries: RETRIES_MAX,
    })
    const body: Anthropic.MessageCreateParamsNonStreaming = {
      model: MODEL,
      max_tokens: 2048,
      tools: [{ ...TOOL, input_schema: SCHEMA }],
      messages: [{ role: 'user', content: QUESTION }],
    }
    const message = isStreamed
      ? await client.messages.stream(body, { signal }).finalMessage()
      : await client.messages.create(body, { signal })
    const { content } = message
    return {
      text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
      thinking: content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
      calls: content.flatMap((block) =>
        block.type === 'tool_use' ? [{ name: block.name, input: block.input }] : [],
      ),
      stop: String(message.stop_reason),
    }
  },
}

function openai({ baseUrl, headers = {} }: Ask): OpenAI {
  return new OpenAI({
    apiKey: PROVIDER_KEY,
    baseURL: `${baseUrl}/v1`,
    defaultHeaders: headers,
    maxRetries: RETRIES_MAX,
  })
}

const openaiChat: ModelClient = {
  name: 'openai, chat completions',
  provider: 'openai',
  async ask(ask) {
    const body = {
      model: MODEL,
      tools: [{ type: 'function' as const, function: { ...TOOL, parameters: SCHEMA } }],
      messages: [{ role: 'user' as const, content: QUESTION }],
    }
    const { completions } = openai(ask).chat
    const { signal } = ask
    const completion = ask.isStreamed
      ? await completions.stream(body, { signal }).finalChatCompletion()
      : await completions.create(body, { signal })
    const [choice] = completion.choices
    const calls = choice?.message.tool_calls ?? []
    return {
      text: choice?.message.content ?? '',
      thinking: '',
      calls: calls.flatMap((call) =>
        call.type === 'function'
          ? [{ name: call.function.name, input: JSON.parse(call.function.arguments) }]
          : [],
      ),
      stop: String(choice?.finish_reason),
    }
  },
}

const openaiResponses: ModelClient = {
  name: 'openai, responses',
  provider: 'openai',
  async ask(ask) {
    const body = {
      model: MODEL,
      input: QUESTION,
      tools: [{ type: 'function' as const, ...TOOL, parameters: SCHEMA, strict: false }],
    }
    const { responses } = openai(ask)
    const { signal } = ask
    const response = ask.isStreamed
      ? await responses.stream(body, { signal }).finalResponse()
      : await responses.create(body, { signal })
    return {
      text: response.output_text,
      thinking: response.output
        .flatMap((item) => (item.type === 'reasoning' ? item.summary.map(({ text }) => text) : []))
        .join(''),
      calls: response.output.flatMap((item) =>
        item.type === 'function_call'
          ? [{ name: item.name, input: JSON.parse(item.arguments) }]
          : [],
      ),
      stop: String(response.status),
    }
  },
}

const gemini: ModelClient = {
  name: '@google/genai',
  provider: 'gemini',
  async ask({ baseUrl, headers = {}, signal, isStreamed }) {
    const client = new GoogleGenAI({
      apiKey: PROVIDER_KEY,
      httpOptions: { baseUrl, headers },
    })
    const declaration: FunctionDeclaration = { ...TOOL, parametersJsonSchema: SCHEMA }
    const request = {
      model: MODEL,
      contents: QUESTION,
      config: {
        tools: [{ functionDeclarations: [declaration] }],
        ...(signal === undefined ? {} : { abortSignal: signal }),
      },
    }
    const responses = isStreamed
      ? await collected(await client.models.generateContentStream(request))
      : [await client.models.generateContent(request)]
    const candidates = responses.flatMap((response) => response.candidates ?? [])
    const parts = candidates.flatMap((candidate) => candidate.content?.parts ?? [])
    return {
      text: parts.map((part) => (part.thought === true ? '' : (part.text ?? ''))).join(''),
      thinking: parts.map((part) => (part.thought === true ? (part.text ?? '') : '')).join(''),
      calls: parts.flatMap(({ functionCall }) =>
        functionCall === undefined
          ? []
          : [{ name: String(functionCall.name), input: functionCall.args }],
      ),
      stop: String(candidates.at(-1)?.finishReason),
    }
  },
}

async function collected<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const one of stream) all.push(one)
  return all
}

const aiSdk: ModelClient = {
  name: 'ai with @ai-sdk/openai-compatible',
  provider: 'openai_compatible',
  async ask({ baseUrl, headers = {}, signal, isStreamed }) {
    const provider = createOpenAICompatible({
      name: 'mock',
      apiKey: PROVIDER_KEY,
      baseURL: `${baseUrl}/v1`,
      headers,
    })
    const described = { description: TOOL.description, inputSchema: jsonSchema(SCHEMA) }
    const request = {
      model: provider(MODEL),
      prompt: QUESTION,
      // The cast is needed because the SDK's types do not allow for exactOptionalPropertyTypes.
      tools: { [TOOL.name]: tool(described) } as ToolSet,
      maxRetries: RETRIES_MAX,
      ...(signal === undefined ? {} : { abortSignal: signal }),
    }
    const result = isStreamed ? await streamed(request) : await generateText(request)
    return {
      text: result.text,
      thinking: result.reasoningText ?? '',
      calls: result.toolCalls.map(({ toolName, input }) => ({ name: toolName, input })),
      stop: result.finishReason,
    }
  },
}

/** Like generateText; an error of the stream is thrown instead of printed. */
async function streamed(request: Parameters<typeof streamText>[0]) {
  const failures: unknown[] = []
  const result = streamText({ ...request, onError: ({ error }) => void failures.push(error) })
  await result.consumeStream()
  if (failures.length > 0) throw failures[0]
  const [text, reasoningText, toolCalls, finishReason] = await Promise.all([
    result.text,
    result.reasoningText,
    result.toolCalls,
    result.finishReason,
  ])
  return { text, reasoningText, toolCalls, finishReason }
}

export const MODEL_CLIENTS = [anthropic, openaiChat, openaiResponses, gemini, aiSdk]
