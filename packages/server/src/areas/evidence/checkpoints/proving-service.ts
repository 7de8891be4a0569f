import type { AttestedRecord, Flag } from '@touchstone/protocol'
import type { Db } from '../../../kernel/db.ts'
import { type Reclassification, recordOf, type Seal, type SealedCheckpoint } from './checkpoint.ts'
import { createCheckpointStore } from './store.ts'

/** A checkpoint as far as a score speaks of it: what is attested, and what stands beside it. */
export type ProvableCheckpoint = Seal & {
  record: AttestedRecord
  flags: readonly Flag[]
  excluded: boolean
  reclassification: Reclassification | null
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

    async findLeaf(agentId: string, leafIndex: number): Promise<ProvableCheckpoint | undefined> {
      const found = await store.findLeaf(agentId, leafIndex)
      return found && toProvable(found)
    },

    /** In chain order from a position on. */
    async listProvable(
      agentId: string,
      fromPosition: number,
      limit: number,
    ): Promise<ProvableCheckpoint[]> {
      return (await store.listFrom(agentId, fromPosition, limit)).map(toProvable)
    },
  }
}

function toProvable({ checkpoint, seal }: SealedCheckpoint): ProvableCheckpoint {
  const { flags, excluded, reclassification } = checkpoint
  return { ...seal, record: recordOf(checkpoint), flags, excluded, reclassification }
}
