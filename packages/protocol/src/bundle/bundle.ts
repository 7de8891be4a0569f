import { canonicalJson } from '../base/canonical-json.ts'
import { sha256Hex } from '../crypto/hash.ts'
import type { Certificate, ChainProof } from '../evidence/certificate.ts'
import type { AttestedRecord } from '../evidence/record.ts'
import type { Assurance, AssuranceLevel, AssuranceLimit } from '../score/assurance.ts'
import type { ComponentScores } from '../score/component-scores.ts'

/**
 * The evidence bundle: everything a third party needs to recompute an agent's published score and
 * to check the evidence behind it. It is read and written as a stream of lines, each one JSON
 * object, so that neither side has to hold it in memory. Wire format: its field names are part of
 * the protocol.
 * || A line is `{kind, value, digest}`; digest is H({kind, previous, value}), where previous is the
 * digest of the line before, or null for the first. So a changed line is detected by itself, and
 * the last digest, which the trailer signs, covers every value of the bundle.
 */
export const BUNDLE_FORMAT = 'touchstone-bundle-v1'

/** As older bundles state it. */
export const METHODOLOGY_1 = '1.0.0'

/** In the order in which they appear. */
export const BUNDLE_KINDS = [
  'header',
  'trace_drift',
  'pair_score',
  'adjustment',
  'checkpoint',
  'certificate',
  'trailer',
] as const

export type BundleKind = (typeof BUNDLE_KINDS)[number]

/** Methodology 1, which older bundles have: all stored traces counted. */
export type BundleHeader1 = {
  format: string
  methodology_version: string
  agent_id: string
  published: PublishedFigures
  basis: Basis & { traces_stored: number }
  tree_head: BundleTreeHead
}

/** Methodology 2: only verified traces count, and the score has an assurance. */
export type BundleHeader2 = {
  format: string
  methodology: string
  agent_id: string
  published: PublishedFigures & { assurance: BundleAssurance; assured_score: number }
  basis: Basis & { traces_verified: number; assurance: BundleAssuranceBasis }
  tree_head: BundleTreeHead
}

export type BundleHeader = BundleHeader1 | BundleHeader2

type PublishedFigures = {
  score: number
  grade: string
  tier: string
  confidence: string
  checkpoint_count: number
  components: ComponentScores
  computed_at: string
  /** The end of the evidence that the score covers, in checkpoints and leaves. */
  chain_length: number
  tree_size: number
  root: string
}

/** The figures that the score was computed from. */
type Basis = {
  checkpoints: { scored: number; clear: number; excluded: number }
  sessions: { total: number; unstable: number }
  peers: BundlePeers
  adjustment_e4: number
}

type PairScores = { count: number; pair_score_e4_sum: number }

/** `across_orgs` is the part whose weight is 1; absent without any, and in methodology 1. */
export type BundlePeers = PairScores & { across_orgs?: PairScores }

/** The head of the tree with tree_size leaves, signed like the one of GET merkle-root. */
export type BundleTreeHead = {
  leaf_count: number
  merkle_root: string
  key_id: string
  signature: string
}

export type BundleAssurance = {
  level: AssuranceLevel
  observed_share: number
  relayed_share: number
  days: number
  span_days: number
  effective_checkpoints: number
  limits: readonly AssuranceLimit[]
}

export function toBundleAssurance(assurance: Assurance): BundleAssurance {
  return {
    level: assurance.level,
    observed_share: assurance.observedShare,
    relayed_share: assurance.relayedShare,
    days: assurance.days,
    span_days: assurance.spanDays,
    effective_checkpoints: assurance.effectiveCheckpoints,
    limits: assurance.limits,
  }
}

/** The inputs of the assurance that are not in the lines: the service asserts them. */
export type BundleAssuranceBasis = {
  claimed: boolean
  decisions_allowed: number
  outcomes_known: number
  witnessed: boolean
}

/** A session whose traces drifted counts as unstable. */
export type BundleTraceDrift = { alert_id: string; session_id: string; detected_at: string }

/**
 * One entry of the coherence ledger; the peer is null if its id is not public. The weight is absent
 * in methodology 1, where all are the same.
 */
export type BundlePairScore = {
  peer_id: string | null
  pair_score_e4: number
  checked_at: string
  weight?: 0.5 | 1
}

/** Points gained from a reclassification of another agent, in ten-thousandths. */
export type BundleAdjustment = { adjustment_id: string; points_e4: number; valid_until: string }

export type BundleCheckpoint = {
  record: AttestedRecord
  chain: ChainProof
  /** Null for a synthetic checkpoint. */
  leaf_index: number | null
  /**
   * Not part of the record. Flags follow from earlier checkpoints; the rest is asserted by the
   * service.
   */
  flags: readonly string[]
  excluded_from_score: boolean
  reclassification: string | null
  /**
   * Absent in bundles of methodology 1. A record of version 1.1.0 attests it, too; for an older one
   * the service asserts it.
   */
  received_at?: string
}

export type BundleTrailer = { lines: number; digest: string; key_id: string; signature: string }

export type BundleEntry =
  | { kind: 'header'; value: BundleHeader }
  | { kind: 'trace_drift'; value: BundleTraceDrift }
  | { kind: 'pair_score'; value: BundlePairScore }
  | { kind: 'adjustment'; value: BundleAdjustment }
  | { kind: 'checkpoint'; value: BundleCheckpoint }
  | { kind: 'certificate'; value: Certificate }

export type BundleSigner = {
  keyId: string
  /** Returns the Ed25519 signature in base64. */
  sign(payload: string): string
}

export function entryDigest(kind: string, value: unknown, previous: string | null): string {
  return digestOfText(kind, canonicalJson(value), previous)
}

/** Concatenated by hand, because the value is long and every line is hashed. */
function digestOfText(kind: string, valueText: string, previous: string | null): string {
  const before = canonicalJson(previous)
  return sha256Hex(`{"kind":${canonicalJson(kind)},"previous":${before},"value":${valueText}}`)
}

export type BundleSeal = { agent_id: string; computed_at: string; digest: string; lines: number }

/** The text that the trailer signs. */
export function bundlePayload({ agent_id, computed_at, digest, lines }: BundleSeal): string {
  return canonicalJson({ agent_id, computed_at, digest, format: BUNDLE_FORMAT, lines })
}

/** Writes a bundle; every returned text is one line including its line feed. */
export function createBundleWriter() {
  let previous: string | null = null
  let lines = 0
  return {
    line({ kind, value }: BundleEntry): string {
      const text = canonicalJson(value)
      const digest = digestOfText(kind, text, previous)
      previous = digest
      lines += 1
      return `{"digest":"${digest}","kind":"${kind}","value":${text}}\n`
    },

    trailer(of: { agentId: string; computedAt: string }, signer: BundleSigner): string {
      const digest = previous ?? ''
      const { agentId: agent_id, computedAt: computed_at } = of
      const signature = signer.sign(bundlePayload({ agent_id, computed_at, digest, lines }))
      const value: BundleTrailer = { lines, digest, key_id: signer.keyId, signature }
      return `${canonicalJson({ kind: 'trailer', value })}\n`
    },
  }
}
