import { canonicalJson, parseInstant } from '@touchstone/protocol/base'
import { defaultSessionId } from '@touchstone/protocol/identifiers'
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
  const timestamp = input.timestamp === undefined ? now : parseInstant(input.timestamp)
  if (timestamp === undefined) {
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
}

/** What may be left out is filled in: nothing is left to be guessed by the trace's reader. */
export function completeTrace(input: TraceInput, given: Completion): Trace {
  const { traceId, cardId, timestamp } = given
  const session = sessionOf(input, timestamp)
  return {
    ...input,
    trace_id: traceId,
    card_id: input.card_id ?? cardId,
    timestamp: timestamp.toISOString(),
    context: { ...input.context, session_id: session },
  }
}

/**
 * The trace as it is kept beside the integrity checkpoint of the same decision. It is verified
 * before: an escalation that nobody but the service wrote down was missed all the same.
 */
export function besideCheckpoint(trace: Trace, verdict: string | undefined): Trace {
  const due = trace.escalation === undefined && verdict === 'boundary_violation'
  return due ? { ...trace, escalation: ESCALATION_OF_VIOLATION } : trace
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
