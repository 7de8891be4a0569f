import { Agent, request } from 'undici'

/**
 * JSON-RPC to the chain. The address is the operator's or that of our child process, so it can
 * be anywhere, including this machine.
 */
export type JsonRpc = (method: string, params?: readonly unknown[]) => Promise<unknown>

/**
 * unreachable: the call certainly did not arrive. lost: it may have arrived, and its outcome is
 * unknown. refused: the node answered with an error.
 */
export class RpcError extends Error {
  readonly kind: 'unreachable' | 'lost' | 'refused'
  /** The revert data of a contract. */
  readonly data: string | undefined
  /** A temporary refusal: the node is overloaded or has an internal error. */
  readonly isPassing: boolean

  constructor(
    kind: RpcError['kind'],
    message: string,
    options: { cause?: unknown; data?: string | undefined; isPassing?: boolean } = {},
  ) {
    super(message, { cause: options.cause })
    this.name = 'RpcError'
    this.kind = kind
    this.data = options.data
    this.isPassing = options.isPassing ?? false
  }
}

const TIMEOUT_MS = 10_000
/** The receipt of a full batch is about 700 kB. */
const ANSWER_BYTES_MAX = 4 * 1024 * 1024
const MESSAGE_LENGTH_MAX = 300

/** Error codes of connections that were never established. */
const NOT_SENT =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/

/** A text field of a JSON-RPC result; undefined if the field is missing or not a text. */
export function textOf(value: unknown, field: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const found: unknown = Object.getOwnPropertyDescriptor(value, field)?.value
  return typeof found === 'string' ? found : undefined
}

export function createJsonRpc(url: string, timeoutMs = TIMEOUT_MS): JsonRpc {
  const dispatcher = new Agent({
    connect: { timeout: Math.min(timeoutMs, 5000) },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxResponseSize: ANSWER_BYTES_MAX,
    keepAliveTimeout: 4000,
  })
  const { target, headers } = addressOf(url)
  let id = 0
  return async (method, params = []) => {
    id += 1
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params })
    const answer = await request(target, { method: 'POST', dispatcher, headers, body })
      .then(async (response) => ({ status: response.statusCode, text: await response.body.text() }))
      .catch((err: unknown) => {
        throw new RpcError(kindOf(err), `The chain node does not answer ${method}.`, { cause: err })
      })
    return resultOf(method, answer)
  }
}

/** Moves credentials from the URL to a header, because undici accepts none in a URL. */
function addressOf(url: string): { target: string; headers: Record<string, string> } {
  const target = new URL(url)
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (target.username !== '' || target.password !== '') {
    const pair = `${decodeURIComponent(target.username)}:${decodeURIComponent(target.password)}`
    headers['authorization'] = `Basic ${Buffer.from(pair).toString('base64')}`
    target.username = ''
    target.password = ''
  }
  return { target: target.href, headers }
}

function kindOf(err: unknown): 'unreachable' | 'lost' {
  const code = err instanceof Error && 'code' in err ? String(err.code) : ''
  return NOT_SENT.test(code) ? 'unreachable' : 'lost'
}

/** Whether the call timed out, as opposed to an answer that broke off. */
export function isTimeout(err: unknown): boolean {
  const cause = err instanceof RpcError ? err.cause : undefined
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return /^UND_ERR_(HEADERS|BODY)_TIMEOUT$/.test(code)
}

function resultOf(method: string, { status, text }: { status: number; text: string }): unknown {
  const reply = parse(text)
  // Some nodes send an error of null next to the result.
  if (reply?.error != null) throw refusalOf(status, reply.error)
  if (status !== 200 || reply === undefined || !('result' in reply)) {
    throw new RpcError('lost', `The chain node answered ${method} with status ${status}.`)
  }
  return reply.result
}

type Refusal = { code?: unknown; message?: unknown; data?: unknown }
type Reply = { result?: unknown; error?: Refusal | null }

/** EIP-1474 limit exceeded, its variant at some providers, and internal error. */
const PASSING_CODES: readonly unknown[] = [-32_005, -32_016, -32_603]

function refusalOf(status: number, error: Refusal): RpcError {
  const message = String(error.message ?? 'refused').slice(0, MESSAGE_LENGTH_MAX)
  const data = revertDataOf(error.data)
  const isRevert = data !== undefined || /revert/i.test(message)
  const isBusy = status === 429 || status >= 500 || PASSING_CODES.includes(error.code)
  return new RpcError('refused', message, { data, isPassing: isBusy && !isRevert })
}

function parse(text: string): Reply | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** Some nodes nest it one level deeper. */
function revertDataOf(data: unknown): string | undefined {
  if (typeof data === 'string') return data
  return typeof data === 'object' && data !== null && 'data' in data
    ? revertDataOf(data.data)
    : undefined
}
