import { createTemplateFeature } from '../areas/control/card-templates/feature.ts'
import { createComplianceFeature } from '../areas/control/compliance/feature.ts'
import { createConscienceFeature } from '../areas/control/conscience-values/feature.ts'
import { createContainmentFeature } from '../areas/control/containment/feature.ts'
import { createEnforcementFeature } from '../areas/control/enforcement/feature.ts'
import { createReclassificationFeature } from '../areas/control/reclassification/feature.ts'
import { createTrustEdgeFeature } from '../areas/control/trust-edges/feature.ts'
import type { Db } from '../kernel/db.ts'
import { cardsInForce, type createEvidence } from './evidence.ts'
import type { Kernel } from './kernel.ts'
import type { createPlatform } from './platform.ts'
import type { createReputation } from './reputation.ts'

type Built = {
  platform: ReturnType<typeof createPlatform>
  evidence: ReturnType<typeof createEvidence>
  reputation: ReturnType<typeof createReputation>
}

/** Features of other areas, which are built later. */
type Later = { policies: Parameters<typeof createTemplateFeature>[0]['policies'] }

/** Containment, enforcement, templates, and the correction of verdicts about agents. */
export function createControl(kernel: Kernel, built: Built, later: () => Later) {
  const { platform, evidence, reputation } = built
  const { db, clock, events, lifecycle, log, notices } = kernel
  const audit = platform.audit.service
  const agents = evidence.agents.service
  const { lockForCard: lockOpen, describe } = agents
  const checkpoints = evidence.ledger.service
  const trustEdges = createTrustEdgeFeature(
    { db, clock, audit, agents: { lockOpen, describe } },
    lifecycle,
  )
  const reclassification = createReclassificationFeature(
    {
      db,
      clock,
      audit,
      agents: { lockOpen },
      cards: evidence.cards.service,
      checkpoints,
      certificates: evidence.attestation.service,
      traces: evidence.traces.service,
      scores: reputation.scores.service,
      log: kernel.logQueue,
    },
    lifecycle,
  )
  const compliance = createComplianceFeature(
    {
      clock,
      records: reclassification.service,
      shapes: reclassification.shapes,
      scores: reputation.scores.service,
      auditor: evidence.auditor.service,
      onBroken: (err) => log.error({ err }, 'a compliance export was aborted'),
    },
    lifecycle,
  )
  const templates = createTemplateFeature(
    {
      db,
      clock,
      notices,
      audit,
      agents: {
        assertOpen: async (tx: Db, agentId: string) => void (await lockOpen(tx, agentId)),
      },
      policies: {
        invalidateLayer: (tx, part) => later().policies.invalidateLayer(tx, part),
        evictLayer: (part) => later().policies.evictLayer(part),
      },
    },
    lifecycle,
  )
  const findCard = cardsInForce(evidence)
  const cards = { findValues: async (agentId: string) => (await findCard(agentId))?.values }
  const conscience = createConscienceFeature(
    { db, clock, events, notices, audit, cards },
    lifecycle,
  )
  const containment = createContainmentFeature(
    { db, clock, events, notices, agents, audit, checkpoints, log: kernel.logQueue },
    lifecycle,
  )
  const enforcement = createEnforcementFeature({ db, clock, notices, checkpoints }, lifecycle)
  return {
    compliance,
    conscience,
    containment,
    enforcement,
    reclassification,
    templates,
    trustEdges,
  }
}
