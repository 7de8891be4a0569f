import { createAgentFeature } from '../areas/evidence/agents/feature.ts'
import { createCardFeature } from '../areas/evidence/cards/feature.ts'
import type { Audit } from '../kernel/audit.ts'
import type { Kernel } from './kernel.ts'

type Agents = ReturnType<typeof createAgentFeature>

/** What agents are and did. */
export function createEvidence(kernel: Kernel, audit: Audit) {
  const { db, clock } = kernel
  const common = { db, clock, audit }
  const cards = createCardFeature({
    ...common,
    agents: {
      lockForCard: (tx, agentId) => agents.service.lockForCard(tx, agentId),
      setCard: (tx, agentId, card) => agents.service.setCard(tx, agentId, card),
      get: (agentId, orgIds) => agents.service.get(agentId, orgIds),
    },
  })
  const agents: Agents = createAgentFeature({ ...common, cards: cards.service })
  return { agents, cards }
}
