import { sha256Hex } from '@touchstone/protocol/crypto'
import type { Trace } from './trace.ts'

/**
 * The fields in which traces are compared for drift. Stored beside the trace and read for hundreds
 * at once, so its size is bounded whatever the trace contains.
 */
export type Behaviour = {
  action: { type: string; category: string; name: string }
  /** Shortened by `shorten`, like the flags. */
  valuesApplied: readonly string[]
  confidence: number | undefined
  escalation: { required: boolean; status: string | undefined } | undefined
  /** The distinct flags of all alternatives. */
  flags: readonly string[]
}

const TEXT_BYTES_MAX = 24

/** The schema has no limit for flags; this equals the one for values and alternatives. */
export const FLAGS_MAX = 50

export function behaviourOf(trace: Pick<Trace, 'action' | 'decision' | 'escalation'>): Behaviour {
  const { action, decision, escalation } = trace
  const { type, category, name } = action
  const alternatives = decision.alternatives_considered ?? []
  const flags = new Set(alternatives.flatMap((option) => option.flags ?? []))
  return {
    action: { type, category, name },
    valuesApplied: decision.values_applied.map(shorten),
    confidence: decision.confidence,
    escalation: escalation && {
      required: escalation.required,
      status: escalation.escalation_status,
    },
    flags: [...flags].slice(0, FLAGS_MAX).map(shorten),
  }
}

/**
 * Replaces a long text by a hash, because only equality matters. The hash is one byte longer than
 * any text that is kept, so it equals none of them.
 */
export function shorten(text: string): string {
  const short = new TextEncoder().encode(text).length <= TEXT_BYTES_MAX
  return short ? text : `#${sha256Hex(text).slice(0, TEXT_BYTES_MAX)}`
}
