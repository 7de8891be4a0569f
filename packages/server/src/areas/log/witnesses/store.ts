import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import type { WitnessStatus } from './add-checkpoint.ts'

export type WitnessState = {
  /** The newest checkpoint that it cosigned. */
  size: number
  status: WitnessStatus
  detail: string | null
  answeredAt: Date | null
  /** When it cosigned that checkpoint; null if it is not known any more. */
  cosignedAt: Date | null
}

type StateRow = {
  witness: string
  size: number
  status: string
  detail: string | null
  answered_at: Date
  cosigned_at: Date | null
}

export function createWitnessStore(db: Db) {
  return {
    async states(): Promise<Map<string, WitnessState>> {
      const found = await sql<StateRow>`select w.*, c.cosigned_at from log_witness w
        left join log_cosignature c on c.size = w.size and c.witness = w.witness`.execute(db)
      return new Map(found.rows.map((row) => [row.witness, toState(row)]))
    },

    async setState(witness: string, state: Omit<WitnessState, 'cosignedAt'>) {
      const { size, status, detail, answeredAt } = state
      await sql`insert into log_witness (witness, size, status, detail, answered_at)
        values (${witness}, ${size}, ${status}, ${detail}, ${answeredAt})
        on conflict (witness) do update set size = excluded.size, status = excluded.status,
          detail = excluded.detail, answered_at = excluded.answered_at`.execute(db)
    },

    /** A later cosignature of the same checkpoint replaces the earlier one. */
    async addCosignature(cosigned: { size: number; witness: string; line: string; at: Date }) {
      const { size, witness, line, at } = cosigned
      await sql`insert into log_cosignature (size, witness, line, cosigned_at)
        values (${size}, ${witness}, ${line}, ${at})
        on conflict (size, witness) do update
          set line = excluded.line, cosigned_at = excluded.cosigned_at`.execute(db)
    },

    /** The newest size that at least this many of the witnesses cosigned. */
    async newestCosigned(witnesses: readonly string[], quorum: number) {
      const found = await sql<{ size: number }>`select size from log_cosignature
        where witness = any(${witnesses}::text[])
        group by size having count(*) >= ${quorum} order by size desc limit 1`.execute(db)
      return found.rows[0]?.size
    },

    async linesOf(size: number, witnesses: readonly string[]): Promise<string[]> {
      const found = await sql<{ line: string }>`select line from log_cosignature
        where size = ${size} and witness = any(${witnesses}::text[]) order by witness`.execute(db)
      return found.rows.map(({ line }) => line)
    },

    async deleteBelow(size: number, before: Date, rowsMax: number): Promise<number> {
      const gone = await sql`delete from log_cosignature where (size, witness) in (
        select size, witness from log_cosignature
        where size < ${size} and cosigned_at < ${before} limit ${rowsMax})`.execute(db)
      return Number(gone.numAffectedRows ?? 0)
    },

    /** False if it was raised before. */
    async raise(since: Date): Promise<boolean> {
      const raised = await sql`insert into log_unwitnessed (since) values (${since})
        on conflict do nothing`.execute(db)
      return Number(raised.numAffectedRows ?? 0) === 1
    },

    async clear(): Promise<void> {
      await sql`delete from log_unwitnessed`.execute(db)
    },
  }
}

function toState(row: StateRow): WitnessState {
  return {
    size: row.size,
    // The cast is safe: `setState` is the only writer.
    status: row.status as WitnessStatus,
    detail: row.detail,
    answeredAt: row.answered_at,
    cosignedAt: row.cosigned_at,
  }
}
