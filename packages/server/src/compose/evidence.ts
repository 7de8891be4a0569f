import { createAgentFeature } from '../areas/evidence/agents/feature.ts'
import { createAnalysisFeature } from '../areas/evidence/analysis/feature.ts'
import { createAttestationFeature } from '../areas/evidence/attestation/feature.ts'
import type { Log } from '../areas/evidence/attestation/ports.ts'
import { createAuditorFeature } from '../areas/evidence/auditor/feature.ts'
import { createCardFeature } from '../areas/evidence/cards/feature.ts'
import type { OrgValues, Templates } from '../areas/evidence/cards/ports.ts'
import { createDriftFeature } from '../areas/evidence/drift/feature.ts'
import { createIntakeFeature } from '../areas/evidence/intake/feature.ts'
import type { Watcher } from '../areas/evidence/intake/ports.ts'
import { createLedgerFeature } from '../areas/evidence/ledger/feature.ts'
import type { LogEntries } from '../areas/evidence/ledger/ports.ts'
import { createOtlpFeature } from '../areas/evidence/otlp/feature.ts'
import { createTraceFeature } from '../areas/evidence/traces/feature.ts'
import type { Policies as TracePolicies } from '../areas/evidence/traces/ports.ts'
import type { createPlanFeature } from '../areas/platform/plans/feature.ts'
import type { Audit } from '../audit.ts'
import type { SharedLimit } from '../http/limits/shared-limit.ts'
import type { Db } from '../kernel/db.ts'
import { ModelError } from '../model/model.ts'
import type { Decisions } from '../record-origin.ts'
import type { Kernel } from './kernel.ts'
import { READ_TIMEOUT_MS, rejectOverload, VERIFY_TIMEOUT_MS } from './overload.ts'

type Agents = ReturnType<typeof createAgentFeature>
type Auditor = ReturnType<typeof createAuditorFeature>
type Drift = ReturnType<typeof createDriftFeature>
type Ledger = ReturnType<typeof createLedgerFeature>
type Plans = ReturnType<typeof createPlanFeature>
type Platform = { audit: { service: Audit }; plans: Plans }

/** Features of other areas, which are built later. */
type Later = {
  scores: { requestFirst(tx: Db, agentId: string): Promise<void> }
  policies: {
    cardChanged(tx: Db, agentId: string): Promise<void>
    evictLayer(part: { kind: 'card'; id: string }): void
  }
  evaluations: { prepareTraces: TracePolicies['prepare'] }
  decisions: Decisions
  templates: Templates
  conscience: OrgValues
  containment: { watcher: Watcher }
  enforcement: { watcher: Watcher }
  log: Log
  entries: LogEntries
}

const OTLP = { kind: 'otlp' } as const

/** Agents, their cards, and the evidence of their actions. */
export function createEvidence(
  kernel: Kernel,
  built: { platform: Platform; limits: SharedLimit },
  later: () => Later,
) {
  const { platform, limits } = built
  const { config, db, clock, events, jobs, lifecycle, log, metrics, notices, secrets, spans } =
    kernel
  const { reader, verifiers } = kernel
  const common = { db, clock, audit: platform.audit.service }
  const decisions: Decisions = {
    findNamed: (orgId, decisionIds) => later().decisions.findNamed(orgId, decisionIds),
  }
  const cards = createCardFeature(
    {
      ...common,
      agents: {
        lockForCard: (tx, agentId) => agents.service.lockForCard(tx, agentId),
        async setCard(tx, agentId, card) {
          await agents.service.setCard(tx, agentId, card)
          await later().policies.cardChanged(tx, agentId)
        },
        cardSet: (agentId) => later().policies.evictLayer({ kind: 'card', id: agentId }),
        get: (agentId, orgIds) => agents.service.get(agentId, orgIds),
      },
      templates: { inForce: (db, agent) => later().templates.inForce(db, agent) },
      orgValues: { inForce: (db, orgId) => later().conscience.inForce(db, orgId) },
    },
    lifecycle,
  )
  const agents: Agents = createAgentFeature({ ...common, notices, cards: cards.service }, lifecycle)
  const traces = createTraceFeature(
    {
      db,
      clock,
      events,
      spans,
      agents: agents.service,
      cards: cards.service,
      checkpoints: {
        findVerdict: (tx, wanted) => ledger.service.findVerdict(tx, wanted),
        linkTrace: (tx, link) => ledger.service.linkTrace(tx, link),
      },
      decisions,
      drift: { followTrace: (tx, org, trace) => drift.service.followTrace(tx, org, trace) },
      meters: platform.plans.service,
      plans: { traceRetentionDays: (orgId) => traceRetentionDays(platform.plans, orgId) },
      policies: { prepare: (orgId, uses) => later().evaluations.prepareTraces(orgId, uses) },
    },
    lifecycle,
  )
  const drift: Drift = createDriftFeature(
    {
      ...common,
      events,
      agents: {
        assertOpen: async (tx, agentId) => void (await agents.service.lockForCard(tx, agentId)),
      },
      traces: traces.service,
      sessions: {
        noteTraceDrift: (tx, session) => ledger.service.noteTraceDrift(tx, session),
      },
    },
    lifecycle,
  )
  const attestation = createAttestationFeature(
    {
      ...common,
      notices,
      secrets,
      logQueue: kernel.logQueue,
      log: {
        publishedKey: () => later().log.publishedKey(),
        findProof: (type, id) => later().log.findProof(type, id),
        trust: () => later().log.trust(),
      },
      seed: config.attestationSeed,
      baseUrl: config.baseUrl,
      agents: agents.service,
      checkpoints: {
        findSealed: (checkpointId) => ledger.service.findSealed(checkpointId),
        findHead: (agentId) => ledger.service.findHead(agentId),
      },
    },
    lifecycle,
  )
  const ledger: Ledger = createLedgerFeature(
    {
      db,
      clock,
      agents: agents.service,
      attestation: attestation.service,
      antiGaming: config.antiGaming,
      entries: { indexesOf: (type, ids) => later().entries.indexesOf(type, ids) },
      log: kernel.logQueue,
    },
    lifecycle,
  )
  const analysis = createAnalysisFeature({
    clock,
    cards: cards.service,
    model: config.analyzer === 'llm' ? kernel.model : undefined,
    failurePolicy: config.analysisFailurePolicy,
    readTraits: (texts) => reader.run('readTraits', texts, { timeoutMs: READ_TIMEOUT_MS }),
    onFailure: (err) => {
      metrics.analysisFailures.inc({ kind: err instanceof ModelError ? err.kind : 'other' })
      log.warn({ err }, 'analysing a checkpoint failed')
    },
  })
  const intake = createIntakeFeature(
    {
      db,
      groupCommitDb: kernel.groupCommitDb,
      clock,
      events,
      limits,
      spans,
      agents: agents.service,
      analysis: analysis.service,
      decisions,
      attestation: attestation.service,
      ledger: ledger.service,
      traces: traces.service,
      drift: drift.service,
      meters: platform.plans.service,
      scores: { requestFirst: (tx, agentId) => later().scores.requestFirst(tx, agentId) },
      watchers: () => [later().containment.watcher, later().enforcement.watcher],
      onStored: ({ checkpoint }) => metrics.checks.inc({ verdict: checkpoint.verdict }),
    },
    lifecycle,
  )
  const auditor: Auditor = createAuditorFeature(
    {
      db,
      clock,
      jobs,
      // Bypasses the cache, because a stale entry would report an erasure as tampering.
      agents: { orgOf: async (agentId) => (await agents.service.find(agentId))?.orgId },
      attestation: attestation.service,
      checkpoints: ledger.service,
      verify: (rows) =>
        verifiers.run('verifyStored', rows, { timeoutMs: VERIFY_TIMEOUT_MS }).catch(rejectOverload),
      onFault: (fault) => {
        metrics.chainFaults.inc()
        log.error(fault, 'the checkpoint chain of an agent was tampered with')
      },
    },
    lifecycle,
  )
  createOtlpFeature(
    {
      agents: agents.service,
      checkpoints: {
        ingestAll: (org, given) => intake.service.ingestAll(org, { given, source: OTLP }),
      },
      traces: {
        ingestAll: (org, given) =>
          traces.service.ingestAll(org, { given, source: OTLP }, (trace) => trace),
      },
      onTaken: (signal, { accepted, duplicates, ignored, rejected }) => {
        const counter = signal === 'spans' ? metrics.otlpSpans : metrics.otlpLogRecords
        const counts = { accepted, duplicates, ignored, rejected }
        for (const [outcome, count] of Object.entries(counts)) counter.inc({ outcome }, count)
      },
    },
    lifecycle,
  )
  return { agents, attestation, auditor, cards, drift, intake, ledger, traces }
}

type CardSource = { agents: Agents; cards: ReturnType<typeof createCardFeature> }

/** The current card of an agent. */
export function cardsInForce({ agents, cards }: CardSource) {
  return async (agentId: string) => {
    const agent = await agents.service.find(agentId)
    if (agent === undefined) return undefined
    const { orgId, cardVersion: version } = agent
    return cards.service.forAnalysis({ orgId, agentId, version })
  }
}

/** How many days of history the plan of an organisation shows; null for no limit. */
export async function traceRetentionDays(plans: Plans, orgId: string): Promise<number | null> {
  const { planId } = await plans.service.entitlements(orgId)
  const plan = plans.service.list().find((candidate) => candidate.planId === planId)
  if (plan === undefined) throw new Error(`unknown plan ${planId}`)
  return plan.traceRetentionDays
}
