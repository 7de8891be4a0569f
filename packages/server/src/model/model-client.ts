import { setTimeout as sleep } from 'node:timers/promises'
import { Agent } from 'undici'
import { toDocument } from './document.ts'
import { type FoundReply, findReply } from './find-reply.ts'
import { type Model, ModelError, type ModelProvider, type ModelRequest } from './model.ts'
import { PROTOCOLS, type Protocol, type Question } from './protocols.ts'

/** The operator chooses the address, so it can be anywhere, including this machine. */
export type ModelSettings = {
  provider: ModelProvider
  /** The base URL to which the protocol's path is appended. */
  url: string
  name: string
  key: string | undefined
}

export type ModelOptions = ModelSettings & {
  /** Rejects if the signal aborts. Default: a timer. */
  wait?: (ms: number, signal: AbortSignal) => Promise<unknown>
}

const DEADLINE_MS = 45_000
const ANSWER_BYTES_MAX = 1024 * 1024
const RETRY_WAIT_MS = 500
/** A server that requests a longer delay is not retried. */
const RETRY_AFTER_MS_MAX = 5000

export function createModel(options: ModelOptions): Model {
  const { provider, name, wait = (ms, signal) => sleep(ms, undefined, { signal }) } = options
  const exchange = createExchange(options)
  return {
    provider,
    name,
    async complete(request) {
      const deadline = startTimer(request.deadlineMs ?? DEADLINE_MS)
      const { system, schema, maxTokens } = request
      const question = { name, system, document: toDocument(request.data), schema, maxTokens }
      const ask = createAsker({ exchange, wait, deadline: deadline.signal, request })
      try {
        const first = await ask(question)
        if (first.ok) return { json: first.json, provider, model: name }
        const second = await ask({ ...question, system: repairPrompt(system, first.faults) })
        if (second.ok) return { json: second.json, provider, model: name }
        const count = second.faults.length
        throw new ModelError('invalid', `the reply has ${count} fault(s), after one repair`)
      } finally {
        deadline.stop()
      }
    },
  }
}

/**
 * Does not repeat the rejected reply: some local models accept no second turn, and the faults
 * say enough.
 */
function repairPrompt(system: string, faults: readonly string[]): string {
  const list = faults.map((fault) => `- ${fault}`).join('\n')
  return `${system}\n\nAn earlier reply to the same document was rejected:\n${list}\nReply again, in exactly the form that is asked for.`
}

type Judgement = { ok: true; json: unknown } | { ok: false; faults: string[] }

type Asking = {
  exchange: Exchange
  wait: NonNullable<ModelOptions['wait']>
  deadline: AbortSignal
  request: ModelRequest
}

/**
 * Sends requests and validates the reply. All calls of one completion share its deadline and one
 * retry.
 */
function createAsker({ exchange, wait, deadline, request }: Asking) {
  const { timeoutMs } = request
  let retriesLeft = 1

  async function send(question: Question): Promise<Outcome> {
    const outcome = await exchange({ question, timeoutMs, deadline })
    if (outcome.ok || outcome.retryInMs === undefined || retriesLeft === 0) return outcome
    retriesLeft -= 1
    await wait(outcome.retryInMs, deadline).catch(() => {
      throw timedOut()
    })
    return exchange({ question, timeoutMs, deadline })
  }

  return async (question: Question): Promise<Judgement> => {
    const outcome = await send(question)
    if (!outcome.ok) throw outcome.error
    const found = outcome.found
    if (!found.ok) return { ok: false, faults: [found.fault] }
    const faults = request.validate(found.json)
    return faults.length === 0 ? { ok: true, json: found.json } : { ok: false, faults }
  }
}

/** `retryInMs` is set if a retry may help. */
type Outcome =
  | { ok: true; found: FoundReply }
  | { ok: false; error: ModelError; retryInMs?: number | undefined }

type Call = { question: Question; timeoutMs: number; deadline: AbortSignal }
type Exchange = (call: Call) => Promise<Outcome>

/** Sends one HTTP request and interprets the answer. */
function createExchange({ provider, url, key }: ModelSettings): Exchange {
  const protocol = PROTOCOLS[provider]
  const target = new URL(url)
  const path = target.pathname.replace(/\/+$/, '') + protocol.path + target.search
  // The signal ends a call, so the agent's own timeouts are disabled.
  const agent = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: ANSWER_BYTES_MAX,
  })
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    'accept-encoding': 'identity',
    ...protocol.headers(key),
  }
  return async ({ question, timeoutMs, deadline }) => {
    const timer = startTimer(timeoutMs, deadline)
    try {
      const response = await agent.request({
        origin: target.origin,
        path,
        method: 'POST',
        headers,
        body: JSON.stringify(protocol.body(question)),
        signal: timer.signal,
      })
      const text = await response.body.text()
      if (response.statusCode !== 200) return declined(response)
      return understand(protocol, text, question)
    } catch (err) {
      if (deadline.aborted) return { ok: false, error: timedOut() }
      if (timer.signal.aborted) return { ok: false, error: timedOut(), retryInMs: 0 }
      return failed(err)
    } finally {
      timer.stop()
    }
  }
}

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** A redirect counts as a refusal: the key is for the configured address only. */
function declined({ statusCode, headers }: { statusCode: number; headers: Headers }): Outcome {
  const message = `the model server answered ${statusCode}`
  if (statusCode !== 429 && statusCode < 500) {
    return { ok: false, error: new ModelError('refused', message, statusCode) }
  }
  const retryInMs = retryAfterMs(headers) ?? RETRY_WAIT_MS
  const error = new ModelError('transport', message, statusCode)
  return retryInMs > RETRY_AFTER_MS_MAX ? { ok: false, error } : { ok: false, error, retryInMs }
}

/** RFC 9110 §10.2.3: seconds, or a date, which is compared with the server's own clock. */
function retryAfterMs(headers: Headers): number | undefined {
  const value = String(headers['retry-after'] ?? '')
  if (/^\d+$/.test(value)) return Number(value) * 1000
  const ms = Date.parse(value) - Date.parse(String(headers['date'] ?? ''))
  return Number.isNaN(ms) ? undefined : Math.max(ms, 0)
}

function understand(protocol: Protocol, text: string, { schema }: Question): Outcome {
  const answer = protocol.read(parse(text))
  switch (answer.kind) {
    case 'json':
      return { ok: true, found: { ok: true, json: answer.json } }
    case 'text':
      return { ok: true, found: findReply(answer.text, requiredBy(schema)) }
    case 'refusal':
      return { ok: false, error: new ModelError('refused', 'the model refused to answer') }
    case 'malformed':
      return { ok: false, error: new ModelError('invalid', 'the answer is not of the protocol') }
  }
}

/** The parser's own error quotes the text, so it is dropped. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function requiredBy(schema: object): string[] {
  const required: unknown = 'required' in schema ? schema.required : []
  return Array.isArray(required) ? required.map(String) : []
}

/** Keeps only the code: the client's errors may contain bytes of the answer. */
function failed(err: unknown): Outcome {
  const code = err instanceof Error && 'code' in err ? String(err.code) : 'unknown'
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') {
    const message = `the answer is longer than ${ANSWER_BYTES_MAX} bytes`
    return { ok: false, error: new ModelError('invalid', message) }
  }
  const error = new ModelError('transport', `the connection failed (${code})`)
  return { ok: false, error, retryInMs: RETRY_WAIT_MS }
}

function timedOut(): ModelError {
  return new ModelError('timeout', 'no full answer in time')
}

/** Aborts after that time, or with the outer signal. */
function startTimer(ms: number, outer?: AbortSignal) {
  const controller = new AbortController()
  const abort = () => controller.abort()
  const timer = setTimeout(abort, ms)
  outer?.addEventListener('abort', abort)
  if (outer?.aborted) abort()
  return {
    signal: controller.signal,
    stop() {
      clearTimeout(timer)
      outer?.removeEventListener('abort', abort)
    },
  }
}
