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
import { erasedMeanwhile, knownAgent, newSalt, refusal } from './question-service.ts'
import {
  TEAM_MEMBERS_INLINE_MAX,
  TEAM_MEMBERS_MIN,
  type TeamAssessment,
  type TeamContext,
} from './team-assessment.ts'
import { createTeamAssessmentStore, type ShownTeamAssessment } from './team-store.ts'

const METER = 'team_risk_assessment'

/** A team that changes more often than this while it is assessed is not at rest. */
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

/** What is asked about agents together: by their ids, by their team, or by both. */
export type TeamQuestion = {
  orgId: string
  teamId: string | null
  agentIds: readonly string[] | null
  context: TeamContext
}

export function createTeamService(deps: TeamDeps, facts: FactsService) {
  const assess = async (question: TeamQuestion) => {
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
      members: agentIds.map((agentId) => memberOf(knownAgent(read, orgId, agentId), read.now)),
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
    /** Answered once it is stored, with all that follows from it. */
    async assessTeam(question: TeamQuestion): Promise<ShownTeamAssessment> {
      for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
        const { assessment, pairs } = await assess(question)
        // Else the team is no longer what was assessed, and the question has another answer.
        if (await store(deps, assessment, pairs)) return assessment
      }
      throw new Problem('conflict', 'The team changed while it was assessed. Ask again.')
    },

    /** Undefined also once a member was erased. Whose it is, the caller must ask. */
    findTeam: (assessmentId: string): Promise<ShownTeamAssessment | undefined> =>
      createTeamAssessmentStore(deps.db).find(assessmentId),
  }
}

type Roster = { team: LinkedTeam | undefined; agentIds: readonly string[] }

async function rosterOf({ teams }: TeamDeps, question: TeamQuestion): Promise<Roster> {
  const { orgId, teamId, agentIds } = question
  if (teamId === null) {
    if (agentIds === null) throw refusal('/agent_ids', 'is required without team_id')
    return { team: await teams.findByRoster({ orgId, agentIds }), agentIds }
  }
  const team = await teams.find({ orgId, teamId })
  if (team === undefined) throw new Problem('not_found', 'No such team.')
  const named = agentIds ?? team.agentIds
  const members = new Set(team.agentIds)
  if (named.length !== members.size || named.some((agentId) => !members.has(agentId))) {
    throw refusal('/agent_ids', 'must be the members of the team')
  }
  if (named.length < TEAM_MEMBERS_MIN) {
    throw refusal('/team_id', `must have at least ${TEAM_MEMBERS_MIN} members`)
  }
  return { team, agentIds: named }
}

/** Large teams take long, and nobody else may have to wait for them. */
async function compute(
  { workers }: TeamDeps,
  given: Parameters<typeof reportTeam>[0],
): Promise<TeamReport> {
  const isQuick = given.input.members.length <= TEAM_MEMBERS_INLINE_MAX
  return isQuick ? reportTeam(given) : workers.reportTeam(given)
}

function rootsIn({ byAgent }: Facts): Map<string, string> {
  const roots = new Map<string, string>()
  for (const { agentId, merkleRoot } of byAgent.values()) {
    if (merkleRoot !== null) roots.set(agentId, `sha256:${merkleRoot}`)
  }
  return roots
}

/** False, and nothing is stored, when the team it is linked to is gone or has other members. */
async function store(
  deps: TeamDeps,
  assessment: TeamAssessment,
  pairs: readonly PairScore[],
): Promise<boolean> {
  const { orgId, teamId, agentIds, createdAt } = assessment
  const isCapped = await deps.meters.isCapped(orgId, METER)
  return transact(deps.db, async (tx) => {
    const there = await deps.agents.keep(tx, agentIds.toSorted())
    if (there.length < agentIds.length) throw erasedMeanwhile()
    // After the agents and before the meter, as whoever changes or rates a team does.
    if (teamId !== null && !(await deps.teams.hold(tx, { teamId, agentIds }))) return false
    const use = { orgId, meter: METER, amount: 1 } as const
    await (isCapped ? deps.meters.recordCapped(tx, use) : deps.meters.record(tx, use))
    await createTeamAssessmentStore(tx).insert(assessment)
    if (pairs.length > 0) await deps.coherence.record(tx, pairs, createdAt)
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
  await deps.teamReputation.count(tx, {
    orgId,
    teamId,
    assessmentId,
    createdAt,
    coherence: result.pillars.coherence,
    structuralRisk: result.pillars.structuralRisk,
    level: result.level,
  })
}
