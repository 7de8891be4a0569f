import { CHECKPOINTS_MIN } from '@touchstone/protocol/score'
import { Problem } from '../../../kernel/problem.ts'
import type { PublishedScore } from './bundle-lines.ts'
import type { Agents, Scores } from './ports.ts'

/** A score to check, of an agent that the caller may see. */
export type Rated = { published: RatedScore; own: boolean; isPrivate: boolean }

export type RatedScore = PublishedScore & { score: number }

export async function getRated(
  deps: { agents: Agents; scores: Scores },
  agentId: string,
  orgIds: readonly string[],
): Promise<Rated> {
  const { agent, own } = await deps.agents.getShown(agentId, orgIds)
  const published = await deps.scores.published(agentId)
  const score = published?.score ?? null
  if (published === undefined || score === null) {
    throw new Problem(
      'ineligible_agent',
      `The agent has no score yet: it needs ${CHECKPOINTS_MIN} analysed checkpoints.`,
    )
  }
  return { published: { ...published, score }, own, isPrivate: agent.visibility === 'private' }
}
