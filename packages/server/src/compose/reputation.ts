import { createDirectoryFeature } from '../areas/reputation/directory/feature.ts'
import { createMethodologyFeature } from '../areas/reputation/methodology/feature.ts'
import { createScoreFeature, type ScoreDeps } from '../areas/reputation/scores/feature.ts'
import { createVerificationFeature } from '../areas/reputation/verification/feature.ts'
import type { Coherence } from '../areas/reputation/verification/ports.ts'
import type { createEvidence } from './evidence.ts'
import type { Kernel } from './kernel.ts'
import type { createPlatform } from './platform.ts'

type Evidence = ReturnType<typeof createEvidence>
type Platform = ReturnType<typeof createPlatform>

/** What corrects scores, whom a correction reaches, and how agents go together. */
type Corrections = Pick<ScoreDeps, 'reclassifications' | 'trustEdges'> & {
  coherence: ScoreDeps['coherence'] & {
    usedAt(agentId: string, at: Date): Promise<Used['pairScores']>
  }
}

type Used = Awaited<ReturnType<Coherence['used']>>

/** What is published of agents. */
export function createReputation(
  kernel: Kernel,
  platform: Platform,
  evidence: Evidence,
  corrections: () => Corrections,
) {
  const { config, db, clock, events, jobs, log, metrics, notices, schedules } = kernel
  const agents = evidence.agents.service
  const directory = createDirectoryFeature({ db, agents })
  const scores = createScoreFeature({
    db,
    clock,
    events,
    jobs,
    notices,
    schedules,
    audit: platform.audit.service,
    checkpoints: evidence.checkpoints.service,
    traces: evidence.traces.service,
    agents: {
      orgsOf: agents.orgsOf,
      hold: async (tx, agentIds) =>
        (await agents.describe(tx, agentIds)).map(({ agentId }) => agentId),
      getShown: agents.getShown,
      async find(agentId) {
        const agent = await agents.find(agentId)
        return agent && { orgId: agent.orgId, archived: agent.status === 'archived' }
      },
    },
    orgs: {
      accountOf: async (tx, orgId) => (await platform.orgs.service.find(tx, orgId))?.accountId,
    },
    directory: directory.service,
    reclassifications: {
      pendingOf: (tx, agentIds) => corrections().reclassifications.pendingOf(tx, agentIds),
      settle: (tx, settled, at) => corrections().reclassifications.settle(tx, settled, at),
      countApplied: (tx, agentId) => corrections().reclassifications.countApplied(tx, agentId),
    },
    coherence: {
      peersOf: (tx, agentIds, now) => corrections().coherence.peersOf(tx, agentIds, now),
      lowestPeers: (agentId, at, max) => corrections().coherence.lowestPeers(agentId, at, max),
    },
    trustEdges: { reach: (tx, agentId) => corrections().trustEdges.reach(tx, agentId) },
    baseUrl: config.baseUrl,
    providerId: config.providerId,
    badgeLabel: config.badgeLabel,
    onComputed: (count) => metrics.scoresComputed.inc({ kind: 'agent' }, count),
    onPropagated: (ms) => metrics.propagationDuration.observe(ms / 1000),
    elapsedMs: () => performance.now(),
    onFailed: (agentId, err) => {
      metrics.scoresFailed.inc()
      log.error({ agentId, err }, 'the score of an agent cannot be computed')
    },
  })
  const verification = createVerificationFeature({
    clock,
    agents,
    scores: scores.service,
    checkpoints: evidence.checkpoints.service,
    attestation: evidence.attestation.service,
    auditor: evidence.auditor.service,
    drift: evidence.drift.service,
    coherence: {
      used: async (agentId, at) => ({
        pairScores: await corrections().coherence.usedAt(agentId, at),
        adjustments: await scores.service.adjustmentsUsed(agentId, at),
      }),
    },
    onUnverified: (found) => log.error(found, 'the proof of a score does not hold'),
    onBroken: (err) => log.error({ err }, 'a bundle broke off'),
  })
  const methodology = createMethodologyFeature(config)
  return { directory, methodology, scores, verification }
}
