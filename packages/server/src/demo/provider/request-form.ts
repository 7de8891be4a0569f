import { anthropic } from './anthropic.ts'
import { gemini } from './gemini.ts'
import { openaiChat } from './openai-chat.ts'
import { openaiResponses } from './openai-responses.ts'
import type { Wire } from './turn.ts'

export type WireName = 'anthropic' | 'openai_chat' | 'openai_responses' | 'gemini'

/** The form of answer that a request asks for. */
export type RequestForm = {
  name: WireName
  wire: Wire
  model: string
  stream: 'none' | 'sse' | 'array'
}

/** Undefined for any other path, such as the list of models. */
export function requestForm(url: URL, body: Record<string, unknown>): RequestForm | undefined {
  const path = url.pathname
  const model = typeof body['model'] === 'string' ? body['model'] : 'mock-1'
  const stream = body['stream'] === true ? 'sse' : 'none'
  if (path.endsWith('/v1/messages')) return { name: 'anthropic', wire: anthropic, model, stream }
  if (path.endsWith('/chat/completions')) {
    return { name: 'openai_chat', wire: openaiChat, model, stream }
  }
  if (path.endsWith('/responses')) {
    return { name: 'openai_responses', wire: openaiResponses, model, stream }
  }
  return geminiForm(url)
}

const GEMINI_PATH = /\/models\/([^/:]+):(generateContent|streamGenerateContent)$/

function geminiForm(url: URL): RequestForm | undefined {
  const match = GEMINI_PATH.exec(url.pathname)
  const [, model, method] = match ?? []
  if (model === undefined) return undefined
  const streamed = url.searchParams.get('alt') === 'sse' ? 'sse' : 'array'
  const stream = method === 'generateContent' ? 'none' : streamed
  return { name: 'gemini', wire: gemini, model, stream }
}
