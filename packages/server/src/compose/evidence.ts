import { keccak256Hex } from '@touchstone/protocol/crypto'
import { createAgentFeature } from '../areas/evidence/agents/feature.ts'
import { createAttestationFeature } from '../areas/evidence/attestation/feature.ts'
import { createAuditorFeature } from '../areas/evidence/auditor/feature.ts'
import { createCardFeature } from '../areas/evidence/cards/feature.ts'
import type { OrgValues, Templates } from '../areas/evidence/cards/ports.ts'
import { createCheckpointFeature } from '../areas/evidence/checkpoints/feature.ts'
import type { Watcher } from '../areas/evidence/checkpoints/ports.ts'
import { createDriftFeature } from '../areas/evidence/drift/feature.ts'
import { createOtlpFeature } from '../areas/evidence/otlp/feature.ts'
import { createTraceFeature } from '../areas/evidence/traces/feature.ts'
import type { Policies as TracePolicies } from '../areas/evidence/traces/ports.ts'
import type { createPlanFeature } from '../areas/platform/plans/feature.ts'
import type { Audit } from '../audit.ts'
import type { SharedLimit } from '../http/limits/shared-limit.ts'
import type { Db } from '../kernel/db.ts'
import { ModelError } from '../model/model.ts'
import type { Kernel } from './kernel.ts'

type Agents = ReturnType<typeof createAgentFeature>
type Auditor = ReturnType<typeof createAuditorFeature>
type Checkpoints = ReturnType<typeof createCheckpointFeature>
type Drift = ReturnType<typeof createDriftFeature>
type Plans = ReturnType<typeof createPlanFeature>
type Platform = { audit: { service: Audit }; plans: Plans }

/** What others make of agents, and must begin, change and go with them. */
type Followers = {
  scores: {
    requestFirst(tx: Db, agentId: string): Promise<void>
    changed(tx: Db, agentIds: readonly string[]): Promise<void>
    erase(tx: Db, agentId: string): Promise<void>
  }
  directory: {
    changed(tx: Db, agentIds: readonly string[]): Promise<void>
    remove(tx: Db, agentId: string): Promise<void>
  }
  policies: {
    cardChanged(tx: Db, agentId: string): Promise<void>
    forgetLayer(part: { kind: 'card'; id: string }): void
    erase(tx: Db, agentId: string): Promise<void>
  }
  evaluations: {
    prepareTraces: TracePolicies['prepare']
    erase(tx: Db, agentId: string): Promise<void>
  }
  transactions: { erase(tx: Db, agentId: string): Promise<void> }
  templates: Templates & { erase(tx: Db, agentId: string): Promise<void> }
  conscience: OrgValues
  escalations: { erase(tx: Db, agentId: string): Promise<void> }
  reclassification: { erase(tx: Db, agentId: string): Promise<void> }
  trustEdges: { erase(tx: Db, agentId: string): Promise<void> }
  containment: { watcher: Watcher; erase(tx: Db, agentId: string): Promise<void> }
  enforcement: { watcher: Watcher; erase(tx: Db, agentId: string): Promise<void> }
  coherence: { erase(tx: Db, agentId: string): Promise<void> }
  roster: {
    retire(tx: Db, agentId: string): Promise<void>
    erase(tx: Db, agentId: string): Promise<void>
  }
  teamReputation: { eraseAgent(tx: Db, agentId: string): Promise<void> }
  risk: { erase(tx: Db, agentId: string): Promise<void> }
  publications: { erase(tx: Db, agentId: string): Promise<void> }
  anchors: { erase(tx: Db, agentId: string): Promise<void> }
  intelligence: { eraseAgent(tx: Db, agentId: string): Promise<void> }
}

/** What agents are and did. */
export function createEvidence(
  kernel: Kernel,
  platform: Platform,
  limits: SharedLimit,
  followers: () => Followers,
) {
  const { config, db, clock, events, jobs, log, metrics, notices, secrets, spans } = kernel
  const common = { db, clock, audit: platform.audit.service }
  const cards = createCardFeature({
    ...common,
    agents: {
      lockForCard: (tx, agentId) => agents.service.lockForCard(tx, agentId),
      async setCard(tx, agentId, card) {
        await agents.service.setCard(tx, agentId, card)
        await followers().policies.cardChanged(tx, agentId)
      },
      cardSet: (agentId) => followers().policies.forgetLayer({ kind: 'card', id: agentId }),
      get: (agentId, orgIds) => agents.service.get(agentId, orgIds),
    },
    templates: { inForce: (db, agent) => followers().templates.inForce(db, agent) },
    orgValues: { inForce: (db, orgId) => followers().conscience.inForce(db, orgId) },
  })
  const agents: Agents = createAgentFeature({
    ...common,
    notices,
    cards: cards.service,
    evidence: [
      { erase: (tx, agentId) => traces.service.erase(tx, agentId) },
      { erase: (tx, agentId) => drift.service.erase(tx, agentId) },
      {
        begin: (tx, agentId) => checkpoints.service.begin(tx, agentId),
        close: (tx, agentIds) => checkpoints.service.close(tx, agentIds),
        reopen: (tx, agentIds) => checkpoints.service.reopen(tx, agentIds),
        erase: (tx, agentId) => checkpoints.service.erase(tx, agentId),
      },
      { erase: (tx, agentId) => attestation.service.erase(tx, agentId, keccak256Hex(agentId)) },
      { erase: (tx, agentId) => auditor.service.erase(tx, agentId) },
      {
        changed: (tx, agentIds) => followers().scores.changed(tx, agentIds),
        erase: (tx, agentId) => followers().scores.erase(tx, agentId),
      },
      {
        changed: (tx, agentIds) => followers().directory.changed(tx, agentIds),
        erase: (tx, agentId) => followers().directory.remove(tx, agentId),
      },
      { erase: (tx, agentId) => followers().policies.erase(tx, agentId) },
      { erase: (tx, agentId) => followers().evaluations.erase(tx, agentId) },
      { erase: (tx, agentId) => followers().transactions.erase(tx, agentId) },
      { erase: (tx, agentId) => followers().templates.erase(tx, agentId) },
      { erase: (tx, agentId) => followers().escalations.erase(tx, agentId) },
      { erase: (tx, agentId) => followers().reclassification.erase(tx, agentId) },
      { erase: (tx, agentId) => followers().trustEdges.erase(tx, agentId) },
      { erase: (tx, agentId) => followers().containment.erase(tx, agentId) },
      { erase: (tx, agentId) => followers().enforcement.erase(tx, agentId) },
      { erase: (tx, agentId) => followers().coherence.erase(tx, agentId) },
      {
        retire: (tx, agentId) => followers().roster.retire(tx, agentId),
        erase: (tx, agentId) => followers().roster.erase(tx, agentId),
      },
      { erase: (tx, agentId) => followers().teamReputation.eraseAgent(tx, agentId) },
      { erase: (tx, agentId) => followers().risk.erase(tx, agentId) },
      { erase: (tx, agentId) => followers().publications.erase(tx, agentId) },
      { erase: (tx, agentId) => followers().anchors.erase(tx, agentId) },
      { erase: (tx, agentId) => followers().intelligence.eraseAgent(tx, agentId) },
    ],
  })
  const traces = createTraceFeature({
    db,
    clock,
    events,
    spans,
    agents: agents.service,
    cards: cards.service,
    checkpoints: {
      findVerdict: (tx, wanted) => checkpoints.service.findVerdict(tx, wanted),
      linkTrace: (tx, link) => checkpoints.service.linkTrace(tx, link),
    },
    drift: { followTrace: (tx, org, trace) => drift.service.followTrace(tx, org, trace) },
    meters: platform.plans.service,
    plans: { traceRetentionDays: (orgId) => traceRetentionDays(platform.plans, orgId) },
    policies: { prepare: (orgId, uses) => followers().evaluations.prepareTraces(orgId, uses) },
  })
  const drift: Drift = createDriftFeature({
    ...common,
    events,
    agents: {
      assertOpen: async (tx, agentId) => void (await agents.service.lockForCard(tx, agentId)),
    },
    traces: traces.service,
    sessions: {
      noteTraceDrift: (tx, session) => checkpoints.service.noteTraceDrift(tx, session),
    },
  })
  const attestation = createAttestationFeature({
    ...common,
    notices,
    secrets,
    seed: config.attestationSeed,
    baseUrl: config.baseUrl,
    agents: agents.service,
    checkpoints: {
      findSealed: (checkpointId) => checkpoints.service.findSealed(checkpointId),
      findHead: (agentId) => checkpoints.service.findHead(agentId),
    },
  })
  const checkpoints: Checkpoints = createCheckpointFeature({
    db,
    clock,
    events,
    limits,
    spans,
    agents: agents.service,
    cards: cards.service,
    attestation: attestation.service,
    traces: traces.service,
    drift: drift.service,
    meters: platform.plans.service,
    scores: { requestFirst: (tx, agentId) => followers().scores.requestFirst(tx, agentId) },
    watchers: () => [followers().containment.watcher, followers().enforcement.watcher],
    antiGaming: config.antiGaming,
    model: config.analyzer === 'llm' ? kernel.model : undefined,
    failurePolicy: config.analysisFailurePolicy,
    onFailure: (err) => {
      metrics.analysisFailures.inc({ kind: err instanceof ModelError ? err.kind : 'other' })
      log.warn({ err }, 'the analyser gave no usable answer')
    },
    onChecked: ({ checkpoint }) => metrics.checks.inc({ verdict: checkpoint.verdict }),
  })
  const auditor: Auditor = createAuditorFeature({
    db,
    clock,
    jobs,
    // Not from a cache: an erasure must not look like tampering.
    agents: { orgOf: async (agentId) => (await agents.service.find(agentId))?.orgId },
    attestation: attestation.service,
    checkpoints: checkpoints.service,
    onFault: (fault) => {
      metrics.chainFaults.inc()
      log.error(fault, 'a chain is not what it was')
    },
  })
  const otlp = createOtlpFeature({
    agents: agents.service,
    checkpoints: checkpoints.service,
    traces: {
      ingestAll: (org, given) => traces.service.ingestAll(org, given, (trace) => trace),
    },
    onTaken: ({ accepted, duplicates, ignored, rejected }) => {
      for (const [outcome, spans] of Object.entries({ accepted, duplicates, ignored, rejected })) {
        metrics.otlpSpans.inc({ outcome }, spans)
      }
    },
  })
  return { agents, attestation, auditor, cards, checkpoints, drift, otlp, traces }
}

async function traceRetentionDays(plans: Plans, orgId: string): Promise<number | null> {
  const { planId } = await plans.service.entitlements(orgId)
  const plan = plans.service.list().find((candidate) => candidate.planId === planId)
  if (plan === undefined) throw new Error(`there is no plan ${planId}`)
  return plan.traceRetentionDays
}
