import type { Db } from '../../../kernel/db.ts'

export type Log = {
  /** The number of entries at a time. */
  sizeAt(time: Date): Promise<number>
}

export type Agents = {
  /** The organisations of the agents that exist. */
  orgsOf(db: Db, agentIds: readonly string[]): Promise<ReadonlyMap<string, string>>
}
