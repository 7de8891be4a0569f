import { type CallRecord, checkpointOf, gatheredCallOf, traceOf } from '../guard/evidence.ts'
import { sanitise, TEXT_MAX } from '../guard/evidence-text.ts'
import { type Gathering, gather } from '../guard/gathering.ts'

/** A call of a session that no checkpoint contains yet, as a hook noted it. */
export type NotedCall = {
  trace_id: string
  tool: string
  arguments: Readonly<Record<string, unknown>> | undefined
  decision: 'allow' | 'warn' | 'escalate' | 'block'
  decision_id: string
  escalation_id: string | null
  reasons: readonly { code: string; message: string }[]
  outcome: 'executed' | 'failed' | undefined
  /** When the hook asked, in milliseconds. */
  at: number
}

export type SessionEvidence = {
  traces: NonNullable<ReturnType<typeof traceOf>>[]
  checkpoints: NonNullable<ReturnType<typeof checkpointOf>>[]
}

/**
 * The evidence of a session that is to be sent now (spec: provenance §2). A hook has no process of its
 * own, so what is not enough yet waits for the next event: nothing is returned then.
 */
export function sessionEvidence(session: {
  /** Undefined for a key that is bound to an agent. */
  agentId: string | undefined
  sessionId: string
  calls: readonly NotedCall[]
  /** The model's words since the last checkpoint. */
  thinking: readonly string[]
  isOver: boolean
  nowMs: number
}): SessionEvidence | undefined {
  const { agentId, sessionId, calls, thinking, isOver, nowMs } = session
  const records = calls.map((call) => recordOf(call, agentId, sessionId))
  const said = thinking.map((text) => sanitise(text, TEXT_MAX))
  const complete: Gathering[] = []
  let open: Gathering | undefined
  for (const [index, record] of records.entries()) {
    const own = gatheredCallOf(record)
    // The reasoning led to all of the calls; with the last one, it completes their checkpoint.
    const isLast = index === records.length - 1
    const call = isLast ? { ...own, thinking: [...said, ...own.thinking] } : own
    // Fixed, so that sending it again after a lost answer stores nothing twice.
    const newId = `ic-${record.traceId.slice('tr-'.length)}`
    const startedMs = open?.startedAtMs ?? record.at.getTime()
    const step = gather(open, {
      type: 'call',
      call,
      sessionId,
      newCheckpointId: newId,
      nowMs: startedMs,
    })
    complete.push(...step.complete)
    open = step.open
  }
  const last = gather(open, isOver ? { type: 'session_end' } : { type: 'time', nowMs })
  complete.push(...last.complete)
  // Notes are removed together, so all calls are sent as soon as some of them are enough.
  if (complete.length === 0) return undefined
  if (last.open !== undefined) complete.push(last.open)
  const checkpointIds = new Map(
    complete.flatMap(({ checkpointId, calls: own }) =>
      own.map(({ traceId }) => [traceId, checkpointId] as const),
    ),
  )
  return {
    traces: records.map((record) => traceOf(record, checkpointIds.get(record.traceId) ?? '')),
    checkpoints: complete.flatMap((gathering) => checkpointOf(agentId, gathering) ?? []),
  }
}

function recordOf(call: NotedCall, agentId: string | undefined, sessionId: string): CallRecord {
  const isAllowed = call.decision === 'allow' || call.decision === 'warn'
  const outcomes = { executed: 'succeeded', failed: 'failed' } as const
  return {
    agentId,
    traceId: call.trace_id,
    call: { tool: call.tool, arguments: call.arguments, sessionId },
    verdict: {
      decision: call.decision,
      source: 'service',
      reasons: call.reasons,
      decisionId: call.decision_id,
      escalationId: call.escalation_id,
      notices: [],
    },
    replacedIds: [],
    outcome:
      call.outcome === undefined ? (isAllowed ? 'succeeded' : 'refused') : outcomes[call.outcome],
    values: [],
    recordArguments: false,
    at: new Date(call.at),
  }
}
