import type { Db } from '../../../kernel/db.ts'
import { createWatchStore, type Newest } from './watch-store.ts'

/** Reads for the features that act on an agent's latest checkpoints. */
export function createWatchService(deps: { db: Db }) {
  const store = createWatchStore(deps.db)
  return {
    /** The last analysed checkpoint of the session or, without one, of the agent's last `lookedAtMax`. */
    findNewest: (of: {
      agentId: string
      sessionId: string | undefined
      lookedAtMax: number
    }): Promise<Newest | undefined> =>
      of.sessionId === undefined
        ? store.newestOfAgent(of.agentId, of.lookedAtMax)
        : store.newestOfSession(of.agentId, of.sessionId),

    flaggedSessions: store.flaggedSessions,

    chainLength: (tx: Db, agentId: string): Promise<number> =>
      createWatchStore(tx).chainLength(agentId),

    /** The run of boundary violations before a position. Skips card gaps and synthetic checkpoints. */
    violationsBefore: (
      tx: Db,
      chain: { agentId: string; from: number; before: number },
    ): Promise<number> =>
      createWatchStore(tx).violationsBefore(chain.agentId, chain.from, chain.before),
  }
}
