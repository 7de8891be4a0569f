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

/** An error response (4xx or 5xx) from the service. */
export class ApiError extends Error {
  readonly status: number
  /** A stable error code such as `rate_limited`; the API reference lists them. */
  readonly code: string
  /** Identifies the request in the service's log. */
  readonly requestId: string | undefined
  readonly details: readonly ErrorDetail[]
  /** Seconds to wait before a retry, if the response has a Retry-After header. */
  readonly retryAfter: number | undefined
  /** The whole body, if it was JSON. */
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

/** Fallback by status for bodies without a code, such as those of the teams endpoints. */
const FALLBACK_CODES: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'unauthorized',
  402: 'feature_required',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  422: 'validation_error',
  429: 'rate_limited',
}

export async function toApiError(answer: Response): Promise<ApiError> {
  const body = await readJson(answer)
  const { error, message, details } = isRecord(body) ? body : {}
  const fallback = FALLBACK_CODES[answer.status] ?? 'internal_error'
  const hasCode = typeof error === 'string' && typeof message === 'string'
  return new ApiError({
    status: answer.status,
    code: hasCode ? error : fallback,
    message: [message, error].find(isNonEmptyString) ?? `The service answered ${answer.status}.`,
    requestId: answer.headers.get('x-request-id') ?? undefined,
    details: Array.isArray(details) ? details.filter(isRecord) : [],
    retryAfter: parseRetryAfter(answer),
    body,
  })
}

/** Parses Retry-After, which may be seconds or a date, into seconds. */
function parseRetryAfter(answer: Response): number | undefined {
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

function isNonEmptyString(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
