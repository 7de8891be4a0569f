/** Every error a caller can see, with its status (interface, Errors; 04 §1.3). */
const STATUS = {
  invalid_request: 400,
  url_not_allowed: 400,
  unauthorized: 401,
  feature_required: 402,
  forbidden: 403,
  not_found: 404,
  agent_not_found: 404,
  checkpoint_not_found: 404,
  conflict: 409,
  last_owner: 409,
  limit_reached: 409,
  idempotency_in_progress: 409,
  gone: 410,
  precondition_failed: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  validation_error: 422,
  ineligible_agent: 422,
  idempotency_mismatch: 422,
  rate_limited: 429,
  internal_error: 500,
  unavailable: 503,
} as const

export type ProblemCode = keyof typeof STATUS

export type ProblemDetail = { path: string; code: string; message: string }

type ProblemOptions = {
  cause?: unknown
  details?: readonly ProblemDetail[]
  headers?: Readonly<Record<string, string>>
}

/** A refusal the caller may see. The message helps the caller; the cause is only for the log. */
export class Problem extends Error {
  readonly code: ProblemCode
  readonly details: readonly ProblemDetail[] | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ProblemCode, publicMessage: string, options: ProblemOptions = {}) {
    super(publicMessage, { cause: options.cause })
    this.name = 'Problem'
    this.code = code
    this.details = options.details
    this.headers = options.headers ?? {}
  }

  get status(): number {
    return STATUS[this.code]
  }
}
