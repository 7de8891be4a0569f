import { type AssuranceCounts, firstAssuranceDay, type Violation } from '@touchstone/protocol/score'
import type { Db } from '../../../kernel/db.ts'
import { type Head, rootOf, scoringSetSize } from './head.ts'
import { createScoringStore } from './scoring-store.ts'
import { isUnstable } from './session.ts'
import { createCheckpointStore } from './store.ts'

/** The inputs of an agent's score that come from its checkpoints, at one moment. */
export type ScoringFacts = {
  agentId: string
  length: number
  leafCount: number
  /** Hex. */
  root: string
  /** The agent is archived. */
  closed: boolean
  checkpoints: { scored: number; clear: number; excluded: number }
  sessions: { total: number; unstable: number }
  /** Sessions with trace drift, of any length. */
  driftedSessionIds: readonly string[]
  violations: readonly Violation[]
  /** The checkpoints that assurance depends on. */
  assurance: AssuranceCounts
}

/** Reads of checkpoints for the scores of agents. */
export function createScoringService(deps: { db: Db }) {
  return {
    listScorable: (afterAgentId: string, limit: number): Promise<string[]> =>
      createScoringStore(deps.db).listScorable(afterAgentId, limit),

    listScorableIn: (firstAgentId: string, lastAgentId: string): Promise<string[]> =>
      createScoringStore(deps.db).listScorableIn(firstAgentId, lastAgentId),

    /** The counts are kept by appending, so only recent violations are read. */
    async scoringFacts(
      db: Db,
      agentIds: readonly string[],
      { now, violationsAfter }: { now: Date; violationsAfter: Date },
    ): Promise<ScoringFacts[]> {
      const firstDay = firstAssuranceDay(now.getTime())
      const found = await createCheckpointStore(db).listHeads(agentIds, firstDay)
      const heads = found.map(({ head }) => head)
      const violations = await createScoringStore(db).violations(heads, {
        after: violationsAfter,
        gapsBy: undefined,
      })
      return found.map(({ head, driftedSessionIds, assurance }) => ({
        ...toFacts(head),
        driftedSessionIds,
        violations: violations.get(head.agentId) ?? [],
        assurance,
      }))
    },

    /** The agents whose checkpoints received from one time up to another are all in their run. */
    coveredBy: (
      db: Db,
      runs: readonly { agentId: string; first: number; last: number }[],
      received: { from: Date; to: Date },
    ): Promise<Set<string>> => createScoringStore(db).coveredBy(runs, received),

    /** The violations that the score computed at that time, from a chain of that length, counted. */
    async listViolations(
      chain: { agentId: string; length: number; computedAt: Date },
      after: Date,
    ): Promise<Violation[]> {
      const gapsBy = chain.computedAt
      const found = await createScoringStore(deps.db).violations([chain], { after, gapsBy })
      return found.get(chain.agentId) ?? []
    },

    /** The newest checkpoints and sessions that lowered the score of that time. */
    async scoringEvidence(
      chain: { agentId: string; length: number; computedAt: Date },
      violationsAfter: Date,
      idsMax: number,
    ) {
      const store = createScoringStore(deps.db)
      return {
        nonClearIds: await store.latestNotClear(chain, idsMax),
        violationIds: await store.latestViolations(chain, violationsAfter, idsMax),
        unstableSessionIds: await store.latestUnstable(chain.agentId, idsMax),
      }
    },

    /** Recent clear checkpoints whose thinking says nothing new, or nothing; newest first. */
    lowNoveltyIds: (
      chain: { agentId: string; length: number },
      idsMax: number,
    ): Promise<string[]> => createScoringStore(deps.db).latestLowNovelty(chain, idsMax),

    /**
     * Simulates reclassifying these checkpoints as card gaps: the violations that would remain and
     * how many sessions would become stable. Returns ids that cannot be reclassified as unknown.
     */
    async withoutCardGaps(
      { agentId, length }: { agentId: string; length: number },
      checkpointIds: readonly string[],
      violationsAfter: Date,
    ): Promise<{ unknownIds: string[]; violations: Violation[]; regained: number }> {
      const store = createScoringStore(deps.db)
      const violations = await store.violations([{ agentId, length }], {
        after: violationsAfter,
        gapsBy: undefined,
        alsoGaps: checkpointIds,
      })
      const found = await store.notClearAmong(agentId, checkpointIds)
      const ids = new Set(found.map((one) => one.checkpointId))
      const sessions = [...new Set(found.map((one) => one.sessionId))]
      const runs = await store.runs(agentId, await store.unstableAmong(agentId, sessions), [...ids])
      const stable = [...runs.values()].filter((one) => !isUnstable(one))
      return {
        unknownIds: checkpointIds.filter((id) => !ids.has(id)),
        violations: violations.get(agentId) ?? [],
        regained: stable.length,
      }
    },

    /** The current size of the scoring set. */
    async countScored(agentId: string): Promise<number> {
      const head = await createCheckpointStore(deps.db).findHead(agentId)
      return head === undefined ? 0 : scoringSetSize(head.counts)
    },
  }
}

function toFacts(head: Head): Omit<ScoringFacts, 'driftedSessionIds' | 'violations' | 'assurance'> {
  const { counts, leafCount } = head
  return {
    agentId: head.agentId,
    length: head.length,
    leafCount,
    closed: head.closed,
    root: rootOf(head),
    checkpoints: {
      scored: scoringSetSize(counts),
      clear: counts.verdicts.clear,
      excluded: counts.excluded,
    },
    sessions: { total: counts.sessionsScored, unstable: counts.sessionsUnstable },
  }
}
