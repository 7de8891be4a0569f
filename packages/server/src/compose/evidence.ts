import { createAgentFeature } from '../areas/evidence/agents/feature.ts'
import { createAttestationFeature } from '../areas/evidence/attestation/feature.ts'
import { createCardFeature } from '../areas/evidence/cards/feature.ts'
import { createTraceFeature } from '../areas/evidence/traces/feature.ts'
import type { createPlanFeature } from '../areas/platform/plans/feature.ts'
import type { Audit } from '../kernel/audit.ts'
import type { Kernel } from './kernel.ts'

type Agents = ReturnType<typeof createAgentFeature>
type Plans = ReturnType<typeof createPlanFeature>
type Platform = { audit: { service: Audit }; plans: Plans }

/** What agents are and did. */
export function createEvidence(kernel: Kernel, platform: Platform) {
  const { config, db, clock, events, notices, secrets } = kernel
  const common = { db, clock, audit: platform.audit.service }
  const cards = createCardFeature({
    ...common,
    agents: {
      lockForCard: (tx, agentId) => agents.service.lockForCard(tx, agentId),
      setCard: (tx, agentId, card) => agents.service.setCard(tx, agentId, card),
      get: (agentId, orgIds) => agents.service.get(agentId, orgIds),
    },
  })
  const agents: Agents = createAgentFeature({
    ...common,
    cards: cards.service,
    evidence: [{ erase: (tx, agentId) => traces.service.erase(tx, agentId) }],
  })
  const traces = createTraceFeature({
    db,
    clock,
    events,
    agents: agents.service,
    cards: cards.service,
    // No feature keeps checkpoints yet, so none is ever found.
    checkpoints: { findVerdict: async () => undefined, linkTrace: async () => undefined },
    meters: platform.plans.service,
    plans: { traceRetentionDays: (orgId) => traceRetentionDays(platform.plans, orgId) },
  })
  const attestation = createAttestationFeature({
    ...common,
    notices,
    secrets,
    seed: config.attestationSeed,
  })
  return { agents, attestation, cards, traces }
}

async function traceRetentionDays(plans: Plans, orgId: string): Promise<number | null> {
  const { planId } = await plans.service.entitlements(orgId)
  const plan = plans.service.list().find((candidate) => candidate.planId === planId)
  if (plan === undefined) throw new Error(`there is no plan ${planId}`)
  return plan.traceRetentionDays
}
