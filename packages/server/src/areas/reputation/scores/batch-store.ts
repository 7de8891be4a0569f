import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'

type BatchTables = {
  score_batch: { run_at: Date; first_agent: string; last_agent: string }
}

export type BatchKey = { runAt: Date; firstAgent: string }

/** The unfinished batches of hourly runs. */
export function createBatchStore(db: Db) {
  const q = db.withTables<BatchTables>()
  return {
    async insert(batch: BatchKey & { lastAgent: string }): Promise<void> {
      await q
        .insertInto('score_batch')
        .values({
          run_at: batch.runAt,
          first_agent: batch.firstAgent,
          last_agent: batch.lastAgent,
        })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    },

    /** False if the batch had ended before. The row lock serialises two workers that end it. */
    async end(batch: BatchKey): Promise<boolean> {
      const deleted = await q
        .deleteFrom('score_batch')
        .where('run_at', '=', batch.runAt)
        .where('first_agent', '=', batch.firstAgent)
        .executeTakeFirst()
      return Number(deleted.numDeletedRows) === 1
    },

    async count(runAt: Date): Promise<number> {
      const counted = await q
        .selectFrom('score_batch')
        .select(sql<number>`count(*)`.as('total'))
        .where('run_at', '=', runAt)
        .executeTakeFirstOrThrow()
      return counted.total
    },
  }
}
