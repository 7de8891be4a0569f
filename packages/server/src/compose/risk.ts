import { createRiskFeature } from '../areas/risk/assessments/feature.ts'
import type { LinkedTeam } from '../areas/risk/assessments/ports.ts'
import { unavailable } from '../http/error-map.ts'
import { SECOND_MS } from '../kernel/clock.ts'
import { WorkerError } from '../workers/worker-pool.ts'
import type { createEvidence } from './evidence.ts'
import type { createFleet } from './fleet.ts'
import type { Kernel } from './kernel.ts'
import type { createPlatform } from './platform.ts'
import type { createReputation } from './reputation.ts'

type Evidence = ReturnType<typeof createEvidence>
type Fleet = ReturnType<typeof createFleet>
type Platform = ReturnType<typeof createPlatform>
type Reputation = ReturnType<typeof createReputation>

/** Ten times what the largest team takes on a slow machine. */
const TEAM_TIMEOUT_MS = 20 * SECOND_MS

/** What it would be to let agents do something. */
export function createRisk(
  kernel: Kernel,
  platform: Platform,
  evidence: Evidence,
  others: { reputation: Reputation; fleet: Fleet },
) {
  const { db, clock, workers } = kernel
  const { reputation, fleet } = others
  const findTeam = async (orgId: string, teamId: string): Promise<LinkedTeam | undefined> => {
    const roster = await fleet.teams.service.findRoster(db, orgId, teamId)
    const card = roster && (await fleet.teamCards.service.activeCard(db, teamId))
    return roster && { ...roster, card: card ?? null }
  }
  const { standings, orgsOf, describe } = evidence.agents.service
  return createRiskFeature({
    ...{ db, clock },
    agents: {
      standings,
      orgsOf,
      keep: async (tx, agentIds) => (await describe(tx, agentIds)).map(({ agentId }) => agentId),
    },
    cards: evidence.cards.service,
    checkpoints: evidence.checkpoints.service,
    scores: reputation.scores.service,
    meters: platform.plans.service,
    teams: {
      find: ({ orgId, teamId }) => findTeam(orgId, teamId),
      async findByRoster({ orgId, agentIds }) {
        const teamId = await fleet.teams.service.findByRoster(db, orgId, agentIds)
        return teamId === undefined ? undefined : findTeam(orgId, teamId)
      },
    },
    followers: () => [
      { pairsScored: fleet.coherence.service.record },
      { assessed: async (tx, given) => void (await fleet.teamReputation.service.count(tx, given)) },
    ],
    workers: {
      reportTeam: (given) =>
        workers
          .run('reportTeam', given, { timeoutMs: TEAM_TIMEOUT_MS })
          .catch((err: unknown) => Promise.reject(isOverload(err) ? unavailable(err) : err)),
    },
  })
}

/** Whoever tries again in a while may have more luck; after a crash that is not to be hoped. */
function isOverload(err: unknown): boolean {
  return err instanceof WorkerError && err.kind !== 'crashed'
}
