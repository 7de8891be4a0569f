import { type CredentialOptions, createCredentials } from './credentials.ts'
import { KEYLESS_POSTS } from './keyless-posts.ts'
import type { Answer, CallOptions, Method, OptionsArgument, Path } from './operation.ts'
import { withRetries } from './retry.ts'

export type ClientOptions = CredentialOptions & {
  /** Address of the service, such as https://trust.example.com; '' for the page's own origin. */
  baseUrl: string
  /** For users in several organisations: the one to act for if the path does not name one. */
  orgId?: string
  fetch?: typeof fetch
  /** How often a GET, or a POST with an idempotency key, is retried; 2 by default. */
  retries?: number
}

export type Client = {
  /** Returns the response body, typed by the API; throws an ApiError for an error response. */
  request<M extends Method, P extends Path<M>>(
    method: M,
    path: P,
    ...options: OptionsArgument<M, P>
  ): Promise<Answer<M, P>>
  /** Returns the unread Response, for headers, streams, other media types, and 304 responses. */
  raw<M extends Method, P extends Path<M>>(
    method: M,
    path: P,
    ...options: OptionsArgument<M, P>
  ): Promise<Response>
}

const RETRIES = 2

/** The options of any path, without the types of its own parameters. */
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
    const url = base + fillPath(path, call.params) + queryString(call.query)
    const { body, headers } = contentFor(call, options.orgId)
    const key = method === 'POST' ? idempotencyKeyFor(path, call, retries) : undefined
    if (key !== undefined) headers['idempotency-key'] = key
    const request = { method, headers, body: body ?? null, signal: call.signal ?? null }
    const canRetry = method === 'GET' || key !== undefined
    const { signal } = call
    return withRetries(() => sendOnce(url, request), {
      retries: canRetry ? retries : 0,
      signal,
    })
  }

  /** Repeats the request once with a fresh token after a 401. */
  async function sendOnce(url: string, request: OutgoingRequest): Promise<Response> {
    const token = await credentials.current()
    const answer = await sendWithToken(token, url, request)
    if (answer.status !== 401) return answer
    const fresh = await credentials.replace(token)
    if (fresh === undefined) return answer
    await answer.body?.cancel()
    return sendWithToken(fresh, url, request)
  }

  function sendWithToken(
    token: string | undefined,
    url: string,
    request: OutgoingRequest,
  ): Promise<Response> {
    const { headers } = request
    const authorised =
      token === undefined ? headers : { authorization: `Bearer ${token}`, ...headers }
    return (options.fetch ?? fetch)(url, { ...request, headers: authorised })
  }

  // The types alone say which options go with which path; at run time all paths are alike.
  const client: UntypedClient = {
    raw: (method, path, call = {}) => send(method, path, call),
    request: async (method, path, call = {}) => readBody(await send(method, path, call)),
  }
  return client as Client
}

type UntypedClient = {
  request(method: Method, path: string, call?: AnyOptions): Promise<unknown>
  raw(method: Method, path: string, call?: AnyOptions): Promise<Response>
}

type OutgoingRequest = {
  method: Method
  headers: Record<string, string>
  body: string | null
  signal: AbortSignal | null
}

function fillPath(path: string, params: AnyOptions['params'] = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name]
    // An empty parameter would address a different path.
    if (value === undefined || value === '') {
      throw new TypeError(`${path}: the parameter ${name} is missing or empty`)
    }
    return encodeURIComponent(value)
  })
}

/** A parameter with several values is repeated, as OpenAPI serialises arrays by default. */
function queryString(query: AnyOptions['query'] = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    const values: unknown[] = Array.isArray(value) ? value : [value]
    for (const one of values) if (one !== undefined) search.append(name, String(one))
  }
  const text = search.toString()
  return text === '' ? '' : `?${text}`
}

function contentFor({ body, headers }: AnyOptions, orgId: string | undefined) {
  const custom = Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value])
  const type = typeof body === 'string' ? 'application/yaml' : 'application/json'
  return {
    body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    // The cast drops `false`, the value of a spread that adds nothing.
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': type }),
      ...(orgId !== undefined && { 'x-org-id': orgId }),
      ...Object.fromEntries(custom),
    } as Record<string, string>,
  }
}

/** Without retries no key is made up, so that the service need not store the response for replay. */
function idempotencyKeyFor(
  path: string,
  { idempotencyKey }: AnyOptions,
  retries: number,
): string | undefined {
  if (KEYLESS_POSTS.includes(path)) return undefined
  return idempotencyKey ?? (retries > 0 ? crypto.randomUUID() : undefined)
}

/** Parses a JSON body, returns any other body as text, and undefined if the body is empty. */
async function readBody(answer: Response): Promise<unknown> {
  const text = await answer.text()
  if (text === '') return undefined
  return /^application\/json\b/.test(answer.headers.get('content-type') ?? '')
    ? JSON.parse(text)
    : text
}
