import { createDirectoryFeature } from '../areas/reputation/directory/feature.ts'
import { createMethodologyFeature } from '../areas/reputation/methodology/feature.ts'
import { createScoreFeature } from '../areas/reputation/scores/feature.ts'
import { createVerificationFeature } from '../areas/reputation/verification/feature.ts'
import type { createEvidence } from './evidence.ts'
import type { Kernel } from './kernel.ts'
import type { createPlatform } from './platform.ts'

type Evidence = ReturnType<typeof createEvidence>
type Platform = ReturnType<typeof createPlatform>

/** What is published of agents. */
export function createReputation(kernel: Kernel, platform: Platform, evidence: Evidence) {
  const { config, db, clock, events, jobs, log, metrics, notices, schedules } = kernel
  const agents = evidence.agents.service
  const directory = createDirectoryFeature({ db, clock, agents })
  const scores = createScoreFeature({
    ...{ db, clock, events, jobs, notices, schedules },
    audit: platform.audit.service,
    checkpoints: evidence.checkpoints.service,
    traces: evidence.traces.service,
    agents: {
      orgsOf: agents.orgsOf,
      async find(agentId) {
        const agent = await agents.find(agentId)
        return agent && { ...agent, archived: agent.status === 'archived' }
      },
    },
    orgs: {
      accountOf: async (tx, orgId) => (await platform.orgs.service.find(tx, orgId))?.accountId,
    },
    directory: directory.service,
    baseUrl: config.baseUrl,
    providerId: config.providerId,
    badgeLabel: config.badgeLabel,
    onComputed: (count) => metrics.scoresComputed.inc({ kind: 'agent' }, count),
  })
  const verification = createVerificationFeature({
    clock,
    agents,
    scores: scores.service,
    checkpoints: evidence.checkpoints.service,
    attestation: evidence.attestation.service,
    auditor: evidence.auditor.service,
    drift: evidence.drift.service,
    // Pair scores and propagated points have no source yet, so no score was computed from any.
    coherence: { used: async () => ({ pairScores: [], adjustments: [] }) },
    onUnverified: (found) => log.error(found, 'the proof of a score does not hold'),
    onBroken: (err) => log.error({ err }, 'a bundle broke off'),
  })
  const methodology = createMethodologyFeature(config)
  return { directory, methodology, scores, verification }
}
