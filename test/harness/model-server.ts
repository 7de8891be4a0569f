import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { onFileFinished } from './on-file-finished.ts'

/** How one request is answered. */
export type ModelBehaviour =
  /** The model returns this value in the form of its protocol, after `meanwhile` has finished. */
  | { reply: unknown; meanwhile?: () => Promise<unknown> }
  /** The model returns only text. */
  | { text: string }
  | { refusal: true }
  | { status: number; headers?: Record<string, string> }
  /** Status 200 with this body, valid in the protocol or not. */
  | { body: string }
  /** Never answers. */
  | { hang: true }
  /** Closes the connection: before the response, or within it. */
  | { cut: 'before' | 'within' }

/** A request to the model, independent of the protocol. */
export type ReceivedQuestion = {
  path: string
  headers: IncomingHttpHeaders
  /** The whole request body as it was sent. */
  raw: string
  model: unknown
  temperature: unknown
  maxTokens: unknown
  system: string
  /** The user's message as text, and parsed as JSON. */
  document: string
  data: unknown
  schema: unknown
}

/**
 * Starts a server that speaks both model protocols and fails on command. Each request takes the
 * next behaviour of the plan; the last one is repeated.
 */
export async function startModelServer() {
  const questions: ReceivedQuestion[] = []
  let plan: ModelBehaviour[] = []
  const server = createServer(async (req, res) => {
    const question = readQuestion(req, await bodyOf(req))
    questions.push(question)
    const behaviour = (plan.length > 1 ? plan.shift() : plan[0]) ?? { status: 500 }
    if ('meanwhile' in behaviour) await behaviour.meanwhile?.()
    behave(res, question.path, behaviour)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // The cast holds because address() returns a string only for pipes.
  const { port } = server.address() as AddressInfo
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  onFileFinished(close)
  return {
    /** The value for MODEL_URL, with either provider. */
    url: `http://127.0.0.1:${port}`,
    questions,
    /** Replaces the plan and clears the recorded questions. */
    plan(...behaviours: ModelBehaviour[]) {
      plan = behaviours
      questions.length = 0
    },
    close,
  }
}

export type ModelServer = Awaited<ReturnType<typeof startModelServer>>

function speaksAnthropic(path: string): boolean {
  return new URL(path, 'http://localhost').pathname.endsWith('/v1/messages')
}

async function bodyOf(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

function readQuestion(req: IncomingMessage, raw: string): ReceivedQuestion {
  const body = JSON.parse(raw)
  const path = req.url ?? ''
  const isAnthropic = speaksAnthropic(path)
  const system = isAnthropic ? body.system : body.messages[0].content
  const document = isAnthropic ? body.messages[0].content : body.messages[1].content
  return {
    path,
    headers: req.headers,
    raw,
    model: body.model,
    temperature: body.temperature,
    maxTokens: body.max_tokens,
    system,
    document,
    data: JSON.parse(document),
    schema: isAnthropic ? body.tools[0].input_schema : body.response_format.json_schema.schema,
  }
}

function behave(res: ServerResponse, path: string, behaviour: ModelBehaviour): void {
  if ('hang' in behaviour) return
  if ('cut' in behaviour) return void cut(res, behaviour.cut)
  const status = 'status' in behaviour ? behaviour.status : 200
  const headers = 'status' in behaviour ? behaviour.headers : undefined
  res.writeHead(status, { 'content-type': 'application/json', ...headers })
  res.end(speaksAnthropic(path) ? anthropicBody(behaviour) : openaiBody(behaviour))
}

function cut(res: ServerResponse, when: 'before' | 'within'): void {
  if (when === 'before') return void res.destroy()
  res.writeHead(200, { 'content-length': '1000' })
  res.write('{"choices":[', () => res.destroy())
}

function openaiBody(behaviour: ModelBehaviour): string {
  if ('body' in behaviour) return behaviour.body
  const message =
    'reply' in behaviour
      ? { content: JSON.stringify(behaviour.reply) }
      : 'text' in behaviour
        ? { content: behaviour.text }
        : { content: null, refusal: 'I would rather not.' }
  return JSON.stringify({ choices: [{ index: 0, message: { role: 'assistant', ...message } }] })
}

function anthropicBody(behaviour: ModelBehaviour): string {
  if ('body' in behaviour) return behaviour.body
  const content =
    'reply' in behaviour
      ? [{ type: 'tool_use', id: 'toolu_1', name: 'reply', input: behaviour.reply }]
      : 'text' in behaviour
        ? [{ type: 'text', text: behaviour.text }]
        : []
  const stop = 'refusal' in behaviour ? 'refusal' : 'end_turn'
  return JSON.stringify({ type: 'message', role: 'assistant', content, stop_reason: stop })
}
