import type { Verdict } from '@touchstone/protocol/analysis'
import type { AttestedRecord } from '@touchstone/protocol/evidence'
import {
  type Checkpoint,
  recordOf,
  type Seal,
  type SealedCheckpoint,
} from '@touchstone/protocol/evidence'
import type { Db, Page, PageRequest } from '../../../kernel/db.ts'
import type { AgentId } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import { createIngestService, type IngestDeps } from '../intake/service.ts'
import { createIngestStore } from './append-store.ts'
import { createConductService } from './conduct-service.ts'
import { type Counts, scoringSetSize, withSession } from './head.ts'
import { createProvingService } from './proving-service.ts'
import { createReclassificationService } from './reclassification-service.ts'
import { createScoringService } from './scoring-service.ts'
import { newSession, type Session } from './session.ts'
import { type CheckpointFilter, createCheckpointStore } from './store.ts'
import { createWatchService } from './watch-service.ts'

export type CheckpointService = ReturnType<typeof createCheckpointService>

export function createCheckpointService(deps: IngestDeps) {
  return {
    ...createIngestService(deps),
    ...reading(deps),
    ...serving(deps),
    ...createScoringService(deps),
    ...createConductService(deps),
    ...createProvingService(deps),
    ...createReclassificationService(deps),
    ...createWatchService(deps),
    ...ending(),
  }
}

/** An agent's record in figures (01 §4.1). */
export type Integrity = {
  total: number
  counts: Counts
  ratio: number
  latestVerdict: Verdict | null
}

function reading(deps: IngestDeps) {
  const store = createCheckpointStore(deps.db)
  const headOf = async (agentId: string) => {
    const head = await store.findHead(agentId)
    if (head === undefined) throw new Problem('agent_not_found', 'No such agent.')
    return head
  }
  return {
    /** With the organisation whose it is: who asks is known to the caller alone. */
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
      const everything = Object.values(conditions).every((value) => value === undefined)
      const total = everything ? (await headOf(agentId)).length : await store.count(filter)
      return { ...page, items: await store.list(filter, page), total }
    },

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
  }
}

type SealedRecord = Seal & { agentId: string; record: AttestedRecord }

/** What other features ask. */
function serving(deps: IngestDeps) {
  const store = createCheckpointStore(deps.db)
  return {
    async findVerdict(
      db: Db,
      wanted: { agentId: string; checkpointId: string },
    ): Promise<Verdict | undefined> {
      const found = await createCheckpointStore(db).find(wanted.checkpointId)
      return found?.checkpoint.agentId === wanted.agentId ? found.checkpoint.verdict : undefined
    },

    linkTrace: (
      tx: Db,
      link: { agentId: string; checkpointId: string; traceId: string },
    ): Promise<void> => createCheckpointStore(tx).linkTrace(link),

    async findSealed(checkpointId: string): Promise<SealedRecord | undefined> {
      const found = await store.find(checkpointId)
      return found && toRecord(found)
    },

    async findHead(agentId: string): Promise<{ leafCount: number; updatedAt: Date } | undefined> {
      const head = await store.findHead(agentId)
      if (head?.leafAt == null) return undefined
      return { leafCount: head.leafCount, updatedAt: head.leafAt }
    },

    agentsAfter: store.listAgentsAfter,

    /**
     * Everything at one moment, so that what is added meanwhile is in all of it or in nothing. The
     * head is where the chain ends, told like a place in it.
     */
    async sliceFrom(agentId: string, position: number, limit: number) {
      const reading = deps.db.transaction().setIsolationLevel('repeatable read')
      return reading.setAccessMode('read only').execute(async (tx) => {
        const slice = createCheckpointStore(tx)
        const head = await slice.findHead(agentId)
        // Whatever stands before the first position has no right to, and must be seen.
        const found = await slice.listFrom(agentId, position === 0 ? undefined : position, limit)
        const ids = found.map(({ checkpoint }) => checkpoint.checkpointId)
        const positions = await slice.positionsOf(agentId, ids)
        return {
          head: head && { ...head, position: head.length },
          links: found.map(({ checkpoint, seal }) => ({
            ...seal,
            record: findRecord(checkpoint),
            owned: positions.get(checkpoint.checkpointId) === seal.position,
          })),
        }
      })
    },

    /** A session in which traces drifted is not stable, whatever its checkpoints say (01 §7.1). */
    async noteTraceDrift(tx: Db, place: { agentId: string; sessionId: string }): Promise<void> {
      const ingest = createIngestStore(tx)
      const head = (await ingest.lockHeads([place.agentId])).get(place.agentId)
      if (head === undefined) return
      const [followed] = await ingest.sessions([place])
      const before = followed?.session ?? newSession(place.agentId, place.sessionId)
      const after = { ...before, traceDrift: true }
      const counts = withSession(head.counts, { before, after })
      await ingest.save({ checkpoints: [], sessions: [after], heads: [{ ...head, counts }] })
    },
  }
}

/** Undefined when the columns were made to hold what no record can say. */
function findRecord(checkpoint: Checkpoint): AttestedRecord | undefined {
  try {
    return recordOf(checkpoint)
  } catch {
    return undefined
  }
}

function toRecord({ checkpoint, seal }: SealedCheckpoint): SealedRecord {
  return { ...seal, agentId: checkpoint.agentId, record: recordOf(checkpoint) }
}

function ending() {
  return {
    close: (tx: Db, agentIds: readonly AgentId[]): Promise<void> =>
      createCheckpointStore(tx).setClosed(agentIds, true),
    reopen: (tx: Db, agentIds: readonly AgentId[]): Promise<void> =>
      createCheckpointStore(tx).setClosed(agentIds, false),

    begin: (tx: Db, agentId: AgentId): Promise<void> =>
      createCheckpointStore(tx).insertHead(agentId),

    erase: (tx: Db, agentId: AgentId): Promise<void> =>
      createCheckpointStore(tx).deleteOfAgent(agentId),
  }
}
