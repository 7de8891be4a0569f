import type { RiskLevel } from '@touchstone/protocol/risk'
import type { ChainedAssessment } from '@touchstone/protocol/teams'
import { sql } from 'kysely'
import { asPurger, type Db } from '../../../kernel/db.ts'
import type { TeamId } from '../../../kernel/ids.ts'

type ChainTables = {
  team_assessment: {
    team_id: string
    position: number
    assessment_id: string
    created_at: Date
    cq: number
    sr: number
    level: string
    chain_hash: string
  }
}

/** A counted assessment at its position in the chain; hashes are hex. */
export type Link = { position: number; assessment: ChainedAssessment; hash: string }

export function createChainStore(db: Db) {
  const q = db.withTables<ChainTables>()
  return {
    async append(teamId: string, { position, assessment, hash }: Link): Promise<void> {
      await q
        .insertInto('team_assessment')
        .values({
          team_id: teamId,
          position,
          chain_hash: hash,
          assessment_id: assessment.assessmentId,
          created_at: new Date(assessment.createdAt),
          cq: assessment.coherence,
          sr: assessment.structuralRisk,
          level: assessment.level,
        })
        .execute()
    },

    async countBetween(teamId: string, from: Date, before: Date): Promise<number> {
      const counted = await q
        .selectFrom('team_assessment')
        .select(sql<number>`count(*)`.as('total'))
        .where('team_id', '=', teamId)
        .where('created_at', '>=', from)
        .where('created_at', '<', before)
        .executeTakeFirstOrThrow()
      return counted.total
    },

    /** In order, after one position, up to and including another. */
    async list(
      teamId: string,
      { after, through, limit }: { after: number; through: number; limit: number },
    ): Promise<Link[]> {
      const rows = await q
        .selectFrom('team_assessment')
        .selectAll()
        .where('team_id', '=', teamId)
        .where('position', '>', after)
        .where('position', '<=', through)
        .orderBy('position')
        .limit(limit)
        .execute()
      return rows.map((row) => ({
        position: row.position,
        hash: row.chain_hash,
        assessment: {
          assessmentId: row.assessment_id,
          createdAt: row.created_at.toISOString(),
          coherence: row.cq,
          structuralRisk: row.sr,
          level: row.level as RiskLevel,
        },
      }))
    },

    async deleteOf(teamId: TeamId): Promise<void> {
      await asPurger(db, () =>
        q.deleteFrom('team_assessment').where('team_id', '=', teamId).execute(),
      )
    },
  }
}
