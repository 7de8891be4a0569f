import { createCoherenceFeature } from '../areas/fleet/coherence/feature.ts'
import { createIntelligenceFeature } from '../areas/fleet/intelligence/feature.ts'
import { createOverviewFeature } from '../areas/fleet/overview/feature.ts'
import { createTeamCardFeature } from '../areas/fleet/team-cards/feature.ts'
import { createTeamReputationFeature } from '../areas/fleet/team-reputation/feature.ts'
import { createTeamFeature } from '../areas/fleet/teams/feature.ts'
import type { Db } from '../kernel/db.ts'
import type { createEvidence } from './evidence.ts'
import type { createGovernance } from './governance.ts'
import type { Kernel } from './kernel.ts'
import type { createPlatform } from './platform.ts'
import type { createReputation } from './reputation.ts'

type Built = {
  platform: ReturnType<typeof createPlatform>
  evidence: ReturnType<typeof createEvidence>
  reputation: ReturnType<typeof createReputation>
  governance: ReturnType<typeof createGovernance>
}

/** Teams of agents, their reputation and coherence. */
export function createFleet(kernel: Kernel, built: Built) {
  const { platform, evidence, reputation, governance } = built
  const { config, db, clock, events, jobs, lifecycle, log, metrics, spans } = kernel
  const agents = evidence.agents.service
  const cards = evidence.cards.service
  const orgs = {
    accountOf: async (tx: Db, orgId: string) =>
      (await platform.orgs.service.find(tx, orgId))?.accountId,
  }
  const common = { db, clock, events, orgs, audit: platform.audit.service }
  const teams = createTeamFeature({ ...common, agents }, lifecycle)
  const teamCards = createTeamCardFeature({ ...common, cards, teams: teams.service }, lifecycle)
  const teamReputation = createTeamReputationFeature(
    {
      ...common,
      jobs,
      teams: teams.service,
      scores: reputation.scores.service,
      meters: platform.plans.service,
      plans: {
        includesTeamReputation: async (orgId) =>
          (await platform.plans.service.entitlements(orgId)).features.has('team_reputation'),
      },
      baseUrl: config.baseUrl,
      providerId: config.providerId,
      badgeLabel: config.badgeLabel,
      onComputed: (count) => metrics.scoresComputed.inc({ kind: 'team' }, count),
      onFailed(teamId, err) {
        metrics.scoresFailed.inc()
        log.error({ teamId, err }, 'computing the score of a team failed')
      },
      onUnverified: (teamId) =>
        log.error({ teamId }, 'the published score of a team could not be verified'),
    },
    lifecycle,
  )
  const coherence = createCoherenceFeature(
    {
      db,
      clock,
      agents,
      cards,
      spans,
      elapsedMs: () => performance.now(),
    },
    lifecycle,
  )
  const intelligence = createIntelligenceFeature(
    {
      db,
      clock,
      agents,
      cards,
      teams: teams.service,
      policies: {
        resolved: async ({ orgId, agentId }) =>
          (await governance.policies.service.compiled(orgId, agentId))?.resolution.policy,
      },
      pairScores: coherence.service,
      model: kernel.model,
      onFallback(reason, err) {
        metrics.modelFallbacks.inc({ reason })
        log.warn({ reason, err }, 'the model returned no usable reply; using the rules')
      },
    },
    lifecycle,
  )
  createOverviewFeature(
    {
      agents,
      decisions: governance.decisions,
      checkpoints: evidence.ledger.service,
      drift: evidence.drift.service,
      scores: reputation.scores.service,
      setup: setupOf(built),
    },
    lifecycle,
  )
  return { coherence, intelligence, teamCards, teamReputation, teams }
}

const FIRST = { page: 1, perPage: 1 }

/** Adapts the features that the steps of setting up an organisation belong to. */
function setupOf({ platform, evidence, governance }: Built) {
  const { orgs, invitations, webhooks, audit } = platform
  return {
    hasAgent: async (orgId: string) =>
      (await evidence.agents.service.listOpenIds(orgId, 1)).length > 0,
    async hasDecision(orgId: string) {
      const found = await governance.decisions.reads.list(
        { orgId },
        { cursor: undefined, limit: 1 },
      )
      return found.decisions.length > 0
    },
    async hasPolicy(orgId: string) {
      const filter = { action: 'policy.updated', ...ANY_ENTRY }
      return (await audit.service.list(orgId, filter, FIRST)).total > 0
    },
    async hasColleague(orgId: string) {
      if ((await orgs.service.listMembers(orgId)).length > 1) return true
      return (await invitations.service.list(orgId, 'pending', FIRST)).total > 0
    },
    hasWebhook: async (orgId: string) => (await webhooks.service.list(orgId)).length > 0,
  }
}

const ANY_ENTRY = { actor: undefined, target: undefined, from: undefined, to: undefined }
