import type { Verdict } from '@touchstone/protocol/analysis'
import type { Checkpoint, SealedCheckpoint } from '@touchstone/protocol/evidence'
import type { Page, PageRequest } from '../../../kernel/db.ts'
import { Problem } from '../../../kernel/problem.ts'
import { type AppendDeps, createAppendService } from './append-service.ts'
import { createChainService } from './chain-service.ts'
import { type Counts, scoringSetSize } from './head.ts'
import { createHistoryService } from './history-service.ts'
import type { Agents, LogEntries } from './ports.ts'
import { createProvingService } from './proving-service.ts'
import { createReclassificationService } from './reclassification-service.ts'
import { createScoringService } from './scoring-service.ts'
import type { Session } from './session.ts'
import { type CheckpointFilter, createCheckpointStore } from './store.ts'
import { createWatchService } from './watch-service.ts'

export type LedgerDeps = AppendDeps & { agents: Agents; entries: LogEntries }

export type LedgerService = ReturnType<typeof createLedgerService>

/** The counts of an agent's checkpoints (spec: evidence §4.1). */
export type Integrity = {
  total: number
  counts: Counts
  ratio: number
  latestVerdict: Verdict | null
}

/** The stored checkpoints and the chains they form, for all features that read or extend them. */
export function createLedgerService(deps: LedgerDeps) {
  const store = createCheckpointStore(deps.db)
  const appends = createAppendService(deps)
  const chains = createChainService(deps)
  const history = createHistoryService(deps)
  const proofs = createProvingService(deps)
  const reclassifications = createReclassificationService(deps)
  const scoring = createScoringService(deps)
  const watch = createWatchService(deps)
  const headOf = async (agentId: string) => {
    const head = await store.findHead(agentId)
    if (head === undefined) throw new Problem('agent_not_found', 'No such agent.')
    return head
  }
  return {
    /** With the organisation that owns it; the caller checks access. */
    async findOwned(
      checkpointId: string,
    ): Promise<{ checkpoint: Checkpoint; orgId: string } | undefined> {
      const found = await store.find(checkpointId)
      if (found === undefined) return undefined
      const orgId = await deps.agents.orgOf(found.checkpoint.agentId)
      return orgId === undefined ? undefined : { checkpoint: found.checkpoint, orgId }
    },

    async list(filter: CheckpointFilter, page: PageRequest): Promise<Page<SealedCheckpoint>> {
      const { agentId, ...conditions } = filter
      const isUnfiltered = Object.values(conditions).every((value) => value === undefined)
      const total = isUnfiltered ? (await headOf(agentId)).length : await store.count(filter)
      return { ...page, items: await store.list(filter, page), total }
    },

    /** The places of checkpoints in the witnessed log, of those that have one. */
    logIndexesOf: (checkpointIds: readonly string[]): Promise<ReadonlyMap<string, number>> =>
      deps.entries.indexesOf('checkpoint', checkpointIds),

    async integrity(agentId: string): Promise<Integrity> {
      const { length, counts, latestVerdict } = await headOf(agentId)
      const size = scoringSetSize(counts)
      const ratio = size === 0 ? 0 : counts.verdicts.clear / size
      return { total: length, counts, ratio, latestVerdict }
    },

    async sessions(agentId: string, page: PageRequest): Promise<Page<Session>> {
      const { counts } = await headOf(agentId)
      return store.listSessions(agentId, page, counts.sessions)
    },

    append: appends.append,
    lockedAmong: appends.lockedAmong,
    findKnown: appends.findKnown,
    preview: appends.preview,
    recall: appends.recall,
    windowAt: appends.windowAt,

    agentsAfter: chains.agentsAfter,
    findHead: chains.findHead,
    findSealed: chains.findSealed,
    findVerdict: chains.findVerdict,
    recordsOf: chains.recordsOf,
    linkTrace: chains.linkTrace,
    noteTraceDrift: chains.noteTraceDrift,
    sliceFrom: chains.sliceFrom,
    rowsAt: chains.rowsAt,
    begin: chains.begin,
    close: chains.close,
    reopen: chains.reopen,
    erase: chains.erase,

    checkpointHistory: history.checkpointHistory,

    findEnd: proofs.findEnd,
    findLeaf: proofs.findLeaf,
    hasLeafSince: proofs.hasLeafSince,
    listProvable: proofs.listProvable,
    treesAfter: proofs.treesAfter,

    violationTypes: reclassifications.violationTypes,
    countViolations: reclassifications.countViolations,
    applyReclassified: reclassifications.applyReclassified,
    findViolation: reclassifications.findViolation,
    markReclassified: reclassifications.markReclassified,
    pageOfViolations: reclassifications.pageOfViolations,
    reclassifiedSince: reclassifications.reclassifiedSince,
    violationsAfter: reclassifications.violationsAfter,

    countScored: scoring.countScored,
    coveredBy: scoring.coveredBy,
    listScorable: scoring.listScorable,
    listScorableIn: scoring.listScorableIn,
    listViolations: scoring.listViolations,
    lowNoveltyIds: scoring.lowNoveltyIds,
    scoringEvidence: scoring.scoringEvidence,
    scoringFacts: scoring.scoringFacts,
    withoutCardGaps: scoring.withoutCardGaps,

    chainLength: watch.chainLength,
    findNewest: watch.findNewest,
    flaggedSessions: watch.flaggedSessions,
    violationsBefore: watch.violationsBefore,
  }
}
