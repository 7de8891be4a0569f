import { sql } from 'kysely'
import { asPurger, type Db } from '../../../kernel/db.ts'
import type { AgentId, OrgId } from '../../../kernel/ids.ts'
import type { CommittedInputs, Slice } from './store.ts'
import type { TeamAssessment } from './team-assessment.ts'

type TeamTables = {
  team_risk_assessment: {
    assessment_id: string
    org_id: string
    team_id: string | null
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

export function createTeamAssessmentStore(db: Db) {
  const q = db.withTables<TeamTables>()
  const shown = () =>
    q
      .selectFrom('team_risk_assessment as a')
      .innerJoin('team_risk_document as d', 'd.assessment_id', 'a.assessment_id')
      .select(['a.assessment_id', 'a.org_id', 'a.team_id', 'a.created_at'])
      .select(['d.agent_ids', 'd.context', 'd.result', 'd.inputs_commitment'])
  return {
    async insert(assessment: TeamAssessment): Promise<void> {
      const { assessmentId, orgId, result } = assessment
      await q
        .insertInto('team_risk_assessment')
        .values({
          assessment_id: assessmentId,
          org_id: orgId,
          team_id: assessment.teamId,
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

    /** Keeps the numbers, which name no agent, and deletes the documents that do. */
    async eraseAgent(agentId: AgentId): Promise<void> {
      await asPurger(db, () =>
        sql`delete from team_risk_document where agent_ids @> array[${agentId}]::text[]`.execute(
          db,
        ),
      )
    },

    async deleteOfOrg(orgId: OrgId): Promise<void> {
      await asPurger(db, async () => {
        await q.deleteFrom('team_risk_document').where('org_id', '=', orgId).execute()
        await q.deleteFrom('team_risk_assessment').where('org_id', '=', orgId).execute()
      })
    },

    /** Undefined also after a member was erased. */
    async find(assessmentId: string): Promise<ShownTeamAssessment | undefined> {
      const row = await shown().where('a.assessment_id', '=', assessmentId).executeTakeFirst()
      return row && toShown(row)
    },

    async findAll(assessmentIds: readonly string[]): Promise<ShownTeamAssessment[]> {
      const rows = await shown()
        .where('a.assessment_id', '=', sql<string>`any(${assessmentIds})`)
        .execute()
      return rows.map(toShown)
    },

    /** Newest first; without those of which a member was erased. */
    async history(
      of: { orgId: string; teamId: string },
      { limit, offset }: Slice,
    ): Promise<{ assessments: ShownTeamAssessment[]; total: number }> {
      const rows = shown().where('a.team_id', '=', of.teamId).where('a.org_id', '=', of.orgId)
      const counted = await rows
        .clearSelect()
        .select(sql<number>`count(*)`.as('total'))
        .executeTakeFirstOrThrow()
      const newest = await rows
        .orderBy('a.created_at', 'desc')
        .orderBy('a.assessment_id')
        .limit(limit)
        .offset(offset)
        .execute()
      return { assessments: newest.map(toShown), total: counted.total }
    },

    /** Undefined also after a member was erased. */
    async findOrg(assessmentId: string): Promise<string | undefined> {
      const row = await q
        .selectFrom('team_risk_document')
        .select('org_id')
        .where('assessment_id', '=', assessmentId)
        .executeTakeFirst()
      return row?.org_id
    },

    async findInputs(assessmentId: string): Promise<CommittedInputs | undefined> {
      const row = await q
        .selectFrom('team_risk_document')
        .select(['org_id', 'agent_ids', 'inputs', 'inputs_commitment'])
        .where('assessment_id', '=', assessmentId)
        .executeTakeFirst()
      return (
        row && {
          orgId: row.org_id,
          agentIds: row.agent_ids,
          // As in toShown.
          inputs: row.inputs as object,
          inputsCommitment: row.inputs_commitment,
        }
      )
    },
  }
}

type ShownRow = Pick<
  TeamTables['team_risk_assessment'],
  'assessment_id' | 'org_id' | 'team_id' | 'created_at'
> &
  Pick<TeamTables['team_risk_document'], 'agent_ids' | 'context' | 'result' | 'inputs_commitment'>

/** The casts are safe, because only this store writes the rows. */
function toShown(row: ShownRow): ShownTeamAssessment {
  return {
    assessmentId: row.assessment_id,
    orgId: row.org_id,
    teamId: row.team_id,
    agentIds: row.agent_ids,
    createdAt: row.created_at,
    context: row.context as TeamAssessment['context'],
    result: toResult(row.result as TeamAssessment['result']),
    inputsCommitment: row.inputs_commitment,
  }
}

/** Results without `divergenceCount` predate the limit, so they contain every divergence. */
function toResult(stored: TeamAssessment['result']): TeamAssessment['result'] {
  return { ...stored, divergenceCount: stored.divergenceCount ?? stored.divergences.length }
}
