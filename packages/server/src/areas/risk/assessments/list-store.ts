import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import type { Slice } from './store.ts'

export const SUBJECTS = ['agent', 'team'] as const
export type Subject = (typeof SUBJECTS)[number]

export type ListedId = { assessmentId: string; subject: Subject }

/** The assessments of agents and of teams in one order. */
export function createListStore(db: Db) {
  return {
    /** Newest first; without assessments of teams of which a member was erased. */
    async list(
      orgId: string,
      subject: Subject | undefined,
      { limit, offset }: Slice,
    ): Promise<{ items: ListedId[]; total: number }> {
      const all = sql`
        select assessment_id, created_at, 'agent' as subject from risk_assessment
        where org_id = ${orgId} and ${subject !== 'team'}
        union all
        select a.assessment_id, a.created_at, 'team' from team_risk_assessment a
        join team_risk_document d using (assessment_id)
        where a.org_id = ${orgId} and ${subject !== 'agent'}`
      const counted = await sql<{ total: number }>`
        select count(*) as total from (${all}) as one`.execute(db)
      const found = await sql<{ assessment_id: string; subject: Subject }>`
        select assessment_id, subject from (${all}) as one
        order by created_at desc, assessment_id limit ${limit} offset ${offset}`.execute(db)
      return {
        items: found.rows.map((row) => ({
          assessmentId: row.assessment_id,
          subject: row.subject,
        })),
        total: counted.rows[0]?.total ?? 0,
      }
    },
  }
}
