import { type CredentialOptions, createCredentials } from './credentials.ts'
import { KEYLESS_POSTS } from './keyless-posts.ts'
import type { Answer, CallOptions, Method, OptionsArgument, Path } from './operation.ts'
import { withRetries } from './retry.ts'

export type ClientOptions = CredentialOptions & {
  /** Where the service is, such as https://trust.example.com; '' for the page's own origin. */
  baseUrl: string
  /** For users of several organisations: the one meant where a path names none. */
  orgId?: string
  fetch?: typeof fetch
  /** How often a request that may be sent twice is sent again; 2 unless you say otherwise. */
  retries?: number
}

export type Client = {
  /** The answer's body, as the interface describes it; an ApiError for any answer that is an error. */
  request<M extends Method, P extends Path<M>>(
    method: M,
    path: P,
    ...options: OptionsArgument<M, P>
  ): Promise<Answer<M, P>>
  /** The same, unread: for headers, streams, other forms, and 304 after If-None-Match. */
  raw<M extends Method, P extends Path<M>>(
    method: M,
    path: P,
    ...options: OptionsArgument<M, P>
  ): Promise<Response>
}

const RETRIES = 2

/** What the options of any path come down to. */
type AnyOptions = CallOptions & {
  params?: Readonly<Record<string, string | number>>
  query?: Readonly<Record<string, unknown>>
  body?: unknown
}

export function createClient(options: ClientOptions): Client {
  const credentials = createCredentials(options)
  const base = options.baseUrl.replace(/\/+$/, '')
  const { retries = RETRIES } = options

  async function send(method: Method, path: string, call: AnyOptions): Promise<Response> {
    const url = base + fillPath(path, call.params) + queryOf(call.query)
    const { body, headers } = contentOf(call, options.orgId)
    const key = method === 'POST' ? keyFor(path, call, retries) : undefined
    if (key !== undefined) headers['idempotency-key'] = key
    const request = { method, headers, body: body ?? null, signal: call.signal ?? null }
    const again = method === 'GET' || key !== undefined
    const { signal } = call
    return withRetries(() => sendOnce(url, request), { retries: again ? retries : 0, signal })
  }

  /** With a fresh token, when the one there was is refused. */
  async function sendOnce(url: string, request: Sent): Promise<Response> {
    const token = await credentials.current()
    const answer = await sendAs(token, url, request)
    if (answer.status !== 401) return answer
    const fresh = await credentials.replace(token)
    if (fresh === undefined) return answer
    await answer.body?.cancel()
    return sendAs(fresh, url, request)
  }

  function sendAs(token: string | undefined, url: string, request: Sent): Promise<Response> {
    const { headers } = request
    const authorised =
      token === undefined ? headers : { authorization: `Bearer ${token}`, ...headers }
    return (options.fetch ?? fetch)(url, { ...request, headers: authorised })
  }

  // Which options go with which path is a matter of types alone.
  const client: UntypedClient = {
    raw: (method, path, call = {}) => send(method, path, call),
    request: async (method, path, call = {}) => read(await send(method, path, call)),
  }
  return client as Client
}

type UntypedClient = {
  request(method: Method, path: string, call?: AnyOptions): Promise<unknown>
  raw(method: Method, path: string, call?: AnyOptions): Promise<Response>
}

type Sent = {
  method: Method
  headers: Record<string, string>
  body: string | null
  signal: AbortSignal | null
}

function fillPath(path: string, params: AnyOptions['params'] = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name]
    // An empty one would name another path.
    if (value === undefined || value === '') throw new TypeError(`${path} needs ${name}`)
    return encodeURIComponent(value)
  })
}

/** Lists are separated by commas, as the interface has them. */
function queryOf(query: AnyOptions['query'] = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.append(name, String(value))
  }
  const text = search.toString()
  return text === '' ? '' : `?${text}`
}

function contentOf({ body, headers }: AnyOptions, orgId: string | undefined) {
  const own = Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value])
  const type = typeof body === 'string' ? 'application/yaml' : 'application/json'
  return {
    body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': type }),
      ...(orgId !== undefined && { 'x-org-id': orgId }),
      ...Object.fromEntries(own),
    } as Record<string, string>,
  }
}

/** What is sent once needs none of its own, for which the service would have to keep the answer. */
function keyFor(path: string, { idempotencyKey }: AnyOptions, retries: number): string | undefined {
  if (KEYLESS_POSTS.includes(path)) return undefined
  return idempotencyKey ?? (retries > 0 ? crypto.randomUUID() : undefined)
}

/** JSON where the answer is JSON, else text; undefined for an empty answer. */
async function read(answer: Response): Promise<unknown> {
  const text = await answer.text()
  if (text === '') return undefined
  return /^application\/json\b/.test(answer.headers.get('content-type') ?? '')
    ? JSON.parse(text)
    : text
}
