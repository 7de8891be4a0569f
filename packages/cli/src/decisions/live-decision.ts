import type { StreamEvent } from '@touchstone/sdk'
import type { Paint } from '../paint.ts'
import { printable } from '../table.ts'
import type { DecisionQuery } from './decision-filter.ts'
import { type Decision, paintDecision } from './decision-text.ts'

/** The facts about a decision that the live stream carries. */
export type LiveDecision = {
  time: string
  decision_id: string
  agent_id: string
  session_id: string | null
  tool: string
  decision: string
  source: string | null
  /** The message of the first reason. */
  reason: string | null
  escalation_id: string | null
}

/** Undefined for an event about something else. */
export function fromEvent({ type, data }: StreamEvent): LiveDecision | undefined {
  const { time, decision_id, agent_id, tool, decision, reasons } = data
  if (type !== 'gateway.decision' || typeof decision_id !== 'string') return undefined
  const [first]: unknown[] = Array.isArray(reasons) ? reasons : []
  return {
    time: String(time),
    decision_id,
    agent_id: String(agent_id),
    session_id: textOrNull(data['session_id']),
    tool: String(tool),
    decision: String(decision),
    source: textOrNull(data['source']),
    reason: textOrNull(Object(first).message),
    escalation_id: textOrNull(data['escalation_id']),
  }
}

export function fromRecord(one: Decision): LiveDecision {
  return {
    time: one.decided_at,
    decision_id: one.decision_id,
    agent_id: one.agent_id,
    session_id: one.session_id,
    tool: one.tool,
    decision: one.decision,
    source: one.source,
    reason: one.reasons[0]?.message ?? null,
    escalation_id: one.escalation_id,
  }
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** Applies the filters of the list to a decision of the stream, which is not filtered. */
export function matches(
  one: LiveDecision,
  { agent_id, session_id, tool, decision }: DecisionQuery,
): boolean {
  return (
    (agent_id ?? one.agent_id) === one.agent_id &&
    (session_id ?? one.session_id) === one.session_id &&
    (tool === undefined || isTool(one.tool, tool)) &&
    (decision === undefined || decision.some((wanted) => wanted === one.decision))
  )
}

function isTool(name: string, wanted: string): boolean {
  return wanted.endsWith('*') ? name.startsWith(wanted.slice(0, -1)) : name === wanted
}

export function liveLine(one: LiveDecision, paint: Paint): string {
  const parts = [
    one.time,
    paintDecision(one.decision, paint),
    printable(one.agent_id),
    printable(one.tool),
    one.decision_id,
  ]
  return [...parts, ...(one.reason === null ? [] : [printable(one.reason)])].join('  ')
}
