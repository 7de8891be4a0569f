import type { Bounds } from '../../range/time-range.ts'
import type { AgentStanding } from '../agents/use-standings.ts'

export type AgentChange = 'registered' | 'stopped' | 'updated'

export type ChangedAgent = {
  agent: AgentStanding
  /** Undefined if only its score changed. */
  change: AgentChange | undefined
}

export const CHANGED_MAX = 8

/**
 * The agents that were registered, stopped or updated in the range, newest first, and after them those whose
 * score changed most.
 */
export function changedAgents(
  agents: readonly AgentStanding[],
  { from, to }: Bounds,
): ChangedAgent[] {
  const isIn = (at: string) => Date.parse(at) >= from.getTime() && Date.parse(at) <= to.getTime()
  const changeOf = (agent: AgentStanding): AgentChange | undefined => {
    if (isIn(agent.created_at)) return 'registered'
    if (!isIn(agent.updated_at)) return undefined
    return agent.status === 'paused' || agent.status === 'killed' ? 'stopped' : 'updated'
  }
  // An agent may be among the updated ones and among those whose score changed.
  const distinct = new Map(agents.map((agent) => [agent.agent_id, agent]))
  return [...distinct.values()]
    .map((agent) => ({ agent, change: changeOf(agent) }))
    .filter(({ agent, change }) => change !== undefined || agent.trend_30d !== 0)
    .sort((a, b) => {
      if (a.change !== undefined && b.change !== undefined) {
        return Date.parse(b.agent.updated_at) - Date.parse(a.agent.updated_at)
      }
      if (a.change !== undefined || b.change !== undefined) return a.change !== undefined ? -1 : 1
      return Math.abs(b.agent.trend_30d) - Math.abs(a.agent.trend_30d)
    })
    .slice(0, CHANGED_MAX)
}
