import { createDirectoryFeature } from '../areas/reputation/directory/feature.ts'
import { createMethodologyFeature } from '../areas/reputation/methodology/feature.ts'
import { createScoreFeature, type ScoreDeps } from '../areas/reputation/scores/feature.ts'
import { createVerificationFeature } from '../areas/reputation/verification/feature.ts'
import type { Coherence } from '../areas/reputation/verification/ports.ts'
import type { createEvidence } from './evidence.ts'
import type { Kernel } from './kernel.ts'
import type { createPlatform } from './platform.ts'

type Built = {
  platform: ReturnType<typeof createPlatform>
  evidence: ReturnType<typeof createEvidence>
}

/** Features of other areas, which are built later. */
type Later = Pick<ScoreDeps, 'reclassifications' | 'trustEdges' | 'decisions' | 'witnessedLog'> & {
  coherence: ScoreDeps['coherence'] & {
    usedAt(agentId: string, at: Date): Promise<Used['pairScores']>
  }
}

type Used = Awaited<ReturnType<Coherence['used']>>

/** Published scores, their directory and their verification. */
export function createReputation(kernel: Kernel, built: Built, later: () => Later) {
  const { platform, evidence } = built
  const { config, db, clock, events, jobs, lifecycle, log, metrics, notices } = kernel
  const agents = evidence.agents.service
  const directory = createDirectoryFeature({ db, agents }, lifecycle)
  const scores = createScoreFeature(
    {
      db,
      clock,
      events,
      jobs,
      notices,
      audit: platform.audit.service,
      checkpoints: evidence.ledger.service,
      traces: evidence.traces.service,
      agents: {
        orgsOf: agents.orgsOf,
        claimedAmong: agents.claimedAmong,
        hold: async (tx, agentIds) =>
          (await agents.describe(tx, agentIds)).map(({ agentId }) => agentId),
        getShown: agents.getShown,
        async find(agentId) {
          const agent = await agents.find(agentId)
          return agent && { orgId: agent.orgId, archived: agent.status === 'archived' }
        },
      },
      decisions: {
        outcomesSince: (tx, agentIds, firstDay) =>
          later().decisions.outcomesSince(tx, agentIds, firstDay),
      },
      witnessedLog: {
        witnessedRuns: (tx, agentIds, since) =>
          later().witnessedLog.witnessedRuns(tx, agentIds, since),
      },
      orgs: {
        accountOf: async (tx, orgId) => (await platform.orgs.service.find(tx, orgId))?.accountId,
      },
      directory: directory.service,
      log: kernel.logQueue,
      reclassifications: {
        pendingOf: (tx, agentIds) => later().reclassifications.pendingOf(tx, agentIds),
        settle: (tx, settled, at) => later().reclassifications.settle(tx, settled, at),
        countApplied: (tx, agentId) => later().reclassifications.countApplied(tx, agentId),
      },
      coherence: {
        peersOf: (tx, agentIds, now) => later().coherence.peersOf(tx, agentIds, now),
        lowestPeers: (agentId, at, max) => later().coherence.lowestPeers(agentId, at, max),
      },
      trustEdges: { reach: (tx, agentId) => later().trustEdges.reach(tx, agentId) },
      baseUrl: config.baseUrl,
      providerId: config.providerId,
      badgeLabel: config.badgeLabel,
      onComputed: (count) => metrics.scoresComputed.inc({ kind: 'agent' }, count),
      onPropagated: (ms) => metrics.propagationDuration.observe(ms / 1000),
      elapsedMs: () => performance.now(),
      onFailed: (agentId, err) => {
        metrics.scoresFailed.inc()
        log.error({ agentId, err }, 'computing the score of an agent failed')
      },
    },
    lifecycle,
  )
  const verification = createVerificationFeature(
    {
      clock,
      agents,
      scores: scores.service,
      checkpoints: evidence.ledger.service,
      attestation: evidence.attestation.service,
      auditor: {
        verifyPresent: evidence.auditor.service.verifyPresent,
        requestFull: evidence.auditor.requestFull,
      },
      drift: evidence.drift.service,
      coherence: {
        used: async (agentId, at) => ({
          pairScores: await later().coherence.usedAt(agentId, at),
          adjustments: await scores.service.adjustmentsUsed(agentId, at),
        }),
      },
      onUnverified: (found) =>
        log.error(found, 'the published score of an agent could not be verified'),
      onBroken: (err) => log.error({ err }, 'an evidence bundle was aborted'),
    },
    lifecycle,
  )
  createMethodologyFeature(config, lifecycle)
  return { directory, scores, verification }
}
