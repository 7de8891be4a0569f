import type { ReclassifiedType } from '@touchstone/protocol/control'
import type { AttestedRecord, Flag } from '@touchstone/protocol/evidence'
import { recordOf, type Seal, type SealedCheckpoint } from '@touchstone/protocol/evidence'
import type { Db } from '../../../kernel/db.ts'
import { rootOf } from './head.ts'
import { createCheckpointStore } from './store.ts'

/** The attested record of a checkpoint, and the unattested fields that a score depends on. */
export type ProvableCheckpoint = Seal & {
  record: AttestedRecord
  flags: readonly Flag[]
  excluded: boolean
  /** As scores computed at that time used it. */
  reclassification: ReclassifiedType | null
  receivedAt: Date
}

/** The end of chain and tree. */
export type ChainEnd = {
  length: number
  chainHash: string | null
  leafCount: number
  /** Roots of the complete subtrees, left to right. */
  edge: readonly Uint8Array[]
}

/** The data that lets anyone verify a score. */
export function createProvingService(deps: { db: Db }) {
  const store = createCheckpointStore(deps.db)
  return {
    async findEnd(agentId: string): Promise<ChainEnd | undefined> {
      const head = await store.findHead(agentId)
      if (head === undefined) return undefined
      const { length, chainHash, leafCount, edge } = head
      return { length, chainHash, leafCount, edge }
    },

    /** The non-empty trees of agents after this id, in byte order of the ids. */
    async treesAfter(
      agentId: string,
      limit: number,
    ): Promise<{ agentId: string; leafCount: number; root: string }[]> {
      const heads = await store.listHeadsAfter(agentId, limit)
      return heads.map((head) => ({
        agentId: head.agentId,
        leafCount: head.leafCount,
        root: rootOf(head),
      }))
    },

    hasLeafSince: store.hasLeafSince,

    async findLeaf(agentId: string, leafIndex: number): Promise<ProvableCheckpoint | undefined> {
      const found = await store.findLeaf(agentId, leafIndex)
      return found && toProvable(found, undefined)
    },

    /** In chain order from a position, as the score computed at that time used them. */
    async listProvable(
      chain: { agentId: string; computedAt: Date },
      fromPosition: number,
      limit: number,
    ): Promise<ProvableCheckpoint[]> {
      const found = await store.listFrom(chain.agentId, fromPosition, limit)
      return found.map((one) => toProvable(one, chain.computedAt))
    },
  }
}

/** A reclassification applied after the score was computed does not affect it. */
function toProvable(
  { checkpoint, seal }: SealedCheckpoint,
  computedAt: Date | undefined,
): ProvableCheckpoint {
  const { flags, excluded, reclassification, receivedAt } = checkpoint
  const appliedAt = reclassification?.appliedAt ?? undefined
  const counted = appliedAt !== undefined && (computedAt === undefined || appliedAt <= computedAt)
  return {
    ...seal,
    record: recordOf(checkpoint),
    flags,
    excluded,
    reclassification: counted ? (reclassification?.newType ?? null) : null,
    receivedAt,
  }
}
