import { canonicalJson, defaultSessionId } from '@touchstone/protocol'
import { AHEAD_MS_MAX, ESCALATION_OF_VIOLATION, TRACE_BYTES_MAX, type Trace } from './trace.ts'

/** A trace as its sender wrote it: what may be left out is filled in when it is stored. */
export type TraceInput = Omit<Trace, 'trace_id' | 'card_id' | 'timestamp'> &
  Partial<Pick<Trace, 'trace_id' | 'card_id' | 'timestamp'>>

export type ReadInput =
  | { ok: true; canonical: string; timestamp: Date }
  | { ok: false; field: string; code: string; reason: string }

/** Whether a well-formed trace can be taken, and the text by which it is told from others. */
export function readInput(input: TraceInput, now: Date): ReadInput {
  const canonical = canonicalJson(input)
  if (new TextEncoder().encode(canonical).length > TRACE_BYTES_MAX) {
    return { ok: false, field: '', code: 'too_large', reason: 'must be at most 64 KB' }
  }
  const timestamp = input.timestamp === undefined ? now : new Date(input.timestamp)
  // The format admits a leap second, which no Date can hold.
  if (Number.isNaN(timestamp.getTime())) {
    return { ok: false, field: 'timestamp', code: 'pattern', reason: 'is not a valid instant' }
  }
  if (timestamp.getTime() > now.getTime() + AHEAD_MS_MAX) {
    const reason = 'is more than 5 minutes ahead of the clock'
    return { ok: false, field: 'timestamp', code: 'future', reason }
  }
  return { ok: true, canonical, timestamp }
}

export type Completion = {
  traceId: string
  /** The card it is held against. */
  cardId: string
  timestamp: Date
  /** What the integrity checkpoint of the same decision found, if the trace names one. */
  linkedVerdict: string | undefined
}

/** The trace as it is kept: nothing is left to be guessed by its reader. */
export function completeTrace(input: TraceInput, given: Completion): Trace {
  const { traceId, cardId, timestamp, linkedVerdict } = given
  const session = sessionOf(input, timestamp)
  const due = input.escalation === undefined && linkedVerdict === 'boundary_violation'
  return {
    ...input,
    ...(due ? { escalation: ESCALATION_OF_VIOLATION } : {}),
    trace_id: traceId,
    card_id: input.card_id ?? cardId,
    timestamp: timestamp.toISOString(),
    context: { ...input.context, session_id: session },
  }
}

export function sessionOf(trace: Pick<Trace, 'agent_id' | 'context'>, timestamp: Date): string {
  const named = trace.context?.['session_id']
  return typeof named === 'string' ? named : defaultSessionId(trace.agent_id, timestamp.getTime())
}

/** The integrity checkpoint of the same decision, as far as the trace names one (01 §3.1). */
export function checkpointIdOf(trace: Pick<Trace, 'context'>): string | undefined {
  const metadata = trace.context?.['metadata']
  if (typeof metadata !== 'object' || metadata === null) return undefined
  const named: unknown = Object.getOwnPropertyDescriptor(metadata, CHECKPOINT_MEMBER)?.value
  return typeof named === 'string' ? named : undefined
}

const CHECKPOINT_MEMBER = 'integrity_checkpoint_id'
