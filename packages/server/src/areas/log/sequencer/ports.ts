import type { Db } from '../../../kernel/db.ts'

export type Entries = {
  /** The oldest records as entries, in order; `settled` is called after the commit. */
  prepare(
    tx: Db,
    limit: number,
  ): Promise<{
    entries: readonly { pendingId: number; entry: Uint8Array }[]
    settled(): void
  }>
  /** Removes records from the queue: they are in the log now, from this index on. */
  settle(tx: Db, pendingIds: readonly number[], firstIndex: number): Promise<void>
  hasPending(): Promise<boolean>
}
