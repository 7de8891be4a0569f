// Registers the event types of each area.
import '../areas/control/events.ts'
import '../areas/evidence/events.ts'
import '../areas/fleet/events.ts'
import '../areas/governance/events.ts'
import '../areas/platform/events.ts'
import '../areas/reputation/events.ts'
import { createRetentionFeature } from '../areas/platform/retention/feature.ts'
import { createStreamFeature } from '../areas/platform/stream/feature.ts'
import { SYSTEM_ACTOR } from '../audit.ts'
import type { GuardedRequest } from '../http/access/guarded.ts'
import type { SharedLimit } from '../http/limits/shared-limit.ts'
import type { Server } from '../http/server.ts'
import { promptly } from '../kernel/promptly.ts'
import { createAppeal } from './appeal.ts'
import { createChain } from './chain.ts'
import { createEvidence } from './evidence.ts'
import { createFleet } from './fleet.ts'
import { createGovernance } from './governance.ts'
import type { Kernel } from './kernel.ts'
import { createPlatform, recordImpersonated } from './platform.ts'
import { createReputation } from './reputation.ts'
import { createRisk } from './risk.ts'
import { createWebhooks } from './webhooks.ts'

type Platform = ReturnType<typeof createPlatform>
type Evidence = ReturnType<typeof createEvidence>
type Reputation = ReturnType<typeof createReputation>
type Governance = ReturnType<typeof createGovernance>
type Fleet = ReturnType<typeof createFleet>
type Risk = ReturnType<typeof createRisk>
type Chain = ReturnType<typeof createChain>

const EVERY_MINUTE = '* * * * *'
const EVERY_FIVE_MINUTES = '*/5 * * * *'
const MONTHLY = '0 4 1 * *'

export type Features = ReturnType<typeof createFeatures>

type PurgeTask = { name: string; run(now: Date): Promise<number> }

/** Builds every feature and plugs one's question into another's service. No logic lives here. */
export function createFeatures(
  kernel: Kernel,
  given: {
    limits: SharedLimit
    ownPurges: readonly PurgeTask[]
    evaluationMsMax: number | undefined
  },
) {
  const { limits, ownPurges, evaluationMsMax } = given
  const platform: Platform = createPlatform(kernel, () => [
    // Before its agents, who else would leave their teams one by one.
    { erase: (tx, orgId) => fleet.teams.roster.eraseOrg(tx, orgId) },
    evidence.agents.service,
    // After its agents, as whoever makes or changes a team locks these first.
    {
      close: (tx, orgId) => fleet.teams.roster.closeOrg(tx, orgId),
      reopen: (tx, orgId) => fleet.teams.roster.reopenOrg(tx, orgId),
    },
    { erase: (tx, orgId) => governance.policies.service.eraseOrg(tx, orgId) },
    { erase: (tx, orgId) => governance.templates.service.eraseOrg(tx, orgId) },
    { erase: (tx, orgId) => governance.conscience.service.eraseOrg(tx, orgId) },
    { erase: (tx, orgId) => risk.assessments.service.eraseOrg(tx, orgId) },
    webhooks.service,
    { erase: (tx, orgId) => chain.publishing.service.eraseOrg(tx, orgId) },
    { erase: (tx, orgId) => chain.anchoring.service.eraseOrg(tx, orgId) },
  ])
  const evidence: Evidence = createEvidence(kernel, platform, limits, () => ({
    scores: reputation.scores.service,
    directory: reputation.directory.service,
    policies: governance.policies.service,
    evaluations: governance.evaluations.service,
    transactions: governance.transactions.service,
    templates: governance.templates.service,
    conscience: governance.conscience.service,
    escalations: governance.gateway.service.escalations,
    reclassification: appeal.reclassification.service,
    trustEdges: appeal.trustEdges.service,
    containment: governance.containment.service,
    enforcement: governance.enforcement.service,
    coherence: fleet.coherence.service,
    roster: fleet.teams.roster,
    teamReputation: fleet.teamReputation.service,
    risk: risk.assessments.service,
    publications: chain.publishing.service,
    anchors: chain.anchoring.service,
    intelligence: fleet.intelligence.service,
  }))
  const reputation: Reputation = createReputation(kernel, platform, evidence, () => ({
    reclassifications: appeal.reclassification.service,
    trustEdges: appeal.trustEdges.service,
    coherence: fleet.coherence.service,
  }))
  const appeal = createAppeal(kernel, platform, evidence, reputation)
  const stream = createStreamFeature({
    ...kernel,
    elapsedMs: () => performance.now(),
    onError: (err) => kernel.log.error({ err }, 'a stream could not be served'),
  })
  const governance: Governance = createGovernance(
    kernel,
    platform,
    evidence,
    () => fleet.teams.service,
    { audience: stream.service, evaluationMsMax },
  )
  const fleet: Fleet = createFleet(kernel, platform, evidence, { reputation, governance })
  const webhooks = createWebhooks(kernel, platform, evidence)
  const risk: Risk = createRisk(kernel, platform, evidence, { reputation, fleet })
  const chain: Chain = createChain(kernel, platform, evidence, reputation)
  const { clock, schedules, log } = kernel
  const { audit, accounts, identity, impersonation, invitations, keys, orgs, plans, sso } = platform
  createRetentionFeature({
    clock,
    schedules,
    tasks: [
      ...ownPurges,
      { name: 'agents', run: evidence.agents.service.purge },
      { name: 'traces', run: evidence.traces.service.purge },
      { name: 'policy evaluations', run: governance.evaluations.service.purge },
      { name: 'escalations', run: governance.gateway.service.escalations.purge },
      { name: 'nudges', run: governance.enforcement.service.purge },
      { name: 'score adjustments', run: reputation.scores.service.purgeAdjustments },
      { name: 'coherence', run: fleet.coherence.service.purge },
      { name: 'intelligence', run: fleet.intelligence.service.purge },
      { name: 'organisations', run: orgs.service.purge },
      { name: 'audit log', run: audit.service.purge },
      { name: 'invitations', run: invitations.service.purge },
      { name: 'sessions', run: accounts.service.purge },
      { name: 'people', run: identity.service.purge },
      { name: 'single sign-on', run: sso.service.purge },
      { name: 'impersonation', run: impersonation.service.purge },
      { name: 'usage', run: plans.service.purge },
      { name: 'past scores', run: reputation.scores.service.purgePast },
      { name: 'score log', run: reputation.scores.service.purgeLog },
      { name: 'team score log', run: fleet.teamReputation.service.purgeLog },
      { name: 'chain transactions', run: chain.relayer.service.purge },
      { name: 'webhook deliveries', run: webhooks.service.purge },
    ],
    onPurged: (name, rows) => rows > 0 && log.info({ name, rows }, 'purged'),
  })
  schedules.add('usage', EVERY_MINUTE, async () => void (await plans.service.sum(clock.now())))
  schedules.add('chain audit', EVERY_FIVE_MINUTES, evidence.auditor.run)
  schedules.add(
    'signing key',
    MONTHLY,
    async () => void (await accounts.service.rotate(SYSTEM_ACTOR)),
  )
  const { agents, attestation, cards, checkpoints, drift, otlp, traces } = evidence
  const mounted = [
    attestation,
    agents,
    cards,
    traces,
    checkpoints,
    otlp,
    drift,
    reputation.scores,
    reputation.directory,
    reputation.methodology,
    reputation.verification,
    governance.policies,
    governance.templates,
    governance.conscience,
    governance.evaluations,
    governance.impact,
    governance.transactions,
    governance.gateway,
    governance.containment,
    fleet.teams,
    fleet.teamCards,
    fleet.teamReputation,
    fleet.coherence,
    fleet.intelligence,
    appeal.compliance,
    appeal.reclassification,
    appeal.trustEdges,
    risk.assessments,
    risk.proofs,
    chain.relayer,
    chain.anchoring,
    chain.publishing,
    chain.records,
    audit,
    accounts,
    identity,
    impersonation,
    invitations,
    keys,
    orgs,
    plans,
    sso,
    webhooks,
    stream,
  ]
  return {
    mount: (app: Server) => {
      for (const feature of mounted) feature.mount(app)
    },
    /** Public answers that are in memory. */
    findHot: reputation.scores.findHot,
    hotCall: governance.gateway.hotCall,
    bootstrap: platform.bootstrap,
    rateAll: reputation.scores.service.startRun,
    eraseDueOrgs: orgs.service.purge,
    /** Sends webhooks. */
    worker: webhooks.worker,
    /** Makes proofs. */
    prover: risk.proofs.worker,
    /** Writes to the chain. */
    relayer: chain.relayer.service,
    /** What must be there before the first request, and fails early when SECRET_KEY is wrong. */
    prepare: async () => {
      await accounts.service.prepareKeys()
      await attestation.service.prepare()
      await stream.service.start()
    },
    /** What is still to be written is, before the database goes. */
    close: async () => {
      await chain.relayer.service.stop()
      await stream.service.close()
      await governance.evaluations.service.close()
      await risk.assessments.service.close()
    },
    recordImpersonated: (req: GuardedRequest) => recordImpersonated(req, impersonation.service),
    orgOfAgent: (agentId: string) =>
      promptly(agents.service.findKnown(agentId), (agent) => agent?.orgId),
    orgOfTeam: fleet.teams.service.orgOf,
    orgExists: orgs.service.exists,
    services: {
      keys: keys.service,
      identity: identity.service,
      orgs: orgs.service,
      plans: plans.service,
      sso: sso.service,
      impersonation: impersonation.service,
    },
  }
}
