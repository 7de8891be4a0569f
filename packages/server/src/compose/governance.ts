import { createPolicyFeature } from '../areas/governance/policy/feature.ts'
import type { createEvidence } from './evidence.ts'
import type { Kernel } from './kernel.ts'
import type { createPlatform } from './platform.ts'

type Evidence = ReturnType<typeof createEvidence>
type Platform = ReturnType<typeof createPlatform>

/** What agents may do. */
export function createGovernance(kernel: Kernel, platform: Platform, evidence: Evidence) {
  const { db, clock, notices } = kernel
  const agents = evidence.agents.service
  const cards = evidence.cards.service
  const policies = createPolicyFeature({
    ...{ db, clock, notices },
    audit: platform.audit.service,
    agents: {
      assertOpen: async (tx, agentId) => void (await agents.lockForCard(tx, agentId)),
    },
    cards: {
      async find(agentId) {
        const agent = await agents.find(agentId)
        return agent && cards.forAnalysis(agentId, agent.cardVersion)
      },
    },
  })
  return { policies }
}
