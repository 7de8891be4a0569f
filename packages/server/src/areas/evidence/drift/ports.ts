import type { Db } from '../../../kernel/db.ts'
import type { DriftTrace } from './trace-drift.ts'

export type Agents = {
  /** Throws `conflict` once the agent is archived; it stays as it is until the transaction ends. */
  assertOpen(tx: Db, agentId: string): Promise<void>
}

export type Traces = {
  /** Ids of the last traces held against the card, by (timestamp, trace_id), the newest last. */
  listLatestIds(
    tx: Db,
    wanted: { agentId: string; cardId: string; countMax: number },
  ): Promise<string[]>
  /** Those of the given ids that are still there, in the order given. */
  listBehaviour(tx: Db, agentId: string, traceIds: readonly string[]): Promise<DriftTrace[]>
}

export type Sessions = {
  /** A trace alert opened in it, which makes the session unstable for good. */
  noteTraceDrift(tx: Db, session: { agentId: string; sessionId: string }): Promise<void>
}
