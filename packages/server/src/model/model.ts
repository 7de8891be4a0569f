/** A language model as the service uses it: one question, one JSON answer, no memory, no tools. */

export type ModelProvider = 'openai' | 'anthropic'

export type ModelRequest = {
  /** The only instructions; nothing a tenant or an agent wrote may stand here. */
  system: string
  /** Handed over as one JSON document, whoever wrote its texts. */
  data: unknown
  /** JSON Schema of the reply: an object, every member required, no others. */
  schema: object
  maxTokens: number
  /** For each HTTP call. */
  timeoutMs: number
  /** For everything: calls, retry, repair and the waits between. Default 45 s. */
  deadlineMs?: number
  /**
   * What is wrong with a reply; nothing when it is fine.
   * INVARIANT: faults name members and expectations and quote no reply, because the repair call
   * puts them beside the instructions.
   */
  validate(json: unknown): string[]
}

export type ModelReply = { json: unknown; provider: ModelProvider; model: string }

export type Model = {
  provider: ModelProvider
  name: string
  /** A reply that `validate` found nothing wrong with; rejects with a ModelError. */
  complete(request: ModelRequest): Promise<ModelReply>
}

/**
 * timeout: no full answer in time. transport: no connection, or a server that is overloaded or
 * broken. refused: the server or the model does not want to. invalid: an answer of no use.
 */
export type ModelErrorKind = 'timeout' | 'transport' | 'refused' | 'invalid'

/** The message may be logged: it holds no prompt, no key and nothing the model said. */
export class ModelError extends Error {
  readonly kind: ModelErrorKind
  /** What the server answered with, where that was not 200. */
  readonly status: number | undefined

  constructor(kind: ModelErrorKind, message: string, status?: number) {
    super(message)
    this.name = 'ModelError'
    this.kind = kind
    this.status = status
  }
}
