import type { BundleSigner } from '@touchstone/protocol/bundle'
import type {
  AttestedRecord,
  Certificate,
  ChainLink,
  TrustedKey,
} from '@touchstone/protocol/evidence'
import type { MerkleNode, NodeId } from '@touchstone/protocol/merkle'
import type { ProvableCheckpoint, PublishedScore } from './bundle-lines.ts'

export type Agents = {
  /** Throws `agent_not_found` for one that these organisations are not shown; archived ones are not. */
  getShown(
    agentId: string,
    orgIds: readonly string[],
  ): Promise<{ agent: { visibility: string }; own: boolean }>
}

export type Scores = {
  /** Undefined before the first computation. */
  published(agentId: string): Promise<PublishedScore | undefined>
}

/** Where chain and tree end; the edge are the roots of the complete subtrees, left to right. */
export type ChainEnd = {
  length: number
  chainHash: string | null
  leafCount: number
  edge: readonly Uint8Array[]
}

export type Checkpoints = {
  findEnd(agentId: string): Promise<ChainEnd | undefined>
  findLeaf(agentId: string, leafIndex: number): Promise<ProvableCheckpoint | undefined>
  /** In chain order from a position on, for the score that was computed at that time. */
  listProvable(
    chain: { agentId: string; computedAt: Date },
    fromPosition: number,
    limit: number,
  ): Promise<ProvableCheckpoint[]>
}

/** A certificate made of what is stored now, and its hash as it was when it was issued. */
export type Rebuilt = { certificate: Certificate; certificateHash: string }

export type Attestation = {
  signer(): Promise<BundleSigner>
  publishedKeys(): Promise<readonly TrustedKey[]>
  /** Those that are there. */
  nodesOf(agentId: string, ids: readonly NodeId[]): Promise<MerkleNode[]>
  /** Undefined where a stored part is missing. */
  rebuild(
    agentId: string,
    links: readonly (ChainLink & { record: AttestedRecord; leafIndex: number | null })[],
  ): Promise<(Rebuilt | undefined)[]>
}

export type AuditStatus = {
  valid: boolean
  auditedThrough: number | null
  auditedAt: Date | null
}

export type Auditor = {
  /** Joins a walk over what came since the last whole one. */
  verifyTail(agentId: string): Promise<AuditStatus>
  /** Walks everything now. */
  walkNow(agentId: string): Promise<AuditStatus>
}

export type TraceDrift = { alertId: string; sessionId: string; detectedAt: Date }

export type Drift = {
  /** Newest first. */
  list(
    agentId: string,
    filter: { kind: 'trace'; status: undefined },
    page: { page: number; perPage: number },
  ): Promise<{ items: readonly TraceDrift[] }>
}

export type Coherence = {
  /** What of the ledger and of propagated points the score of that time was computed from. */
  used(
    agentId: string,
    at: Date,
  ): Promise<{
    /** The peer is null where its id is not for everybody. */
    pairScores: readonly { peerId: string | null; scoreE4: number; checkedAt: Date }[]
    adjustments: readonly { adjustmentId: string; pointsE4: number; validUntil: Date }[]
  }>
}
