/** Every error a caller can see, with its status (spec: interface, Errors; spec: platform §1.3). */
const STATUS = {
  invalid_request: 400,
  url_not_allowed: 400,
  amendment_does_not_apply: 400,
  unauthorized: 401,
  feature_required: 402,
  forbidden: 403,
  self_approval: 403,
  second_factor_required: 403,
  not_found: 404,
  agent_not_found: 404,
  checkpoint_not_found: 404,
  conflict: 409,
  similar_id: 409,
  decision_used: 409,
  last_owner: 409,
  already_reclassified: 409,
  already_anchored: 409,
  limit_reached: 409,
  not_yet_logged: 409,
  idempotency_in_progress: 409,
  gone: 410,
  precondition_failed: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  validation_error: 422,
  ineligible_agent: 422,
  score_mismatch: 422,
  idempotency_mismatch: 422,
  rate_limited: 429,
  internal_error: 500,
  chain_unavailable: 502,
  unavailable: 503,
} as const

export type ProblemCode = keyof typeof STATUS

export type ProblemDetail = { path: string; code: string; message: string }

type ProblemOptions = {
  cause?: unknown
  details?: readonly ProblemDetail[]
  headers?: Readonly<Record<string, string>>
  /** Fields of the body besides code and message. */
  fields?: Readonly<Record<string, unknown>>
}

/** An error that callers see. The message helps the caller; the cause is for the log only. */
export class Problem extends Error {
  readonly code: ProblemCode
  readonly details: readonly ProblemDetail[] | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly fields: Readonly<Record<string, unknown>>

  constructor(code: ProblemCode, publicMessage: string, options: ProblemOptions = {}) {
    super(publicMessage, { cause: options.cause })
    this.name = 'Problem'
    this.code = code
    this.details = options.details
    this.headers = options.headers ?? {}
    this.fields = options.fields ?? {}
  }

  get status(): number {
    return STATUS[this.code]
  }
}

/** For callbacks that take an Error, because any value can be thrown. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}

/** One field of the request is invalid. */
export function invalidField(field: string, message: string): Problem {
  const details = [{ path: `/${field}`, code: 'invalid', message }]
  return new Problem('invalid_request', `${field}: ${message}`, { details })
}

/** The version that a writer expects to change, from its request headers (RFC 9110, section 13.1). */
export type Precondition = { ifMatch: string | undefined; ifNoneMatch?: string | undefined }

/** Compares with the current version, undefined if there is none. The ETag of version 2 is `"v2"`. */
export function assertPrecondition(
  { ifMatch, ifNoneMatch }: Precondition,
  version: number | undefined,
): void {
  const matches = (tags: readonly string[]) =>
    version !== undefined && (tags.includes('*') || tags.includes(`"v${version}"`))
  if (ifMatch !== undefined && !matches(tagsOf('If-Match', ifMatch))) {
    const now =
      version === undefined ? 'There is no current version.' : `The current version is ${version}.`
    throw new Problem('precondition_failed', `${now} Read it again and repeat the change.`)
  }
  if (ifNoneMatch === undefined) return
  // The comparison is weak here and strong above.
  const others = tagsOf('If-None-Match', ifNoneMatch).map((tag) => tag.replace(/^W\//, ''))
  if (matches(others)) {
    throw new Problem('precondition_failed', `It exists already, at version ${version}.`)
  }
}

function tagsOf(header: string, value: string): string[] {
  const tags = value.split(',', 50).map((item) => item.trim())
  // A version read in another form, such as "v2-yaml", is the same version.
  if (tags.every((tag) => tag === '*' || /^(W\/)?"[^"]*"$/.test(tag))) {
    return tags.map((tag) => tag.replace(/^("v\d+)-[a-z]+"$/, '$1"'))
  }
  throw new Problem('invalid_request', `${header}: must be an ETag with its quotes, such as "v2"`)
}
