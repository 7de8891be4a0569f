import { createTemplateFeature } from '../areas/control/card-templates/feature.ts'
import { createConscienceFeature } from '../areas/control/conscience-values/feature.ts'
import { createContainmentFeature } from '../areas/control/containment/feature.ts'
import { createEnforcementFeature } from '../areas/control/enforcement/feature.ts'
import { createEvaluationFeature } from '../areas/governance/evaluations/feature.ts'
import { createGatewayFeature } from '../areas/governance/gateway/feature.ts'
import type { Audience } from '../areas/governance/gateway/ports.ts'
import { createImpactFeature } from '../areas/governance/impact/feature.ts'
import { createPolicyFeature } from '../areas/governance/policy/feature.ts'
import { createTransactionFeature } from '../areas/governance/transactions/feature.ts'
import type { Db } from '../kernel/db.ts'
import type { createEvidence } from './evidence.ts'
import type { Kernel } from './kernel.ts'
import type { createPlatform } from './platform.ts'

type Evidence = ReturnType<typeof createEvidence>
type Platform = ReturnType<typeof createPlatform>

/** The teams of agents, whose rules bind them too. */
type Teams = {
  lockActive(tx: Db, teamId: string): Promise<unknown>
  activeTeamsOf(db: Db, agentId: string): Promise<readonly string[]>
}

/** 02 §2.2: what takes longer has failed. */
const EVALUATION_MS_MAX = 250

/** What agents may do. */
export function createGovernance(
  kernel: Kernel,
  platform: Platform,
  evidence: Evidence,
  teams: () => Teams,
  given: { audience: Audience; evaluationMsMax: number | undefined },
) {
  const { db, clock, events, log, metrics, notices, schedules, spans } = kernel
  const { audience, evaluationMsMax: callMsMax = EVALUATION_MS_MAX } = given
  const elapsedMs = () => performance.now()
  const agents = evidence.agents.service
  const cards = evidence.cards.service
  const open = {
    assertOpen: async (tx: Db, agentId: string) => void (await agents.lockForCard(tx, agentId)),
  }
  const findHeld = async (agentId: string) => {
    const agent = await agents.find(agentId)
    if (agent === undefined) return undefined
    const { orgId, cardVersion: version } = agent
    return cards.forAnalysis({ orgId, agentId, version })
  }
  const policies = createPolicyFeature({
    db,
    clock,
    notices,
    audit: platform.audit.service,
    agents: open,
    teams: {
      assertActive: async (tx, teamId) => void (await teams().lockActive(tx, teamId)),
    },
    cards: { find: findHeld },
  })
  const templates = createTemplateFeature({
    db,
    clock,
    notices,
    audit: platform.audit.service,
    agents: open,
    policies: policies.service,
  })
  const conscience = createConscienceFeature({
    db,
    clock,
    events,
    notices,
    audit: platform.audit.service,
    cards: { findValues: async (agentId) => (await findHeld(agentId))?.values },
  })
  const containment = createContainmentFeature({
    db,
    clock,
    events,
    notices,
    agents,
    audit: platform.audit.service,
    checkpoints: evidence.checkpoints.service,
  })
  const enforcement = createEnforcementFeature({
    db,
    clock,
    notices,
    checkpoints: evidence.checkpoints.service,
  })
  const transactions = createTransactionFeature({
    db,
    clock,
    notices,
    schedules,
    audit: platform.audit.service,
    agents,
    containment: containment.service,
    policies: policies.service,
    teams: {
      async layersOf(db, { agentId }) {
        const teamIds = await teams().activeTeamsOf(db, agentId)
        const laidDown = await policies.service.teamPolicies(db, teamIds)
        return teamIds.map((teamId) => ({ teamId, policy: laidDown.get(teamId) }))
      },
    },
  })
  const evaluations = createEvaluationFeature({
    db,
    clock,
    events,
    notices,
    spans,
    elapsedMs,
    callMsMax,
    agents,
    orgs: {
      accountOf: async (tx, orgId) => (await platform.orgs.service.find(tx, orgId))?.accountId,
    },
    policies: policies.service,
    traces: evidence.traces.service,
    transactions: transactions.service,
    onEvaluated: ({ context, evaluation }) => metrics.policyEvaluated(evaluation.verdict, context),
    onEvaluationFailed(err) {
      metrics.policyFailures.inc({ kind: 'evaluation' })
      log.error({ err }, 'a policy could not be evaluated')
    },
    onRecordingFailed(err, count) {
      metrics.policyFailures.inc({ kind: 'recording' }, count)
      log.error({ err, count }, 'evaluations could not be recorded')
    },
  })
  const gateway = createGatewayFeature({
    db,
    clock,
    events,
    audience,
    audit: platform.audit.service,
    agents,
    evaluations: evaluations.service,
    transactions: transactions.service,
    containment: containment.service,
    holds: enforcement.service,
    signer: evidence.attestation.service.signer,
    elapsedMs,
  })
  const impact = createImpactFeature({
    clock,
    elapsedMs,
    callMsMax,
    agents,
    policies: policies.service,
    traces: evidence.traces.service,
  })
  const control = { containment, enforcement }
  return { conscience, evaluations, gateway, impact, policies, templates, transactions, ...control }
}
