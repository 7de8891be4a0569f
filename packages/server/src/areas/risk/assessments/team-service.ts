import {
  type PairScore,
  reportTeam,
  type TeamReport,
  type TeamRiskInput,
} from '@touchstone/protocol/risk'
import { type Db, transact } from '../../../kernel/db.ts'
import { newId } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import { cardInForce, memberOf } from './agent-facts.ts'
import type { Facts, FactsService } from './facts-service.ts'
import type {
  Agents,
  Coherence,
  LinkedTeam,
  Meters,
  TeamReputation,
  Teams,
  Workers,
} from './ports.ts'
import { erasedConcurrently, invalid, newSalt, requireKnownAgent } from './question-service.ts'
import {
  TEAM_MEMBERS_INLINE_MAX,
  TEAM_MEMBERS_MIN,
  type TeamAssessment,
  type TeamContext,
} from './team-assessment.ts'
import { createTeamAssessmentStore, type ShownTeamAssessment } from './team-store.ts'

const METER = 'team_risk_assessment'

/** Attempts at assessing a team that changes concurrently. */
const ATTEMPTS_MAX = 3

export type TeamDeps = {
  db: Db
  agents: Agents
  meters: Meters
  teams: Teams
  coherence: Coherence
  teamReputation: TeamReputation
  workers: Workers
}

/** A request to assess agents together, named by their ids, by their team, or by both. */
export type TeamQuestion = {
  orgId: string
  teamId: string | null
  agentIds: readonly string[] | null
  context: TeamContext
}

export function createTeamRiskService(deps: TeamDeps, facts: FactsService) {
  const assessOnce = async (question: TeamQuestion) => {
    const { orgId, context } = question
    const { team, agentIds } = await rosterOf(deps, question)
    const read = await facts.read(agentIds)
    const assessmentId = newId('tra')
    const parts = {
      assessmentId,
      asOf: read.now.toISOString(),
      salt: newSalt(),
      merkleRoots: rootsIn(read),
    }
    const input: TeamRiskInput = {
      actionType: context.actionType,
      riskTolerance: context.riskTolerance,
      mode: context.coordinationMode,
      members: agentIds.map((agentId) =>
        memberOf(requireKnownAgent(read, orgId, agentId), read.now),
      ),
      teamCard: cardInForce(team?.card ?? undefined, read.now),
    }
    const report = await compute(deps, { input, parts })
    const { memberExplanations, inputsJson, inputsCommitment } = report
    const assessment: TeamAssessment = {
      assessmentId,
      orgId,
      agentIds,
      context,
      inputsJson,
      inputsCommitment,
      teamId: team?.teamId ?? null,
      createdAt: read.now,
      result: { ...report.risk, memberExplanations },
    }
    return { assessment, pairs: report.pairScores }
  }

  return {
    /** Commits the assessment with its dependent records before it returns. */
    async assess(question: TeamQuestion): Promise<ShownTeamAssessment> {
      for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
        const { assessment, pairs } = await assessOnce(question)
        // A team that changed meanwhile makes the assessment obsolete, so it is repeated.
        if (await store(deps, assessment, pairs)) return assessment
      }
      throw new Problem('conflict', 'The team changed during the assessment. Retry the request.')
    },

    /** Undefined also after a member was erased. The caller must check who owns it. */
    find: (assessmentId: string): Promise<ShownTeamAssessment | undefined> =>
      createTeamAssessmentStore(deps.db).find(assessmentId),
  }
}

type Roster = { team: LinkedTeam | undefined; agentIds: readonly string[] }

async function rosterOf({ teams }: TeamDeps, question: TeamQuestion): Promise<Roster> {
  const { orgId, teamId, agentIds } = question
  if (teamId === null) {
    if (agentIds === null) throw invalid('/agent_ids', 'is required without team_id')
    return { team: await teams.findByRoster({ orgId, agentIds }), agentIds }
  }
  const team = await teams.find({ orgId, teamId })
  if (team === undefined) throw new Problem('not_found', 'No such team.')
  const named = agentIds ?? team.agentIds
  const members = new Set(team.agentIds)
  if (named.length !== members.size || named.some((agentId) => !members.has(agentId))) {
    throw invalid('/agent_ids', 'must be the members of the team')
  }
  if (named.length < TEAM_MEMBERS_MIN) {
    throw invalid('/team_id', `must have at least ${TEAM_MEMBERS_MIN} members`)
  }
  return { team, agentIds: named }
}

/** Computes large teams on a worker thread, so that they do not block other requests. */
async function compute(
  { workers }: TeamDeps,
  given: Parameters<typeof reportTeam>[0],
): Promise<TeamReport> {
  const isSmall = given.input.members.length <= TEAM_MEMBERS_INLINE_MAX
  return isSmall ? reportTeam(given) : workers.reportTeam(given)
}

function rootsIn({ byAgent }: Facts): Map<string, string> {
  const roots = new Map<string, string>()
  for (const { agentId, merkleRoot } of byAgent.values()) {
    if (merkleRoot !== null) roots.set(agentId, `sha256:${merkleRoot}`)
  }
  return roots
}

/** Returns false and stores nothing if the linked team is archived or has other members. */
async function store(
  deps: TeamDeps,
  assessment: TeamAssessment,
  pairs: readonly PairScore[],
): Promise<boolean> {
  const { orgId, teamId, agentIds } = assessment
  const isCapped = await deps.meters.isCapped(orgId, METER)
  return transact(deps.db, async (tx) => {
    const existing = await deps.agents.lockExisting(tx, agentIds.toSorted())
    if (existing.length < agentIds.length) throw erasedConcurrently()
    // Lock order as in changes and scores of teams: agents, team, meter.
    if (teamId !== null && !(await deps.teams.lock(tx, { teamId, agentIds }))) return false
    const use = { orgId, meter: METER, amount: 1 } as const
    await (isCapped ? deps.meters.recordCapped(tx, use) : deps.meters.record(tx, use))
    await createTeamAssessmentStore(tx).insert(assessment)
    if (pairs.length > 0) await deps.coherence.record(tx, pairs, { orgId })
    await countForTeam(deps, tx, assessment)
    return true
  })
}

async function countForTeam(
  deps: TeamDeps,
  tx: Db,
  { orgId, teamId, assessmentId, createdAt, result }: TeamAssessment,
): Promise<void> {
  if (teamId === null) return
  await deps.teamReputation.append(tx, {
    orgId,
    teamId,
    assessmentId,
    createdAt,
    coherence: result.pillars.coherence,
    structuralRisk: result.pillars.structuralRisk,
    level: result.level,
  })
}
