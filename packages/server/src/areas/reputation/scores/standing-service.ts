import {
  CHECKPOINTS_MIN,
  type ComponentScores,
  componentScores,
  compositeScore,
} from '@touchstone/protocol/score'
import type { Db } from '../../../kernel/db.ts'
import { type ComputeDeps, readEvidence } from './compute-service.ts'
import { createScoreStore } from './store.ts'

/** The score and components of an agent, published or not. */
export type AgentStanding = { score: number | null; components: ComponentScores }

/** Lets other features use scores of agents that may not be rated yet. */
export function createStandingService(
  deps: Pick<ComputeDeps, 'db' | 'checkpoints' | 'coherence' | 'traces'>,
) {
  return {
    /**
     * By agent: the published score or, if there is none, the result of the formula now. Agents
     * without an analysed checkpoint are left out.
     */
    async currentScores(
      agentIds: readonly string[],
      now: Date,
    ): Promise<Map<string, AgentStanding>> {
      const found = await createScoreStore(deps.db).listPublished(agentIds)
      const missing = agentIds.filter((agentId) => !found.has(agentId))
      if (missing.length === 0) return found
      for (const [agentId, standing] of await computeNow(deps, deps.db, missing, now)) {
        found.set(agentId, standing)
      }
      return found
    },
  }
}

async function computeNow(
  deps: Pick<ComputeDeps, 'checkpoints' | 'coherence' | 'traces'>,
  db: Db,
  agentIds: readonly string[],
  now: Date,
): Promise<[string, AgentStanding][]> {
  const evidence = await readEvidence(deps, db, agentIds, now)
  return evidence.map(({ facts, input }) => {
    const components = componentScores(input)
    const isRated = input.checkpoints.scored >= CHECKPOINTS_MIN
    return [facts.agentId, { score: isRated ? compositeScore(components) : null, components }]
  })
}
