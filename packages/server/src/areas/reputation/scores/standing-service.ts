import {
  CHECKPOINTS_MIN,
  type ComponentScores,
  componentScores,
  compositeScore,
} from '@touchstone/protocol/score'
import type { Db } from '../../../kernel/db.ts'
import { type ComputeDeps, readEvidence } from './compute-service.ts'
import { createScoreStore } from './store.ts'

/** Where an agent stands, published or not. */
export type AgentStanding = { score: number | null; components: ComponentScores }

/** For those who must judge agents that may not be rated yet. */
export function createStandingService(
  deps: Pick<ComputeDeps, 'db' | 'checkpoints' | 'coherence' | 'traces'>,
) {
  return {
    /**
     * By agent: as it was published or, where nothing is, as the formula would have it now. Agents
     * without a single analysed checkpoint are left out.
     */
    async standings(agentIds: readonly string[], now: Date): Promise<Map<string, AgentStanding>> {
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
