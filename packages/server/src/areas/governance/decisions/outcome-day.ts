import type { Decision } from '@touchstone/protocol/policy'
import { utcDay } from '@touchstone/protocol/score'

/** The decisions of one agent and UTC day that allowed a call, or those of them with an outcome. */
export type OutcomeDay = {
  agentId: string
  /** The number of the day since 1970-01-01. */
  day: number
  count: number
}

type Counted = { agentId: string; decision: Decision; at: Date; count: number }

/** Leaves out decisions that did not allow the call, whose outcome says nothing of the agent. */
export function outcomeDays(counted: readonly Counted[]): OutcomeDay[] {
  const days = new Map<string, OutcomeDay>()
  for (const { agentId, decision, at, count } of counted) {
    if (decision !== 'allow' && decision !== 'warn') continue
    const day = utcDay(at.getTime())
    const key = `${day} ${agentId}`
    days.set(key, { agentId, day, count: (days.get(key)?.count ?? 0) + count })
  }
  return [...days.values()]
}
