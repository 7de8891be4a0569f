import { createRiskFeature } from '../areas/risk/assessments/feature.ts'
import type { TeamFollower, Teams } from '../areas/risk/assessments/ports.ts'
import { unavailable } from '../http/error-map.ts'
import { SECOND_MS } from '../kernel/clock.ts'
import { WorkerError } from '../workers/worker-pool.ts'
import type { createEvidence } from './evidence.ts'
import type { Kernel } from './kernel.ts'
import type { createPlatform } from './platform.ts'
import type { createReputation } from './reputation.ts'

type Evidence = ReturnType<typeof createEvidence>
type Platform = ReturnType<typeof createPlatform>
type Reputation = ReturnType<typeof createReputation>

/** Ten times what the largest team takes on a slow machine. */
const TEAM_TIMEOUT_MS = 20 * SECOND_MS

/** Whom assessments of teams are linked to, and who takes part when one is stored. */
type Linked = { teams: Teams; followers: readonly TeamFollower[] }

/** What it would be to let agents do something. */
export function createRisk(
  kernel: Kernel,
  platform: Platform,
  evidence: Evidence,
  reputation: Reputation,
  linked: () => Linked,
) {
  const { db, clock, workers } = kernel
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
      find: (team) => linked().teams.find(team),
      findByRoster: (roster) => linked().teams.findByRoster(roster),
    },
    followers: () => linked().followers,
    workers: {
      teamRisk: (input) =>
        workers
          .run('teamRisk', input, { timeoutMs: TEAM_TIMEOUT_MS })
          .catch((err: unknown) => Promise.reject(isOverload(err) ? unavailable(err) : err)),
    },
  })
}

/** Whoever tries again in a while may have more luck; after a crash that is not to be hoped. */
function isOverload(err: unknown): boolean {
  return err instanceof WorkerError && err.kind !== 'crashed'
}
