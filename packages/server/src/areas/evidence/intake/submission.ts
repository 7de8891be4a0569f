import type { ExtractionMethod } from '@touchstone/protocol/analysis'
import { parseInstant } from '@touchstone/protocol/base'
import { sha256Hex } from '@touchstone/protocol/crypto'
import { defaultSessionId } from '@touchstone/protocol/identifiers'

/** The range of accepted timestamps around now (spec: evidence §4.1). */
const AGE_MS_MAX = 90 * 24 * 3_600_000
const CLOCK_SKEW_MS_MAX = 5 * 60_000

/** Every trigger of a card scans the whole context. */
const CONTEXT_CHARACTERS_MAX = 65_536

/** A submission as it was sent to be analysed. */
export type GivenSubmission = {
  agentId: string
  checkpointId: string | undefined
  sessionId: string | undefined
  timestamp: string | undefined
  provider: string | undefined
  model: string | undefined
  extractionMethod: ExtractionMethod | undefined
  thinking: string | undefined
  /** The provider did not show all of it. */
  isThinkingWithheld?: boolean | undefined
  /** The calls of the turn were released undecided, because the gateway failed. */
  isUngoverned?: boolean | undefined
  /** Analysed by the rules even if a model is configured. */
  isByRules?: boolean | undefined
  output: string | undefined
  actions: readonly string[]
  context: Readonly<Record<string, unknown>>
  taskContext: string | undefined
  traceId: string | undefined
  /** The decisions of the gateway that it is about, in any order. */
  decisionIds: readonly string[]
}

/** A submission with its defaults filled in; an empty text counts as absent. */
export type Submission = Omit<GivenSubmission, 'timestamp' | 'sessionId'> & {
  timestamp: Date
  sessionId: string
  /** False if the session id was derived from the time of receipt. */
  sessionNamed: boolean
  /** The session as it was sent; null if none was. */
  givenSessionId: string | null
  thinkingHash: string
  outputHash: string | null
}

export type ReadSubmission =
  | { ok: true; submission: Submission }
  | { ok: false; field: string; code: string; reason: string }

export function readSubmission(given: GivenSubmission, now: Date): ReadSubmission {
  const thinking = given.thinking === '' ? undefined : given.thinking
  const output = given.output === '' ? undefined : given.output
  if (thinking === undefined && output === undefined) {
    const reason = 'is missing, and so is output; send at least one of them'
    return { ok: false, field: 'thinking', code: 'required', reason }
  }
  if (JSON.stringify(given.context).length > CONTEXT_CHARACTERS_MAX) {
    const reason = 'must be at most 64 KB as JSON'
    return { ok: false, field: 'context', code: 'too_large', reason }
  }
  const timestamp = given.timestamp === undefined ? now : parseInstant(given.timestamp)
  if (timestamp === undefined) {
    return {
      ok: false,
      field: 'timestamp',
      code: 'pattern',
      reason: 'must be an ISO 8601 date and time with an offset',
    }
  }
  const fault = timestampFault(timestamp, now)
  if (fault !== undefined) return { ok: false, field: 'timestamp', ...fault }
  return {
    ok: true,
    submission: {
      agentId: given.agentId,
      checkpointId: given.checkpointId,
      provider: given.provider,
      model: given.model,
      extractionMethod: given.extractionMethod,
      actions: given.actions,
      context: given.context,
      taskContext: given.taskContext,
      traceId: given.traceId,
      // Attested in this order.
      decisionIds: [...given.decisionIds].sort(),
      thinking,
      isThinkingWithheld: given.isThinkingWithheld,
      isUngoverned: given.isUngoverned,
      isByRules: given.isByRules,
      output,
      timestamp,
      sessionId: given.sessionId ?? defaultSessionId(given.agentId, timestamp.getTime()),
      sessionNamed: given.sessionId !== undefined || given.timestamp !== undefined,
      givenSessionId: given.sessionId ?? null,
      thinkingHash: sha256Hex(thinking ?? ''),
      outputHash: output === undefined ? null : sha256Hex(output),
    },
  }
}

function timestampFault(timestamp: Date, now: Date): { code: string; reason: string } | undefined {
  const at = timestamp.getTime()
  if (at > now.getTime() + CLOCK_SKEW_MS_MAX) {
    return { code: 'future', reason: 'must be at most 5 minutes in the future' }
  }
  if (at < now.getTime() - AGE_MS_MAX) {
    return { code: 'past', reason: 'must be at most 90 days in the past' }
  }
  return undefined
}

/** The fields in which two submissions of one id must match to be the same one. */
export type KnownSubmission = {
  checkpointId: string
  agentId: string
  sessionId: string
  thinkingHash: string
  outputHash: string | null
  decisionIds: readonly string[]
}

export function isSameSubmission(submission: Submission, known: KnownSubmission): boolean {
  return (
    submission.agentId === known.agentId &&
    (!submission.sessionNamed || submission.sessionId === known.sessionId) &&
    submission.thinkingHash === known.thinkingHash &&
    submission.outputHash === known.outputHash &&
    submission.decisionIds.join() === known.decisionIds.join()
  )
}
