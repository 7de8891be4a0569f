import { hasEnoughEvidence } from '@touchstone/protocol/analysis'

/**
 * Gathers the calls of a session into checkpoints, because a single call has too few words to be
 * judged (spec: provenance §2). Pure: the time and the ids arrive with the events.
 */

/** How long the first call of a checkpoint waits for others (spec: provenance §2). */
export const GATHER_MS_MAX = 60_000
/** A checkpoint names at most this many decisions (spec: provenance §1). */
const DECISIONS_MAX = 50

/** A call as part of the checkpoint of its session. */
export type GatheredCall = {
  traceId: string
  tool: string
  /** The card action it performs, or the tool's name. */
  action: string
  /** The call itself, as a line of the checkpoint's output. */
  line: string
  /** The agent's own words about it, if the client has them. */
  thinking: readonly string[]
  /** The decisions of the gateway about it. */
  decisionIds: readonly string[]
  /** True for refused and escalated calls: somebody may be waiting to see them. */
  isUrgent: boolean
  at: Date
}

/** A checkpoint in the making. */
export type Gathering = {
  checkpointId: string
  sessionId: string
  startedAtMs: number
  calls: readonly GatheredCall[]
  newest: GatheredCall
}

export type GatherEvent =
  | {
      type: 'call'
      call: GatheredCall
      sessionId: string
      /** The id of the checkpoint that the call begins, unless it joins one. */
      newCheckpointId: string
      nowMs: number
    }
  | { type: 'time'; nowMs: number }
  | { type: 'session_end' }

export type Gathered = {
  /** Undefined if no call is held back. */
  open: Gathering | undefined
  /** To be sent, in this order. */
  complete: readonly Gathering[]
}

/** One step of a session: what is held back afterwards, and what is complete. */
export function gather(open: Gathering | undefined, event: GatherEvent): Gathered {
  if (event.type === 'call') return gatherCall(open, event)
  if (open === undefined) return { open, complete: [] }
  const isOver = event.type === 'session_end' || isOld(open, event.nowMs)
  return isOver ? { open: undefined, complete: [open] } : { open, complete: [] }
}

type CallEvent = GatherEvent & { type: 'call' }

function gatherCall(open: Gathering | undefined, event: CallEvent): Gathered {
  if (open !== undefined && hasTooManyDecisions([...open.calls, event.call])) {
    const next = gatherCall(undefined, event)
    return { open: next.open, complete: [open, ...next.complete] }
  }
  const { call, sessionId, newCheckpointId, nowMs } = event
  const joined: Gathering =
    open === undefined
      ? {
          checkpointId: newCheckpointId,
          sessionId,
          startedAtMs: nowMs,
          calls: [call],
          newest: call,
        }
      : { ...open, calls: [...open.calls, call], newest: call }
  const isComplete = call.isUrgent || isOld(joined, nowMs) || hasEnoughEvidence(textsOf(joined))
  return isComplete ? { open: undefined, complete: [joined] } : { open: joined, complete: [] }
}

function isOld({ startedAtMs }: Gathering, nowMs: number): boolean {
  return nowMs - startedAtMs >= GATHER_MS_MAX
}

function hasTooManyDecisions(calls: readonly GatheredCall[]): boolean {
  return decisionsOf({ calls }).length > DECISIONS_MAX
}

export function decisionsOf({ calls }: Pick<Gathering, 'calls'>): string[] {
  return [...new Set(calls.flatMap(({ decisionIds }) => decisionIds))]
}

/**
 * The texts of the checkpoint. Several calls of one answer come with the same words, which are
 * included once: the service reads a repeated sentence as corrupted reasoning.
 */
export function textsOf({ calls }: Pick<Gathering, 'calls'>): {
  thinking?: string
  output: string
} {
  const thinking = [...new Set(calls.flatMap((call) => call.thinking))].join('\n')
  const output = calls.map(({ line }) => line).join('\n')
  return thinking === '' ? { output } : { thinking, output }
}
