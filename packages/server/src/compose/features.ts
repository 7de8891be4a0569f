// Registers the event types of each area.
import '../areas/control/events.ts'
import '../areas/evidence/events.ts'
import '../areas/fleet/events.ts'
import '../areas/governance/events.ts'
import '../areas/log/events.ts'
import '../areas/platform/events.ts'
import '../areas/reputation/events.ts'
import type { GuardedRequest } from '../http/access/guarded.ts'
import type { RelayLimits } from '../http/limits/relay-limit.ts'
import type { SharedLimit } from '../http/limits/shared-limit.ts'
import { createChain } from './chain.ts'
import { createControl } from './control.ts'
import { createEvidence } from './evidence.ts'
import { createFleet } from './fleet.ts'
import { createModelGateway } from './gateway.ts'
import { createGovernance } from './governance.ts'
import type { Kernel } from './kernel.ts'
import { createLog } from './log.ts'
import { createPlatform, recordImpersonated } from './platform.ts'
import { createReputation } from './reputation.ts'
import { createRisk } from './risk.ts'

type Platform = ReturnType<typeof createPlatform>
type Evidence = ReturnType<typeof createEvidence>
type Reputation = ReturnType<typeof createReputation>
type Control = ReturnType<typeof createControl>
type Governance = ReturnType<typeof createGovernance>
type Log = ReturnType<typeof createLog>

export type Features = ReturnType<typeof createFeatures>

/** Builds the areas and connects the ports of each to the services of others. Contains no logic. */
export function createFeatures(
  kernel: Kernel,
  given: {
    limits: SharedLimit
    relayLimits: RelayLimits
    isReady(): boolean
    evaluationMsMax: number | undefined
  },
) {
  const platform: Platform = createPlatform(kernel, () => ({
    signer: evidence.attestation.service.signer,
    approvalMessages: governance.approvals.service.channels,
    agents: evidence.agents.service,
  }))
  const evidence: Evidence = createEvidence(kernel, { platform, limits: given.limits }, () => ({
    scores: reputation.scores.service,
    policies: governance.policies.service,
    evaluations: governance.evaluations.service,
    decisions: governance.decisions.reads,
    templates: control.templates.service,
    conscience: control.conscience.service,
    containment: control.containment.service,
    enforcement: control.enforcement.service,
    entries: log.entries.service,
    log: {
      publishedKey: async () => (await log.sequencer.service.signer()).published,
      findProof: log.reading.service.findProof,
      trust: log.reading.service.trust,
    },
  }))
  const reputation: Reputation = createReputation(kernel, { platform, evidence }, () => ({
    reclassifications: control.reclassification.service,
    trustEdges: control.trustEdges.service,
    coherence: fleet.coherence.service,
    decisions: { outcomesSince: governance.decisions.outcomesSince },
    witnessedLog: log.reading.service,
  }))
  const control: Control = createControl(kernel, { platform, evidence, reputation }, () => ({
    policies: governance.policies.service,
  }))
  const governance: Governance = createGovernance(
    kernel,
    { platform, evidence, control },
    () => ({
      teams: fleet.teams.service,
      entries: log.entries.service,
      proofs: log.reading.service,
    }),
    given.evaluationMsMax,
  )
  const fleet = createFleet(kernel, { platform, evidence, reputation, governance })
  const risk = createRisk(kernel, { platform, evidence, reputation, fleet })
  const chain = createChain(kernel, { platform, evidence, reputation }, () => ({
    log: log.reading.service,
  }))
  const log: Log = createLog(kernel, { platform, evidence, control, governance })
  const modelGateway = createModelGateway(
    kernel,
    { platform, evidence, control, governance },
    given,
  )
  const { accounts, identity, impersonation, keys, orgs, plans, sso } = platform
  return {
    mountRelay: modelGateway.mount,
    bootstrap: platform.bootstrap,
    rateAll: reputation.scores.service.startRun,
    eraseDueOrgs: orgs.service.purge,
    prepareDecisionsSince: governance.decisions.prepareSince,
    resetSecondFactor: accounts.service.resetSecondFactor,
    sendDue: platform.webhooks.worker.runDue,
    pauseSending: platform.webhooks.worker.pause,
    proveDue: risk.proofs.worker.runDue,
    sequenceLog: log.sequence,
    askWitnesses: log.witnesses.service.askAll,
    logHealth: log.reading.service.health,
    assertChainWell: chain.relayer.service.assertWell,
    recordImpersonated: (req: GuardedRequest) => recordImpersonated(req, impersonation.service),
    registeredIds: evidence.agents.service.registeredIds,
    orgOfAgent: async (agentId: string) =>
      (await evidence.agents.service.findKnown(agentId))?.orgId,
    orgOfTeam: fleet.teams.service.orgOf,
    orgExists: orgs.service.exists,
    services: {
      keys: keys.service,
      accounts: accounts.service,
      identity: identity.service,
      orgs: orgs.service,
      plans: plans.service,
      sso: sso.service,
      impersonation: impersonation.service,
    },
  }
}
