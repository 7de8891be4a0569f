import { sql } from 'kysely'
import { asPurger, type Db } from '../../../kernel/db.ts'
import type { Opened } from './store.ts'
import type { TeamAssessment } from './team-assessment.ts'

type TeamTables = {
  team_risk_assessment: {
    assessment_id: string
    org_id: string
    team_id: string | null
    counted_number: number | null
    created_at: Date
    level: TeamAssessment['result']['level']
    score_e4: number
    coherence_e4: number
    aggregate_risk: number
    coherence: number
    structural_risk: number
  }
  team_risk_document: {
    assessment_id: string
    org_id: string
    agent_ids: string[]
    context: unknown
    result: unknown
    inputs: unknown
    inputs_commitment: string
  }
}

export type ShownTeamAssessment = Omit<TeamAssessment, 'inputsJson'>

/** One that counts for a team's reputation, in the units of it. */
export type CountedAssessment = {
  assessmentId: string
  /** From 1, without a gap. */
  countedNumber: number
  createdAt: Date
  coherence: number
  structuralRisk: number
  level: TeamAssessment['result']['level']
}

export type CountedSpan = { teamId: string; since: Date; afterNumber: number; limit: number }

export function createTeamAssessmentStore(db: Db) {
  return { ...writing(db), ...reading(db) }
}

function writing(db: Db) {
  const q = db.withTables<TeamTables>()
  return {
    /** The team's assessments are counted and added one by one. */
    async lockTeam(teamId: string): Promise<void> {
      const key = `team_risk_assessment ${teamId}`
      await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(db)
    },

    /** How many count in all, and how many of the UTC day from then on. */
    async countOf(teamId: string, dayStart: Date): Promise<{ last: number; ofDay: number }> {
      const found = await sql<{ last: number | null; of_day: number }>`
        select
          (select max(counted_number) from team_risk_assessment where team_id = ${teamId}) as last,
          (select count(*) from team_risk_assessment where team_id = ${teamId}
            and counted_number is not null and created_at >= ${dayStart}
            and created_at < ${dayStart}::timestamptz + interval '1 day') as of_day`.execute(db)
      const row = found.rows[0]
      return { last: row?.last ?? 0, ofDay: row?.of_day ?? 0 }
    },

    async insert(assessment: TeamAssessment, countedNumber: number | null): Promise<void> {
      const { assessmentId, orgId, result } = assessment
      await q
        .insertInto('team_risk_assessment')
        .values({
          assessment_id: assessmentId,
          org_id: orgId,
          team_id: assessment.teamId,
          counted_number: countedNumber,
          created_at: assessment.createdAt,
          level: result.level,
          score_e4: result.riskE4,
          coherence_e4: result.coherenceE4,
          aggregate_risk: result.pillars.aggregateRisk,
          coherence: result.pillars.coherence,
          structural_risk: result.pillars.structuralRisk,
        })
        .execute()
      await q
        .insertInto('team_risk_document')
        .values({
          assessment_id: assessmentId,
          org_id: orgId,
          agent_ids: [...assessment.agentIds],
          context: JSON.stringify(assessment.context),
          result: JSON.stringify(result),
          inputs: assessment.inputsJson,
          inputs_commitment: assessment.inputsCommitment,
        })
        .execute()
    },

    /** Numbers stay: whose they were is no longer told anywhere. */
    async forgetAgent(agentId: string): Promise<void> {
      await asPurger(db, () =>
        sql`delete from team_risk_document where agent_ids @> array[${agentId}]::text[]`.execute(
          db,
        ),
      )
    },

    async deleteOfOrg(orgId: string): Promise<void> {
      await asPurger(db, async () => {
        await q.deleteFrom('team_risk_document').where('org_id', '=', orgId).execute()
        await q.deleteFrom('team_risk_assessment').where('org_id', '=', orgId).execute()
      })
    },
  }
}

function reading(db: Db) {
  const q = db.withTables<TeamTables>()
  return {
    /** Undefined also once a member was erased. */
    async find(assessmentId: string): Promise<ShownTeamAssessment | undefined> {
      const row = await q
        .selectFrom('team_risk_assessment as a')
        .innerJoin('team_risk_document as d', 'd.assessment_id', 'a.assessment_id')
        .select(['a.assessment_id', 'a.org_id', 'a.team_id', 'a.created_at'])
        .select(['d.agent_ids', 'd.context', 'd.result', 'd.inputs_commitment'])
        .where('a.assessment_id', '=', assessmentId)
        .executeTakeFirst()
      return (
        row && {
          assessmentId: row.assessment_id,
          orgId: row.org_id,
          teamId: row.team_id,
          agentIds: row.agent_ids,
          createdAt: row.created_at,
          context: row.context as TeamAssessment['context'],
          result: row.result as TeamAssessment['result'],
          inputsCommitment: row.inputs_commitment,
        }
      )
    },

    async findInputs(assessmentId: string): Promise<Opened | undefined> {
      const row = await q
        .selectFrom('team_risk_document')
        .select(['org_id', 'agent_ids', 'inputs', 'inputs_commitment'])
        .where('assessment_id', '=', assessmentId)
        .executeTakeFirst()
      return (
        row && {
          orgId: row.org_id,
          agentIds: row.agent_ids,
          inputs: row.inputs as object,
          inputsCommitment: row.inputs_commitment,
        }
      )
    },

    /** In the order in which they began to count. */
    async counted({
      teamId,
      since,
      afterNumber,
      limit,
    }: CountedSpan): Promise<CountedAssessment[]> {
      const rows = await q
        .selectFrom('team_risk_assessment')
        .select(['assessment_id', 'counted_number', 'created_at', 'level'])
        .select(['coherence', 'structural_risk'])
        .where('team_id', '=', teamId)
        .where('counted_number', '>', afterNumber)
        .where('created_at', '>=', since)
        .orderBy('counted_number')
        .limit(limit)
        .execute()
      return rows.map((row) => ({
        assessmentId: row.assessment_id,
        countedNumber: row.counted_number ?? 0,
        createdAt: row.created_at,
        coherence: row.coherence,
        structuralRisk: row.structural_risk,
        level: row.level,
      }))
    },
  }
}
