import type { BundleSigner } from '@touchstone/protocol/bundle'
import type {
  AttestedRecord,
  Certificate,
  ChainLink,
  TrustedKey,
} from '@touchstone/protocol/evidence'
import type { MerkleNode, NodeId } from '@touchstone/protocol/merkle'
import type { ProvableCheckpoint, PublishedScore, UsedPairScore } from './bundle-lines.ts'

export type Agents = {
  /** Throws `agent_not_found` for archived agents and for agents hidden from these organisations. */
  getShown(
    agentId: string,
    orgIds: readonly string[],
  ): Promise<{ agent: { visibility: string }; own: boolean }>
}

export type Scores = {
  /** Undefined before the first computation. */
  published(agentId: string): Promise<PublishedScore | undefined>
}

/** The head of chain and tree. `edge` holds the roots of the complete subtrees, left to right. */
export type ChainEnd = {
  length: number
  chainHash: string | null
  leafCount: number
  edge: readonly Uint8Array[]
}

export type Checkpoints = {
  findEnd(agentId: string): Promise<ChainEnd | undefined>
  findLeaf(agentId: string, leafIndex: number): Promise<ProvableCheckpoint | undefined>
  /** In chain order, starting at a position, as the score computed at that time saw them. */
  listProvable(
    chain: { agentId: string; computedAt: Date },
    fromPosition: number,
    limit: number,
  ): Promise<ProvableCheckpoint[]>
}

/** A certificate rebuilt from the rows stored now, and the hash it had when it was issued. */
export type Rebuilt = { certificate: Certificate; certificateHash: string }

export type Attestation = {
  signer(): Promise<BundleSigner>
  publishedKeys(): Promise<readonly TrustedKey[]>
  /** Missing nodes are left out. */
  nodesOf(agentId: string, ids: readonly NodeId[]): Promise<MerkleNode[]>
  /** Adds the proof that the log has the checkpoint, once there is one. */
  withLogProof(certificate: Certificate): Promise<Certificate>
  /** Undefined for a certificate of which a stored part is missing. */
  rebuild(
    agentId: string,
    links: readonly (ChainLink & { record: AttestedRecord; leafIndex: number | null })[],
  ): Promise<(Rebuilt | undefined)[]>
}

/** A walk over the whole chain that somebody asked for; `finishedAt` is null while it runs. */
export type FullAudit = { requestedAt: Date; finishedAt: Date | null }

export type AuditStatus = {
  valid: boolean
  auditedThrough: number | null
  auditedAt: Date | null
  full: FullAudit | null
}

/** How many checkpoints the answer rests on. */
export type Checked = {
  sinceAudit: number
  unchecked: number
  sampled: number
  seed: string
  auditedAt: Date | null
}

export type Auditor = {
  /** Recomputes the checkpoints since the last audit and a sample of older ones. */
  verifyPresent(agentId: string): Promise<{ status: AuditStatus; checked: Checked }>
  /** Has the whole chain walked in the background. */
  requestFull(agentId: string): Promise<FullAudit>
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
  /** The pair scores and the propagated points that the score computed at that time used. */
  used(
    agentId: string,
    at: Date,
  ): Promise<{
    pairScores: readonly UsedPairScore[]
    adjustments: readonly { adjustmentId: string; pointsE4: number; validUntil: Date }[]
  }>
}
