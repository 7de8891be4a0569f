import { createEvaluationFeature } from '../areas/governance/evaluations/feature.ts'
import { createGatewayFeature } from '../areas/governance/gateway/feature.ts'
import { createImpactFeature } from '../areas/governance/impact/feature.ts'
import { createPolicyFeature } from '../areas/governance/policy/feature.ts'
import { createTransactionFeature } from '../areas/governance/transactions/feature.ts'
import type { Db } from '../kernel/db.ts'
import type { createControl } from './control.ts'
import { cardsInForce, type createEvidence } from './evidence.ts'
import type { Kernel } from './kernel.ts'
import type { createPlatform } from './platform.ts'

type Built = {
  platform: ReturnType<typeof createPlatform>
  evidence: ReturnType<typeof createEvidence>
  control: ReturnType<typeof createControl>
}

/** Features of other areas, which are built later. */
type Later = {
  /** The teams of agents, whose rules bind them too. */
  teams: {
    lockActive(tx: Db, teamId: string): Promise<unknown>
    activeTeamsOf(db: Db, agentId: string): Promise<readonly string[]>
  }
}

/** spec: governance §2.2: what takes longer has failed. */
const EVALUATION_MS_MAX = 250

/** What agents may do. */
export function createGovernance(
  kernel: Kernel,
  built: Built,
  later: () => Later,
  callMsMax = EVALUATION_MS_MAX,
) {
  const { platform, evidence, control } = built
  const { db, clock, events, lifecycle, log, metrics, notices, spans } = kernel
  const elapsedMs = () => performance.now()
  const audit = platform.audit.service
  const agents = evidence.agents.service
  const policies = createPolicyFeature(
    {
      db,
      clock,
      notices,
      audit,
      agents: {
        assertOpen: async (tx, agentId) => void (await agents.lockForCard(tx, agentId)),
      },
      teams: {
        assertActive: async (tx, teamId) => void (await later().teams.lockActive(tx, teamId)),
      },
      cards: { find: cardsInForce(evidence) },
    },
    lifecycle,
  )
  const transactions = createTransactionFeature(
    {
      db,
      clock,
      notices,
      audit,
      agents,
      containment: control.containment.service,
      policies: policies.service,
      teams: {
        async layersOf(db, { agentId }) {
          const teamIds = await later().teams.activeTeamsOf(db, agentId)
          const laidDown = await policies.service.teamPolicies(db, teamIds)
          return teamIds.map((teamId) => ({ teamId, policy: laidDown.get(teamId) }))
        },
      },
    },
    lifecycle,
  )
  const evaluations = createEvaluationFeature(
    {
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
      onEvaluated: ({ context, evaluation }) =>
        metrics.policyEvaluated(evaluation.verdict, context),
      onEvaluationFailed(err) {
        metrics.policyFailures.inc({ kind: 'evaluation' })
        log.error({ err }, 'a policy could not be evaluated')
      },
      onRecordingFailed(err, count) {
        metrics.policyFailures.inc({ kind: 'recording' }, count)
        log.error({ err, count }, 'evaluations could not be recorded')
      },
    },
    lifecycle,
  )
  const gateway = createGatewayFeature(
    {
      db,
      clock,
      events,
      audience: platform.stream.service,
      audit,
      agents,
      policies: policies.service,
      evaluations: evaluations.service,
      transactions: transactions.service,
      containment: control.containment.service,
      holds: control.enforcement.service,
      signer: evidence.attestation.service.signer,
      elapsedMs,
    },
    lifecycle,
  )
  const traces = evidence.traces.service
  const impact = createImpactFeature(
    { clock, elapsedMs, callMsMax, agents, policies: policies.service, traces },
    lifecycle,
  )
  return { evaluations, gateway, impact, policies, transactions }
}
