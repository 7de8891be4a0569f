import { bytesToHex, nodeLookup, nodesForRoot, rootFromNodes } from '@touchstone/protocol'
import type { Db } from '../../../kernel/db.ts'
import { type Head, scoringSetSize } from './head.ts'
import { createScoringStore, type ViolationRow } from './scoring-store.ts'
import { hasStreak } from './session.ts'
import { createCheckpointStore } from './store.ts'

export type ScoredViolation = {
  id: string
  sessionId: string
  timestampMs: number
  cardGap: boolean
}

/** What of an agent's checkpoints a score is made of, as its chain stands at one moment. */
export type ScoringFacts = {
  agentId: string
  length: number
  leafCount: number
  /** Hex. */
  root: string
  checkpoints: { scored: number; clear: number; excluded: number }
  sessions: { total: number; unstable: number }
  violations: readonly ScoredViolation[]
}

/** What the scores of agents ask of their checkpoints. */
export function createScoringService(deps: { db: Db }) {
  return {
    listScorable: (afterAgentId: string, limit: number): Promise<string[]> =>
      createScoringStore(deps.db).listScorable(afterAgentId, limit),

    listScorableIn: (firstAgentId: string, lastAgentId: string): Promise<string[]> =>
      createScoringStore(deps.db).listScorableIn(firstAgentId, lastAgentId),

    /** The counts were kept while storing; only the violations are read, and of those the recent. */
    async scoringFacts(
      db: Db,
      agentIds: readonly string[],
      violationsAfter: Date,
    ): Promise<ScoringFacts[]> {
      const heads = await createCheckpointStore(db).listHeads(agentIds)
      const violations = new Map<string, ScoredViolation[]>()
      for (const row of await createScoringStore(db).violations(heads, violationsAfter)) {
        const known = violations.get(row.agent_id)
        if (known === undefined) violations.set(row.agent_id, [toViolation(row)])
        else known.push(toViolation(row))
      }
      return heads.map((head) => toFacts(head, violations.get(head.agentId) ?? []))
    },

    async listViolations(
      chain: { agentId: string; length: number },
      after: Date,
    ): Promise<ScoredViolation[]> {
      const found = await createScoringStore(deps.db).violations([chain], after)
      return found.map(toViolation)
    },

    /** The newest checkpoints and sessions that took something off the score. */
    async scoringEvidence(chain: { agentId: string; length: number }, idsMax: number) {
      const store = createScoringStore(deps.db)
      return {
        nonClearIds: await store.latestNotClear(chain, idsMax),
        unstableSessionIds: await store.latestUnstable(chain.agentId, idsMax),
      }
    },

    /**
     * How many sessions would be stable, were these checkpoints gaps of the card: those are left
     * out of a session's sequence. Ids that cannot be are given back.
     */
    async withoutCardGaps(
      agentId: string,
      checkpointIds: readonly string[],
    ): Promise<{ unknownIds: string[]; regained: number }> {
      if (checkpointIds.length === 0) return { unknownIds: [], regained: 0 }
      const store = createScoringStore(deps.db)
      const found = await store.notClearAmong(agentId, checkpointIds)
      const ids = new Set(found.map((one) => one.checkpointId))
      const sessions = [...new Set(found.map((one) => one.sessionId))]
      const sequences = [...(await store.unstableSequences(agentId, sessions)).values()]
      const stable = sequences.filter((sequence) => {
        const counting = sequence.filter((one) => !one.cardGap && !ids.has(one.checkpointId))
        return !hasStreak(counting.map((one) => one.verdict))
      })
      return {
        unknownIds: checkpointIds.filter((id) => !ids.has(id)),
        regained: stable.length,
      }
    },

    /** How many count, as of now. */
    async countScored(agentId: string): Promise<number> {
      const head = await createCheckpointStore(deps.db).findHead(agentId)
      return head === undefined ? 0 : scoringSetSize(head.counts)
    },
  }
}

function toViolation(row: ViolationRow): ScoredViolation {
  return {
    id: row.checkpoint_id,
    sessionId: row.session_id,
    timestampMs: row.occurred_ms,
    cardGap: row.reclassification === 'card_gap',
  }
}

function toFacts(head: Head, violations: readonly ScoredViolation[]): ScoringFacts {
  const { counts, leafCount } = head
  const nodes = nodesForRoot(leafCount).map((id, at) => ({
    ...id,
    hash: head.edge[at] ?? new Uint8Array(),
  }))
  return {
    agentId: head.agentId,
    length: head.length,
    leafCount,
    root: bytesToHex(rootFromNodes(leafCount, nodeLookup(nodes))),
    checkpoints: {
      scored: scoringSetSize(counts),
      clear: counts.verdicts.clear,
      excluded: counts.excluded,
    },
    sessions: { total: counts.sessionsScored, unstable: counts.sessionsUnstable },
    violations,
  }
}
