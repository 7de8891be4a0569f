import type { Bounds } from '../../range/time-range.ts'
import type { Agent } from '../agents/queries.ts'

export type AgentChange = 'registered' | 'stopped' | 'updated'

export type ChangedAgent = {
  agent: Agent
  /** Undefined if only its score changed. */
  change: AgentChange | undefined
  /** The change of its score in 30 days. */
  trend: number
}

export const CHANGED_MAX = 8

/**
 * The agents that were registered, stopped or updated in the range, newest first, and after them those whose
 * score changed most.
 */
export function changedAgents(
  agents: readonly Agent[],
  trends: ReadonlyMap<string, number>,
  { from, to }: Bounds,
): ChangedAgent[] {
  const isIn = (at: string) => Date.parse(at) >= from.getTime() && Date.parse(at) <= to.getTime()
  const changeOf = (agent: Agent): AgentChange | undefined => {
    if (isIn(agent.created_at)) return 'registered'
    if (!isIn(agent.updated_at)) return undefined
    return agent.status === 'paused' || agent.status === 'killed' ? 'stopped' : 'updated'
  }
  return agents
    .map((agent) => ({
      agent,
      change: changeOf(agent),
      trend: trends.get(agent.agent_id) ?? 0,
    }))
    .filter(({ change, trend }) => change !== undefined || Math.round(trend) !== 0)
    .sort((a, b) => {
      if (a.change !== undefined && b.change !== undefined) {
        return Date.parse(b.agent.updated_at) - Date.parse(a.agent.updated_at)
      }
      if (a.change !== undefined || b.change !== undefined) return a.change !== undefined ? -1 : 1
      return Math.abs(b.trend) - Math.abs(a.trend)
    })
    .slice(0, CHANGED_MAX)
}
