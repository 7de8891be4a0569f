/** A language model as used by the service: one request, one JSON reply, no memory, no tools. */

export type ModelProvider = 'openai' | 'anthropic'

export type ModelRequest = {
  /** The only instructions; must not contain text of a tenant or an agent. */
  system: string
  /** Passed as one JSON document, whoever wrote its texts. */
  data: unknown
  /** JSON Schema of the reply: an object, every member required, no others. */
  schema: object
  maxTokens: number
  /** The timeout of each HTTP call. */
  timeoutMs: number
  /** The deadline of the whole completion: calls, retry, repair and waits. Default 45 s. */
  deadlineMs?: number
  /**
   * Returns the faults of a reply, empty if it is valid. INVARIANT: faults name members and
   * expectations and never quote the reply, because the repair call puts them next to the
   * instructions.
   */
  validate(json: unknown): string[]
}

export type ModelReply = { json: unknown; provider: ModelProvider; model: string }

export type Model = {
  provider: ModelProvider
  name: string
  /** Returns a reply that `validate` accepted; rejects with a ModelError. */
  complete(request: ModelRequest): Promise<ModelReply>
}

/**
 * timeout: no complete answer in time. transport: no connection, or an overloaded or failing
 * server. refused: the server or the model declined. invalid: an unusable answer.
 */
export type ModelErrorKind = 'timeout' | 'transport' | 'refused' | 'invalid'

/** The message can be logged: it contains no prompt, no key and no model output. */
export class ModelError extends Error {
  readonly kind: ModelErrorKind
  /** The HTTP status, if it was not 200. */
  readonly status: number | undefined

  constructor(kind: ModelErrorKind, message: string, status?: number) {
    super(message)
    this.name = 'ModelError'
    this.kind = kind
    this.status = status
  }
}
