import { worstSeverity } from '@touchstone/protocol/analysis'
import { isSynthetic } from '@touchstone/protocol/evidence'
import type { Db } from '../../../kernel/db.ts'
import type { Prepared } from '../intake/admission-service.ts'
import type { Arriving, Watched } from '../intake/ports.ts'
import type { Placed } from './placement.ts'
import { createWatchStore, type Newest } from './watch-store.ts'

/** What those ask who act on what an agent does now. */
export function createWatchService(deps: { db: Db }) {
  const store = createWatchStore(deps.db)
  return {
    /** The last analysed one in chain order, of the session or of the agent's last so many. */
    findNewest: (of: {
      agentId: string
      sessionId: string | undefined
      lookedAtMax: number
    }): Promise<Newest | undefined> =>
      of.sessionId === undefined
        ? store.newestOfAgent(of.agentId, of.lookedAtMax)
        : store.newestOfSession(of.agentId, of.sessionId),

    chainLength: (tx: Db, agentId: string): Promise<number> =>
      createWatchStore(tx).chainLength(agentId),

    /** Boundary violations in a row among the analysed ones, without gaps of the card. */
    violationsBefore: (
      tx: Db,
      chain: { agentId: string; from: number; before: number },
    ): Promise<number> =>
      createWatchStore(tx).violationsBefore(chain.agentId, chain.from, chain.before),
  }
}

export function toArriving({ ingestAgent: agent, examination }: Prepared): Arriving {
  return { agent, verdict: examination.verdict, analysed: !isSynthetic(examination) }
}

export function toWatched({ placed, prepared }: { placed: Placed; prepared: Prepared }): Watched {
  const arriving = toArriving(prepared)
  const { checkpoint, after } = placed
  const { review_needed: reviews, boundary_violation: violations } = after.session.verdicts
  // A session counts its analysed ones alone.
  const unanalysed = !arriving.analysed && arriving.verdict !== 'clear' ? 1 : 0
  return {
    agent: arriving.agent,
    verdict: arriving.verdict,
    analysed: arriving.analysed,
    org: prepared.org,
    checkpointId: checkpoint.checkpointId,
    sessionId: checkpoint.sessionId,
    position: after.head.length - 1,
    violationType: checkpoint.violationType,
    severity: worstSeverity(checkpoint.concerns) ?? null,
    notClear: reviews + violations + unanalysed,
  }
}
