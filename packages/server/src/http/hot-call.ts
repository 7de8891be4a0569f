import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Check } from './access/guard.ts'
import type { GuardedRequest } from './access/guarded.ts'
import { JSON_TYPE, problemAnswer, toProblem } from './answers/error-map.ts'
import { parseBody } from './body/body.ts'
import { createValidators } from './body/validators.ts'
import { requestId } from './server.ts'

/** One route whose calls are answered before the framework sees them. */
export type HotCall = {
  /** As it is registered. */
  route: GuardedRequest['route'] & { url: string }
  /** What its handler gives, as JSON. */
  answer(req: GuardedRequest): Promise<Made>
}

export type HotCallDeps = {
  check: Check
  securityHeaders: Readonly<Record<string, string>>
  isOpen(): boolean
  onAnswered(req: GuardedRequest, answered: { status: number; elapsedMs: number }): void
  /** Told of every error that is ours, not the caller's. */
  onFault(req: Pick<GuardedRequest, 'id'>, err: unknown): void
}

/** A larger one is rare, and the usual way knows what to do with it. */
const BYTES_MAX = 65_536

/** With any of these more is asked than a plain call, and the usual way knows what. */
const TELLING = [
  'content-encoding',
  'expect',
  'idempotency-key',
  'origin',
  'transfer-encoding',
  'x-service-api-key',
] as const

/** Says whether it takes the request; the same checks, answers, metrics and log lines as the route. */
export function createHotCall({ route, answer }: HotCall, deps: HotCallDeps) {
  const validate = createValidators()({
    schema: Object(route.schema?.body),
    httpPart: 'body',
    method: 'POST',
    url: route.url,
  })
  const common = Object.entries(deps.securityHeaders).flat()

  const judge = async (req: GuardedRequest, headers: string[]): Promise<Made> => {
    try {
      const checked = deps.check(req, (told) => headers.push(...Object.entries(told).flat()))
      if (checked instanceof Promise) await checked
      parseBody(req)
      const judged: unknown = validate(req.body)
      const error: unknown = Reflect.get(Object(judged), 'error')
      if (error !== undefined) throw error
      return await answer(req)
    } catch (err) {
      const problem = toProblem(err, req.id)
      if (problem.status >= 500) deps.onFault(req, problem.cause ?? err)
      const refused = problemAnswer(route.config, problem)
      headers.push(...Object.entries(refused.headers).flat())
      return refused
    }
  }

  const reply = async (raw: IncomingMessage, res: ServerResponse, arrived: Arrived) => {
    const req = guarded(raw, route, arrived.body)
    const headers = [...common, 'x-request-id', req.id]
    const { status, text } = await judge(req, headers)
    const bytes = Buffer.byteLength(text)
    headers.push('cache-control', 'no-store', 'content-type', JSON_TYPE)
    headers.push('content-length', String(bytes))
    res.writeHead(status, headers)
    // One byte for each character is ASCII, which need not be encoded.
    res.end(text, bytes === text.length ? 'latin1' : 'utf8')
    deps.onAnswered(req, { status, elapsedMs: performance.now() - arrived.startedAt })
  }

  return (req: IncomingMessage, res: ServerResponse): boolean => {
    if (req.url !== route.url || !isPlain(req) || !deps.isOpen()) return false
    const startedAt = performance.now()
    takeBody(req, (body) => {
      // All that can go wrong before an answer is one; what is left leaves the caller without.
      reply(req, res, { body, startedAt }).catch((err: unknown) => {
        deps.onFault({ id: requestId(req) }, err)
        res.destroy()
      })
    })
    return true
  }
}

/**
 * The parser pushes what arrives into the request. Taken there, a body that comes whole with its
 * headers does without the buffers, events and turns of a stream: a tenth of a decision.
 */
function takeBody(req: IncomingMessage, take: (body: Buffer) => void): void {
  const chunks: Buffer[] = []
  req.push = (chunk: Buffer | null): boolean => {
    if (chunk !== null) chunks.push(chunk)
    else take(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks))
    return chunk !== null
  }
}

type Made = { status: number; text: string }
type Arrived = { body: Buffer; startedAt: number }

function isPlain({ method, headers }: IncomingMessage): boolean {
  return (
    method === 'POST' &&
    headers['content-type'] === 'application/json' &&
    Number(headers['content-length'] ?? Number.NaN) <= BYTES_MAX &&
    headers.authorization?.startsWith('Bearer tsk_') === true &&
    TELLING.every((name) => headers[name] === undefined)
  )
}

function guarded(
  raw: IncomingMessage,
  route: GuardedRequest['route'] & { url: string },
  body: Buffer,
): GuardedRequest {
  return {
    id: requestId(raw),
    method: 'POST',
    url: route.url,
    headers: raw.headers,
    params: {},
    socket: raw.socket,
    body,
    route,
    // Until the check knows better.
    caller: { kind: 'anonymous' },
    tenant: undefined,
    clientIp: '',
  }
}
