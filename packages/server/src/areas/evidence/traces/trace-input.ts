import { canonicalJson, parseInstant } from '@touchstone/protocol/base'
import { defaultSessionId } from '@touchstone/protocol/identifiers'
import { CLOCK_SKEW_MS_MAX, ESCALATION_OF_VIOLATION, TRACE_BYTES_MAX, type Trace } from './trace.ts'

/** A trace as it was sent. Missing members are filled in when it is stored. */
export type TraceInput = Omit<Trace, 'trace_id' | 'card_id' | 'timestamp'> &
  Partial<Pick<Trace, 'trace_id' | 'card_id' | 'timestamp'>>

export type ReadInput =
  | { ok: true; canonical: string; timestamp: Date }
  | { ok: false; field: string; code: string; reason: string }

/** Checks limits and returns the canonical JSON, by which a repeated trace is recognised. */
export function readInput(input: TraceInput, now: Date): ReadInput {
  const canonical = canonicalJson(input)
  if (new TextEncoder().encode(canonical).length > TRACE_BYTES_MAX) {
    return { ok: false, field: '', code: 'too_large', reason: 'must be at most 64 KB' }
  }
  const timestamp = input.timestamp === undefined ? now : parseInstant(input.timestamp)
  if (timestamp === undefined) {
    return {
      ok: false,
      field: 'timestamp',
      code: 'pattern',
      reason: 'must be an ISO 8601 date and time with an offset',
    }
  }
  if (timestamp.getTime() > now.getTime() + CLOCK_SKEW_MS_MAX) {
    const reason = 'must be at most 5 minutes in the future'
    return { ok: false, field: 'timestamp', code: 'future', reason }
  }
  return { ok: true, canonical, timestamp }
}

export type Completion = {
  traceId: string
  /** The card it is verified against. */
  cardId: string
  timestamp: Date
}

/** Fills in missing members, so that readers need no defaults. */
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
 * The trace as stored if it is linked to a checkpoint. Adds the escalation that a boundary violation
 * requires, after verification, because the agent itself still missed it.
 */
export function withCheckpointEscalation(trace: Trace, verdict: string | undefined): Trace {
  const due = trace.escalation === undefined && verdict === 'boundary_violation'
  return due ? { ...trace, escalation: ESCALATION_OF_VIOLATION } : trace
}

export function sessionOf(trace: Pick<Trace, 'agent_id' | 'context'>, timestamp: Date): string {
  return namedSessionOf(trace) ?? defaultSessionId(trace.agent_id, timestamp.getTime())
}

export function namedSessionOf(trace: Pick<Trace, 'context'>): string | undefined {
  const named = trace.context?.['session_id']
  return typeof named === 'string' ? named : undefined
}

/** The checkpoint of the same decision, if the trace names one (spec: evidence §3.1). */
export function checkpointIdOf(trace: Pick<Trace, 'context'>): string | undefined {
  const metadata = trace.context?.['metadata']
  if (typeof metadata !== 'object' || metadata === null) return undefined
  const named: unknown = Object.getOwnPropertyDescriptor(metadata, CHECKPOINT_MEMBER)?.value
  return typeof named === 'string' ? named : undefined
}

const CHECKPOINT_MEMBER = 'integrity_checkpoint_id'
