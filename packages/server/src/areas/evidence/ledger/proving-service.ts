import type { ReclassifiedType } from '@touchstone/protocol/control'
import type { AttestedRecord, Flag } from '@touchstone/protocol/evidence'
import { recordOf, type Seal, type SealedCheckpoint } from '@touchstone/protocol/evidence'
import type { Db } from '../../../kernel/db.ts'
import { rootOf } from './head.ts'
import { createCheckpointStore } from './store.ts'

/** A checkpoint as far as a score speaks of it: what is attested, and what stands beside it. */
export type ProvableCheckpoint = Seal & {
  record: AttestedRecord
  flags: readonly Flag[]
  excluded: boolean
  /** As scores of that time took it. */
  reclassification: ReclassifiedType | null
}

/** Where chain and tree end. */
export type ChainEnd = {
  length: number
  chainHash: string | null
  leafCount: number
  /** Roots of the complete subtrees, left to right. */
  edge: readonly Uint8Array[]
}

/** What a stranger is shown who wants to check a score. */
export function createProvingService(deps: { db: Db }) {
  const store = createCheckpointStore(deps.db)
  return {
    async findEnd(agentId: string): Promise<ChainEnd | undefined> {
      const head = await store.findHead(agentId)
      if (head === undefined) return undefined
      const { length, chainHash, leafCount, edge } = head
      return { length, chainHash, leafCount, edge }
    },

    /** The trees of all agents with a leaf, by the bytes of their ids; those after that agent. */
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

    /** In chain order from a position on, for the score that was computed at a time. */
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

/** What was reclassified later than the score was computed had no part in it. */
function toProvable(
  { checkpoint, seal }: SealedCheckpoint,
  computedAt: Date | undefined,
): ProvableCheckpoint {
  const { flags, excluded, reclassification } = checkpoint
  const appliedAt = reclassification?.appliedAt ?? undefined
  const counted = appliedAt !== undefined && (computedAt === undefined || appliedAt <= computedAt)
  return {
    ...seal,
    record: recordOf(checkpoint),
    flags,
    excluded,
    reclassification: counted ? (reclassification?.newType ?? null) : null,
  }
}
