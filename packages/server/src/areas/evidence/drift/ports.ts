import type { Db } from '../../../kernel/db.ts'
import type { DriftTrace } from './trace-drift.ts'

export type Agents = {
  /** Throws `conflict` if the agent is archived, and locks it until the transaction ends. */
  assertOpen(tx: Db, agentId: string): Promise<void>
}

export type Traces = {
  /** Ids of the last traces verified against the card, by (timestamp, trace_id), newest last. */
  listLatestIds(
    tx: Db,
    wanted: { agentId: string; cardId: string; countMax: number },
  ): Promise<string[]>
  /** The traces that still exist, in the order given. */
  listBehaviour(tx: Db, agentId: string, traceIds: readonly string[]): Promise<DriftTrace[]>
}

export type Sessions = {
  /** A trace alert opened in the session, which makes it unstable permanently. */
  noteTraceDrift(tx: Db, session: { agentId: string; sessionId: string }): Promise<void>
}
