/** Undefined values are left out. */
type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>

/**
 * A finished piece of work for the operator's tracing (spec: platform §6.2). INVARIANT: names,
 * ids, hashes and numbers only; never a text, a prompt, a quote or a secret.
 */
export type FinishedSpan = {
  name: string
  startedAt: Date
  durationMs: number
  attributes: SpanAttributes
  events: readonly { name: string; attributes: SpanAttributes }[]
}

/**
 * A span belongs to the current request. Record it after commit, since a transaction may be
 * retried.
 */
export type Spans = { record(span: FinishedSpan): void }
