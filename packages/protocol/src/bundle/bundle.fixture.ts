import { bytesToBase64, bytesToHex, hexToBytes } from '../base/encoding.ts'
import { hashCanonical, sha256Hex } from '../crypto/hash.ts'
import { publishedKey } from '../crypto/keys.ts'
import { ed25519PublicKey, ed25519Signer } from '../crypto/signature.ts'
import { assembleCertificate, certificateContent, signedPayload } from '../evidence/certificate.ts'
import { chainHash } from '../evidence/hash-chain.ts'
import { buildRecord, recordHash } from '../evidence/record.ts'
import { leafHash } from '../merkle/merkle.ts'
import { createMerkleTree } from '../merkle/merkle-tree.ts'
import { treeHeadPayload } from '../merkle/tree-head.ts'
import {
  type BundleCheckpoint,
  type BundleEntry,
  type BundleHeader,
  type BundleHeader1,
  createBundleWriter,
  METHODOLOGY_1,
} from './bundle.ts'

const SEED = new Uint8Array(32).fill(5)
export const AGENT = 'agent-bundled'
export const COMPUTED_AT = '2026-03-01T12:00:00.000Z'
const AT_MS = Date.parse(COMPUTED_AT)
const HOUR_MS = 3_600_000

const key = publishedKey(ed25519PublicKey(SEED), { createdAt: COMPUTED_AT, isActive: true })
export const KEYS = [key]
const sign = ed25519Signer(SEED)
export const SIGNER = {
  keyId: key.key_id,
  sign: (payload: string) => bytesToBase64(sign(payload)),
}

/** A decision to be recorded as one checkpoint. */
export type Decision = {
  session: string
  verdict?: string
  ageMs?: number
  text?: string
  synthetic?: boolean
  flags?: readonly string[]
  excluded?: boolean
  reclassification?: string
  /** Given in bundles of methodology 2. */
  receivedAt?: string
  /** Without one, its record is of version 1.0.0. */
  provenance?: string
}

export type Evidence = {
  decisions: readonly Decision[]
  header: (made: Pick<BundleHeader, 'tree_head'> & { length: number }) => BundleHeader
  beside?: readonly BundleEntry[]
}

/** The lines of a bundle before they are sealed. */
export function bundleOf({ decisions, header, beside = [] }: Evidence): BundleEntry[] {
  const tree = createMerkleTree()
  const checkpoints: BundleCheckpoint[] = []
  let certificate: BundleEntry | undefined
  for (const [position, decision] of decisions.entries()) {
    const record = recordOf(decision, position)
    const previous = checkpoints.at(-1)?.chain.chain_hash ?? null
    const input = { previous, position, recordHash: recordHash(record) }
    const link = { ...input, chainHash: chainHash(input) }
    const analysed = decision.synthetic !== true
    const leaf = leafHash(hexToBytes(link.chainHash))
    const index = analysed ? tree.append(leaf) : null
    checkpoints.push({
      record,
      chain: {
        record_hash: link.recordHash,
        chain_hash: link.chainHash,
        prev_chain_hash: previous,
        position,
      },
      leaf_index: index,
      flags: decision.flags ?? [],
      excluded_from_score: decision.excluded ?? false,
      reclassification: decision.reclassification ?? null,
      ...(decision.receivedAt !== undefined && { received_at: decision.receivedAt }),
    })
    if (index === null) continue
    const [size, root] = [tree.size, tree.root()]
    const inclusion = { leaf, index, size, proof: tree.inclusionProof(index), root }
    const baseUrl = 'https://trust.example'
    const issuedAt = COMPUTED_AT
    const content = certificateContent({ record, issuedAt, link, inclusion, baseUrl })
    const signature = sign(signedPayload(content))
    certificate = {
      kind: 'certificate',
      value: assembleCertificate(content, { keyId: key.key_id, signature }),
    }
  }
  const head = { agent_id: AGENT, leaf_count: tree.size, merkle_root: bytesToHex(tree.root()) }
  const { leaf_count, merkle_root } = head
  const signature = SIGNER.sign(treeHeadPayload(head))
  const tree_head = { leaf_count, merkle_root, key_id: key.key_id, signature }
  return [
    { kind: 'header', value: header({ tree_head, length: decisions.length }) },
    ...beside,
    ...checkpoints.map((value): BundleEntry => ({ kind: 'checkpoint', value })),
    ...(certificate === undefined ? [] : [certificate]),
  ]
}

/** Seals the lines like the service, or like somebody who has its key. */
export function seal(entries: readonly BundleEntry[]): unknown[] {
  return sealText(entries)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

export function sealText(entries: readonly BundleEntry[]): string {
  const writer = createBundleWriter()
  const lines = entries.map((entry) => writer.line(entry))
  return lines.join('') + writer.trailer({ agentId: AGENT, computedAt: COMPUTED_AT }, SIGNER)
}

function recordOf(decision: Decision, position: number) {
  const { session, verdict = 'clear', synthetic = false } = decision
  const noise = ((position * position * 7919) % 611) * 1000
  const ageMs = decision.ageMs ?? 40 * 24 * HOUR_MS - position * HOUR_MS - noise
  const analyzer = synthetic ? 'none' : 'rules'
  const hasOutput = decision.text === undefined && position % 2 === 1
  const identity = {
    checkpoint_id: `ic-${String(position).padStart(4, '0')}`,
    agent_id: AGENT,
    session_id: session,
    card_id: 'ac-1',
  }
  const { provenance } = decision
  const origin = {
    received_at: decision.receivedAt ?? COMPUTED_AT,
    decision_ids: [`dec-${position}`],
  }
  return buildRecord({
    subject: provenance === undefined ? identity : { ...identity, ...origin, provenance },
    claims: {
      verdict,
      concerns:
        verdict === 'clear'
          ? []
          : [{ category: 'autonomy_violation', severity: 'high', description: 'Left its bounds.' }],
      confidence: 1,
      reasoning_summary: `Decision ${position}.`,
      analyzer,
      analysis_model: analyzer,
      analysis_duration_ms: 3,
      synthetic,
    },
    inputs: {
      thinking_block_hash: sha256Hex(decision.text ?? `thinking ${position}`),
      output_block_hash: hasOutput ? sha256Hex(`output ${position}`) : null,
      card_hash: hashCanonical({ a: 1 }),
      values_hash: hashCanonical([]),
      context_hash: hashCanonical([]),
      model_version: analyzer,
      template_version: 'cp-1',
    },
    timestamp: new Date(AT_MS - ageMs).toISOString(),
  })
}

const hours = (count: number) => count * HOUR_MS

/**
 * Example (C) of spec: reputation §1: 200 decisions, 180 of them clear, violations 0 and 10 hours
 * old in session x and 30 hours old in y, two of 16 sessions unstable; plus checkpoints that must
 * not count.
 */
export function exampleDecisions(reclassification?: string): Decision[] {
  const bad = 'boundary_violation'
  const others = Array.from({ length: 14 }, (_, i) => `s${i}`)
  return [
    { session: 'x', verdict: bad, ageMs: hours(10) },
    { session: 'x', verdict: bad, ageMs: 0 },
    { session: 'x', verdict: 'review_needed' },
    { session: 'synthetic', synthetic: true },
    { session: 'y', verdict: 'review_needed' },
    {
      session: 'y',
      verdict: bad,
      ageMs: hours(30),
      ...(reclassification === undefined ? {} : { reclassification }),
    },
    { session: 'y', verdict: 'review_needed' },
    ...others.map((session): Decision => ({ session, verdict: 'review_needed' })),
    ...Array.from({ length: 180 }, (_, i): Decision => ({ session: others[i % 14] ?? 'x' })),
    { session: 'synthetic', synthetic: true },
  ]
}

/** The published header of example (C), with components and score from the specification. */
export const EXAMPLE: Omit<BundleHeader1, 'tree_head'> = {
  format: 'touchstone-bundle-v1',
  methodology_version: METHODOLOGY_1,
  agent_id: AGENT,
  published: {
    score: 751,
    grade: 'A',
    tier: 'Reliable',
    confidence: 'medium',
    checkpoint_count: 200,
    components: {
      integrity_ratio: 900,
      compliance: 204,
      drift_stability: 875,
      trace_completeness: 1000,
      coherence_compatibility: 750,
    },
    computed_at: COMPUTED_AT,
    chain_length: 0,
    tree_size: 0,
    root: '',
  },
  basis: {
    checkpoints: { scored: 200, clear: 180, excluded: 0 },
    sessions: { total: 16, unstable: 2 },
    traces_stored: 230,
    peers: { count: 0, pair_score_e4_sum: 0 },
    adjustment_e4: 0,
  },
}

/** The example's header over the actual tree, with an optional change. */
export function exampleHeader(
  change: (header: Omit<BundleHeader1, 'tree_head'>) => void = () => undefined,
): Evidence['header'] {
  return ({ tree_head, length }) => {
    const header = structuredClone(EXAMPLE)
    change(header)
    const { leaf_count: tree_size, merkle_root: root } = tree_head
    const end = { chain_length: length, tree_size, root }
    return { ...header, published: { ...header.published, ...end }, tree_head }
  }
}

const AT = '2026-02-20T00:00:00.000Z'
const UNTIL = '2026-05-21T00:00:00.000Z'

/**
 * A bundle with every kind of evidence that affects a score, and with an exclusion by anti-gaming.
 */
export function fullBundle(): BundleEntry[] {
  const twin: Decision = { session: 's1', text: 'the same' }
  const last: Decision = { ...twin, flags: ['identical_content'], excluded: true }
  const decisions: Decision[] = [
    { session: 'x', verdict: 'boundary_violation', ageMs: 0 },
    { session: 'x', synthetic: true },
    { session: 'y', verdict: 'review_needed' },
    ...[twin, twin, twin, last].flatMap((one) => [one, { session: 's2' }]),
    ...Array.from({ length: 41 }, (): Decision => ({ session: 's3' })),
  ]
  const header = exampleHeader(({ published, basis }) => {
    published.score = 728
    published.confidence = 'low'
    published.checkpoint_count = 50
    published.components = {
      integrity_ratio: 960,
      compliance: 354,
      drift_stability: 667,
      trace_completeness: 500,
      coherence_compatibility: 895,
    }
    basis.checkpoints = { scored: 50, clear: 48, excluded: 1 }
    basis.sessions = { total: 3, unstable: 1 }
    basis.traces_stored = 25
    basis.peers = { count: 3, pair_score_e4_sum: 23_700 }
    basis.adjustment_e4 = 1_050_000
  })
  const beside: BundleEntry[] = [
    { kind: 'trace_drift', value: { alert_id: 'da-1', session_id: 's3', detected_at: AT } },
    ...[8200, 6400, 9100].map(
      (pair_score_e4, i): BundleEntry => ({
        kind: 'pair_score',
        value: { peer_id: i === 0 ? null : `peer-${i}`, pair_score_e4, checked_at: AT },
      }),
    ),
    {
      kind: 'adjustment',
      value: { adjustment_id: 'adj-1', points_e4: 1_050_000, valid_until: UNTIL },
    },
  ]
  return bundleOf({ decisions, header, beside })
}
