import { createComplianceFeature } from '../areas/control/compliance/feature.ts'
import { createReclassificationFeature } from '../areas/control/reclassification/feature.ts'
import { createTrustEdgeFeature } from '../areas/control/trust-edges/feature.ts'
import type { createEvidence } from './evidence.ts'
import type { Kernel } from './kernel.ts'
import type { createPlatform } from './platform.ts'
import type { createReputation } from './reputation.ts'

type Evidence = ReturnType<typeof createEvidence>
type Platform = ReturnType<typeof createPlatform>
type Reputation = ReturnType<typeof createReputation>

/** How a judgement on an agent is corrected, and whom the correction reaches. */
export function createAppeal(
  kernel: Kernel,
  platform: Platform,
  evidence: Evidence,
  reputation: Reputation,
) {
  const { db, clock, log } = kernel
  const audit = platform.audit.service
  const { lockForCard: lockOpen, describe } = evidence.agents.service
  const trustEdges = createTrustEdgeFeature({ db, clock, audit, agents: { lockOpen, describe } })
  const reclassification = createReclassificationFeature({
    db,
    clock,
    audit,
    agents: { lockOpen },
    cards: evidence.cards.service,
    checkpoints: evidence.checkpoints.service,
    certificates: evidence.attestation.service,
    traces: evidence.traces.service,
    scores: reputation.scores.service,
  })
  const compliance = createComplianceFeature({
    clock,
    records: reclassification.service,
    shapes: reclassification.shapes,
    scores: reputation.scores.service,
    auditor: evidence.auditor.service,
    onBroken: (err) => log.error({ err }, 'a compliance export broke off'),
  })
  return { compliance, reclassification, trustEdges }
}
