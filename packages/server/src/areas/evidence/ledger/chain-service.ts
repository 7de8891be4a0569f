import type { Verdict } from '@touchstone/protocol/analysis'
import {
  type AttestedRecord,
  type Checkpoint,
  recordOf,
  type Seal,
  type StoredRow,
} from '@touchstone/protocol/evidence'
import type { Db } from '../../../kernel/db.ts'
import type { AgentId } from '../../../kernel/ids.ts'
import { createAppendStore } from './append-store.ts'
import { withSession } from './head.ts'
import { newSession } from './session.ts'
import { createCheckpointStore } from './store.ts'

/** An agent's chain for the features that link to it, attest it or audit it, and its lifecycle. */
export function createChainService(deps: { db: Db }) {
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

    async findSealed(
      checkpointId: string,
    ): Promise<(Seal & { agentId: string; record: AttestedRecord }) | undefined> {
      const found = await store.find(checkpointId)
      if (found === undefined) return undefined
      const { checkpoint, seal } = found
      return { ...seal, agentId: checkpoint.agentId, record: recordOf(checkpoint) }
    },

    /** The attested members of checkpoints, whose hash is the record hash, by id. */
    async recordsOf(checkpointIds: readonly string[]): Promise<ReadonlyMap<string, object>> {
      const records = new Map<string, object>()
      for (const checkpointId of checkpointIds) {
        const found = await store.find(checkpointId)
        if (found === undefined) continue
        const { claims, input_commitments, subject, timestamp } = recordOf(found.checkpoint)
        records.set(checkpointId, { claims, input_commitments, subject, timestamp })
      }
      return records
    },

    async findHead(agentId: string): Promise<{ leafCount: number; updatedAt: Date } | undefined> {
      const head = await store.findHead(agentId)
      if (head?.leafAt == null) return undefined
      return { leafCount: head.leafCount, updatedAt: head.leafAt }
    },

    agentsAfter: store.listAgentsAfter,

    /**
     * Links and head from one snapshot, so that a concurrent append is in both or in neither. The
     * head is given as the position after the last link.
     */
    async sliceFrom(agentId: string, position: number, limit: number) {
      const snapshot = deps.db.transaction().setIsolationLevel('repeatable read')
      return snapshot.setAccessMode('read only').execute(async (tx) => {
        const slice = createCheckpointStore(tx)
        const head = await slice.findHead(agentId)
        // From 0 means from the first row: a forged row before position 0 must be found, too.
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

    /**
     * Checkpoints at positions that the caller picks once the length of the chain is known, each with
     * the chain hash before it, and the head, all from one snapshot. The rows are also passed on as
     * they are read, so that the caller can work on them meanwhile. Undefined if there is no chain.
     */
    async rowsAt(
      agentId: string,
      pick: (length: number) => readonly number[],
      { rowsMax, onRead }: { rowsMax: number; onRead(rows: readonly StoredRow[]): void },
    ) {
      const snapshot = deps.db.transaction().setIsolationLevel('repeatable read')
      return snapshot.setAccessMode('read only').execute(async (tx) => {
        const store = createCheckpointStore(tx)
        const head = await store.findHead(agentId)
        if (head === undefined) return undefined
        const positions = pick(head.length)
        const rows: StoredRow[] = []
        for (let from = 0; from < positions.length; from += rowsMax) {
          const read = await store.listAt(agentId, positions.slice(from, from + rowsMax))
          onRead(read)
          rows.push(...read)
        }
        return { head, rows }
      })
    },

    /** Trace drift makes a session unstable, whatever its checkpoints say (spec: reputation §1). */
    async noteTraceDrift(tx: Db, session: { agentId: string; sessionId: string }): Promise<void> {
      const appends = createAppendStore(tx)
      const head = (await appends.lockHeads([session.agentId])).get(session.agentId)
      if (head === undefined) return
      const [found] = await appends.sessions([session])
      const before = found?.session ?? newSession(session.agentId, session.sessionId)
      const after = { ...before, traceDrift: true }
      const counts = withSession(head.counts, { before, after })
      await appends.save({
        checkpoints: [],
        slots: [],
        sessions: [after],
        heads: [{ ...head, counts }],
        days: [],
      })
    },

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

/** Undefined if the columns were tampered with so that no record can be built from them. */
function findRecord(checkpoint: Checkpoint): AttestedRecord | undefined {
  try {
    return recordOf(checkpoint)
  } catch {
    return undefined
  }
}
