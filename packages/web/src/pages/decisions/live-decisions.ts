import type { LiveEvent } from '../../session/event-buffer.ts'
import type { Decision } from './queries.ts'
import { DECISIONS, type DecisionSearch, type DecisionWord } from './search.ts'

/** A line of the list. The stream does not have all of its fields. */
export type DecisionRow = {
  decision_id: string
  agent_id: string
  session_id: string | null
  tool: string
  decision: DecisionWord
  escalation_id: string | null
  decided_at: string
  /** Undefined if the stream does not say. */
  source: string | undefined
  enforced: boolean | undefined
  /** The one that decided. */
  reason: string | undefined
  outcome: Decision['outcome'] | undefined
  isLive: boolean
}

export function toRow(decision: Decision): DecisionRow {
  return {
    decision_id: decision.decision_id,
    agent_id: decision.agent_id,
    session_id: decision.session_id,
    tool: decision.tool,
    decision: decision.decision,
    escalation_id: decision.escalation_id,
    decided_at: decision.decided_at,
    source: decision.source,
    enforced: decision.enforced,
    reason: decision.reasons[0]?.message,
    outcome: decision.outcome,
    isLive: false,
  }
}

/** The stream carries too little for the other filters, and a later page has no newer decisions. */
export function canFollow(search: DecisionSearch): boolean {
  const { cursor, policy_id, call_id, outcome, from, to } = search
  return [cursor, policy_id, call_id, outcome, from, to].every((value) => value === undefined)
}

/** Prepends the streamed decisions that match the filters and that the list does not have yet. */
export function mergeLive(
  listed: readonly DecisionRow[],
  events: readonly LiveEvent[],
  search: DecisionSearch,
): DecisionRow[] {
  const known = new Set(listed.map((row) => row.decision_id))
  const newest = listed[0]?.decided_at ?? ''
  const streamed = events
    .flatMap((event) => rowOf(event) ?? [])
    .filter((row) => row.decided_at >= newest && !known.has(row.decision_id))
    .filter((row) => matches(row, search))
  return [...streamed, ...listed]
}

function rowOf({ type, data, at }: LiveEvent): DecisionRow | undefined {
  const decision = DECISIONS.find((word) => word === data['decision'])
  const decisionId = textIn(data, 'decision_id')
  if (type !== 'gateway.decision' || decision === undefined || decisionId === undefined) {
    return undefined
  }
  return {
    decision_id: decisionId,
    agent_id: textIn(data, 'agent_id') ?? '',
    session_id: textIn(data, 'session_id') ?? null,
    tool: textIn(data, 'tool') ?? '',
    decision,
    escalation_id: textIn(data, 'escalation_id') ?? null,
    decided_at: at,
    source: textIn(data, 'source'),
    enforced: typeof data['enforced'] === 'boolean' ? data['enforced'] : undefined,
    reason: firstReasonIn(data),
    outcome: undefined,
    isLive: true,
  }
}

function textIn(data: LiveEvent['data'], name: string): string | undefined {
  const value = data[name]
  return typeof value === 'string' ? value : undefined
}

/** The stream has the first reason only, which stands in until the list is fetched again. */
function firstReasonIn({ reasons }: LiveEvent['data']): string | undefined {
  const first: unknown = Array.isArray(reasons) ? reasons[0] : undefined
  if (typeof first !== 'object' || first === null || !('message' in first)) return undefined
  return typeof first.message === 'string' ? first.message : undefined
}

function matches(row: DecisionRow, search: DecisionSearch): boolean {
  const { agent_id: agentId, session_id: sessionId, escalation_id: escalationId } = search
  return (
    (agentId === undefined || row.agent_id === agentId) &&
    (sessionId === undefined || row.session_id === sessionId) &&
    (escalationId === undefined || row.escalation_id === escalationId) &&
    (search.source === undefined || row.source === search.source) &&
    (search.decision === undefined || search.decision.includes(row.decision)) &&
    (search.tool === undefined || matchesTool(row.tool, search.tool))
  )
}

function matchesTool(tool: string, wanted: string): boolean {
  return wanted.endsWith('*') ? tool.startsWith(wanted.slice(0, -1)) : tool === wanted
}
