export type ErrorDetail = { path?: string; code?: string; message?: string }

type ApiErrorFields = {
  status: number
  code: string
  message: string
  requestId?: string | undefined
  details?: readonly ErrorDetail[] | undefined
  retryAfter?: number | undefined
  body?: unknown
}

/** An answer of the service that is a refusal or a failure. */
export class ApiError extends Error {
  readonly status: number
  /** Such as `rate_limited`; the interface lists them. */
  readonly code: string
  /** What the service's own log knows the request by. */
  readonly requestId: string | undefined
  readonly details: readonly ErrorDetail[]
  /** Seconds to wait, where the service said so. */
  readonly retryAfter: number | undefined
  /** The whole body, where it was JSON. */
  readonly body: unknown

  constructor(fields: ApiErrorFields) {
    super(fields.message)
    this.name = 'ApiError'
    this.status = fields.status
    this.code = fields.code
    this.requestId = fields.requestId
    this.details = fields.details ?? []
    this.retryAfter = fields.retryAfter
    this.body = fields.body
  }
}

/** Where the body has a text only, as in the teams area, the status says which it is. */
const CODES: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'unauthorized',
  402: 'feature_required',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  422: 'validation_error',
  429: 'rate_limited',
}

export async function errorOf(answer: Response): Promise<ApiError> {
  const body = await readJson(answer)
  const { error, message, details } = isRecord(body) ? body : {}
  const fallback = CODES[answer.status] ?? 'internal_error'
  const hasCode = typeof error === 'string' && typeof message === 'string'
  return new ApiError({
    status: answer.status,
    code: hasCode ? error : fallback,
    message: [message, error].find(isText) ?? `The service answered ${answer.status}.`,
    requestId: answer.headers.get('x-request-id') ?? undefined,
    details: Array.isArray(details) ? details.filter(isRecord) : [],
    retryAfter: retryAfterOf(answer),
    body,
  })
}

/** Seconds, whether the header has seconds or a date. */
export function retryAfterOf(answer: Response): number | undefined {
  const text = answer.headers.get('retry-after')
  if (text === null) return undefined
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined
}

async function readJson(answer: Response): Promise<unknown> {
  try {
    return await answer.json()
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
