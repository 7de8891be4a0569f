import { sha256Hex } from '@touchstone/protocol/crypto'
import type { Trace } from './trace.ts'

/**
 * What one trace has in common with others, or not. It is kept beside the trace and read for
 * hundreds of them at once, so it stays small whatever the trace holds.
 */
export type Behaviour = {
  action: { type: string; category: string; name: string }
  /** With the flags, as `shorten` gives them. */
  valuesApplied: readonly string[]
  confidence: number | undefined
  escalation: { required: boolean; status: string | undefined } | undefined
  /** Flags of all alternatives together, each once. */
  flags: readonly string[]
}

const TEXT_BYTES_MAX = 24

/** Traces have no limit of their own for flags; there are as many values and alternatives. */
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
 * Only whether two texts are equal matters, so a hash can stand for a long one. It is one byte
 * longer than any text kept as it is, so it equals none of them.
 */
export function shorten(text: string): string {
  const short = new TextEncoder().encode(text).length <= TEXT_BYTES_MAX
  return short ? text : `#${sha256Hex(text).slice(0, TEXT_BYTES_MAX)}`
}
