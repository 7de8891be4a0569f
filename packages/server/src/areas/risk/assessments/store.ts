import { sql } from 'kysely'
import { asPurger, type Db } from '../../../kernel/db.ts'
import type { AgentId, OrgId } from '../../../kernel/ids.ts'
import { rowsOf } from '../../../postgres/rows.ts'
import type { Assessment } from './assessment.ts'

type AssessmentRow = {
  assessment_id: string
  org_id: string
  agent_id: string
  counterparty_id: string | null
  created_at: Date
  context: unknown
  result: unknown
  explanation: string
  inputs: unknown
  inputs_commitment: string
}

type AssessmentTables = { risk_assessment: AssessmentRow }

/** An assessment without its inputs, which are shown separately to fewer callers. */
export type ShownAssessment = Omit<Assessment, 'inputs' | 'counterpartyId'>

const SHOWN = [
  'assessment_id',
  'org_id',
  'agent_id',
  'created_at',
  'context',
  'result',
  'explanation',
  'inputs_commitment',
] as const

type ShownRow = Pick<AssessmentRow, (typeof SHOWN)[number]>

export type CommittedInputs = {
  orgId: string
  agentIds: string[]
  inputs: object
  inputsCommitment: string
}

const ASSESSMENT_COLUMNS = {
  assessment_id: 'text',
  org_id: 'text',
  agent_id: 'text',
  counterparty_id: 'text',
  created_at: 'timestamptz',
  context: 'json',
  result: 'json',
  explanation: 'text',
  inputs: 'json',
  inputs_commitment: 'text',
}

/** A part of a history, counted from the newest entry. */
export type Slice = { limit: number; offset: number }

export function createAssessmentStore(db: Db) {
  const q = db.withTables<AssessmentTables>()
  return {
    /** Inserts all rows with one statement. */
    async insertAll(assessments: readonly Assessment[]): Promise<void> {
      const rows = rowsOf(ASSESSMENT_COLUMNS, assessments.map(toRow))
      await sql`insert into risk_assessment (assessment_id, org_id, agent_id, counterparty_id,
          created_at, context, result, explanation, inputs, inputs_commitment)
        select assessment_id, org_id, agent_id, counterparty_id, created_at, context, result,
          explanation, inputs, inputs_commitment
        from ${rows} as r`.execute(db)
    },

    async find(assessmentId: string): Promise<ShownAssessment | undefined> {
      const row = await q
        .selectFrom('risk_assessment')
        .select(SHOWN)
        .where('assessment_id', '=', assessmentId)
        .executeTakeFirst()
      return row && toShown(row)
    },

    async findAll(assessmentIds: readonly string[]): Promise<ShownAssessment[]> {
      const rows = await q
        .selectFrom('risk_assessment')
        .select(SHOWN)
        .where('assessment_id', '=', sql<string>`any(${assessmentIds})`)
        .execute()
      return rows.map(toShown)
    },

    async findOrg(assessmentId: string): Promise<string | undefined> {
      const row = await q
        .selectFrom('risk_assessment')
        .select('org_id')
        .where('assessment_id', '=', assessmentId)
        .executeTakeFirst()
      return row?.org_id
    },

    /** Prevents its deletion until the transaction ends. */
    async lock(assessmentId: string) {
      const row = await q
        .selectFrom('risk_assessment')
        .select(['org_id', 'agent_id', 'counterparty_id'])
        .where('assessment_id', '=', assessmentId)
        .forKeyShare()
        .executeTakeFirst()
      return (
        row && { orgId: row.org_id, agentId: row.agent_id, counterpartyId: row.counterparty_id }
      )
    },

    async findProvable(assessmentId: string) {
      const row = await q
        .selectFrom('risk_assessment')
        .select(['created_at', 'result', 'inputs', 'inputs_commitment'])
        .where('assessment_id', '=', assessmentId)
        .executeTakeFirst()
      return (
        row && {
          assessmentId,
          createdAt: row.created_at,
          // As in toShown.
          result: row.result as Assessment['result'],
          inputs: row.inputs as object,
          inputsCommitment: row.inputs_commitment,
        }
      )
    },

    async findInputs(assessmentId: string): Promise<CommittedInputs | undefined> {
      const row = await q
        .selectFrom('risk_assessment')
        .select(['org_id', 'agent_id', 'inputs', 'inputs_commitment'])
        .where('assessment_id', '=', assessmentId)
        .executeTakeFirst()
      return (
        row && {
          orgId: row.org_id,
          agentIds: [row.agent_id],
          // As in toShown.
          inputs: row.inputs as object,
          inputsCommitment: row.inputs_commitment,
        }
      )
    },

    /** Newest first. */
    async history(
      of: { orgId: string; agentId: string },
      { limit, offset }: Slice,
    ): Promise<{ items: ShownAssessment[]; total: number }> {
      const rows = q
        .selectFrom('risk_assessment')
        .where('agent_id', '=', of.agentId)
        .where('org_id', '=', of.orgId)
      const counted = await rows.select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow()
      const newest = await rows
        .select(SHOWN)
        .orderBy('created_at', 'desc')
        .orderBy('assessment_id')
        .limit(limit)
        .offset(offset)
        .execute()
      return { items: newest.map(toShown), total: counted.total }
    },

    /** Deletes assessments of the agent, and those of others with it as counterparty. */
    async deleteOfAgent(agentId: AgentId): Promise<void> {
      await asPurger(db, async () => {
        await q.deleteFrom('risk_assessment').where('agent_id', '=', agentId).execute()
        await q.deleteFrom('risk_assessment').where('counterparty_id', '=', agentId).execute()
      })
    },

    async deleteOfOrg(orgId: OrgId): Promise<void> {
      await asPurger(db, () =>
        q.deleteFrom('risk_assessment').where('org_id', '=', orgId).execute(),
      )
    },
  }
}

function toRow(one: Assessment): AssessmentRow {
  return {
    assessment_id: one.assessmentId,
    org_id: one.orgId,
    agent_id: one.agentId,
    counterparty_id: one.counterpartyId,
    created_at: one.createdAt,
    context: one.context,
    result: one.result,
    explanation: one.explanation,
    inputs: one.inputs,
    inputs_commitment: one.inputsCommitment,
  }
}

/** The casts are safe, because only this store writes the rows. */
function toShown(row: ShownRow): ShownAssessment {
  return {
    assessmentId: row.assessment_id,
    orgId: row.org_id,
    agentId: row.agent_id,
    createdAt: row.created_at,
    context: row.context as Assessment['context'],
    result: row.result as Assessment['result'],
    explanation: row.explanation,
    inputsCommitment: row.inputs_commitment,
  }
}
