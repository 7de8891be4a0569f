/** Undefined is left out. */
type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>

/**
 * A piece of work that is done, as an operator's tracing shows it (04 §7.2). INVARIANT: names,
 * ids, hashes and figures only; never a text, a prompt, a quote or a secret.
 */
export type FinishedSpan = {
  name: string
  startedAt: Date
  durationMs: number
  attributes: SpanAttributes
  events: readonly { name: string; attributes: SpanAttributes }[]
}

/** Belongs to the request it is recorded in. Call it after the commit, as a transaction may rerun. */
export type Spans = { record(span: FinishedSpan): void }
