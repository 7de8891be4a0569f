import { base64ToBytes, bytesToHex } from '../base/encoding.ts'
import { parseInstant } from '../base/shape.ts'
import { verifyEd25519 } from '../crypto/signature.ts'
import { readCertificate } from '../evidence/certificate-shape.ts'
import {
  type CertificateChecks,
  findKey,
  type TrustedKey,
  verifyWellFormed,
} from '../evidence/verify-certificate.ts'
import type { TlogPolicy } from '../log/tlog-policy.ts'
import { verifyTreeHead } from '../merkle/tree-head.ts'
import { PAIR_WEIGHTS } from '../score/component-scores.ts'
import {
  BUNDLE_KINDS,
  type BundleAdjustment,
  type BundleEntry,
  type BundleHeader,
  type BundleKind,
  type BundlePairScore,
  type BundleTrailer,
  bundlePayload,
  entryDigest,
} from './bundle.ts'
import {
  type BundleCheck,
  type BundleCheckState,
  type BundleFault,
  createBundleFaults,
} from './bundle-faults.ts'
import {
  type BundleScore,
  basisFaults,
  type Counted,
  differences,
  isOf2,
  publishedScore,
  recomputedScore,
} from './bundle-score.ts'
import { readLine } from './bundle-shape.ts'
import { createBundleWalk } from './bundle-walk.ts'

export type BundleVerification = {
  /** True if all hashes, links and signatures, and the score, are correct. */
  ok: boolean
  agentId: string | null
  /** As the bundle states it. */
  published: BundleScore | null
  /** As it follows from the evidence; null if there is too little to compute it from. */
  recomputed: BundleScore | null
  /** Whether both have the same numbers. */
  equal: boolean
  /** The state of each check, derived from all faults, including those not listed. */
  checks: Readonly<Record<BundleCheck, BundleCheckState>>
  faults: readonly BundleFault[]
  faultCount: number
  /** The place of the certified checkpoint in the public log, if the bundle proves one. */
  log?: NonNullable<CertificateChecks['log']>
}

/**
 * Verifies a bundle against the published keys, which the reader provides. Takes its lines as text
 * or as JSON.parse returns them, as a list or as a stream. The policy is that of `verifyCertificate`.
 * Never throws because of their contents.
 */
export async function verifyBundle(
  lines: Iterable<unknown> | AsyncIterable<unknown>,
  keys: readonly TrustedKey[],
  policy?: TlogPolicy,
): Promise<BundleVerification> {
  const state = createState(keys, policy)
  for await (const line of lines) {
    // A trailing line feed leaves an empty last line.
    if (line !== '') handleLine(state, line)
  }
  return finish(state)
}

type VerifierState = {
  keys: readonly TrustedKey[]
  policy: TlogPolicy | undefined
  faults: ReturnType<typeof createBundleFaults>
  line: number
  /** The digest of the line before. */
  digest: string | null
  /** The rank of the line before in the order of kinds. */
  rank: number
  checkpoints: number
  header: BundleHeader | undefined
  walk: ReturnType<typeof createBundleWalk> | undefined
  atMs: number
  drifted: Set<string>
  peers: { count: number; pairScoreE4Sum: number; acrossOrgs: PeerSums }
  adjustmentE4: number
  adjustmentIds: Set<string>
  certificate: { value: unknown; line: number } | undefined
  log: CertificateChecks['log']
  trailer: BundleTrailer | undefined
}

function createState(keys: readonly TrustedKey[], policy: TlogPolicy | undefined): VerifierState {
  return {
    keys,
    policy,
    faults: createBundleFaults(),
    line: 0,
    digest: null,
    rank: -1,
    checkpoints: 0,
    header: undefined,
    walk: undefined,
    atMs: 0,
    drifted: new Set(),
    peers: { count: 0, pairScoreE4Sum: 0, acrossOrgs: { count: 0, pairScoreE4Sum: 0 } },
    adjustmentE4: 0,
    adjustmentIds: new Set(),
    certificate: undefined,
    log: undefined,
    trailer: undefined,
  }
}

type PeerSums = { count: number; pairScoreE4Sum: number }

type NewFault = Omit<BundleFault, 'line'> & { line?: number }

function addFault(state: VerifierState, fault: NewFault): void {
  state.faults.add({ line: state.line, ...fault })
}

function handleLine(state: VerifierState, given: unknown): void {
  state.line += 1
  const read = readLine(given)
  const kind = read.wellFormed ? read.line.kind : read.kind
  const place = placeOf(state, kind)
  checkOrder(state, kind, place)
  if (!read.wellFormed) {
    for (const { path, message } of read.problems) {
      addFault(state, { check: 'lines', place, message: `${path} ${message}` })
    }
    return
  }
  const { line } = read
  if (line.kind === 'trailer') {
    if (state.trailer === undefined) readTrailer(state, line.value)
    return
  }
  const digest = digestOf(line, state.digest)
  if (digest !== line.digest) {
    const message = 'the digest does not match the line'
    addFault(state, { check: 'lines', place, message })
  }
  state.digest = line.digest
  readEntry(state, line, place)
}

/** Undefined if the value has no canonical form. */
function digestOf({ kind, value }: BundleEntry, previous: string | null): string | undefined {
  try {
    return entryDigest(kind, value, previous)
  } catch {
    return undefined
  }
}

function placeOf(state: VerifierState, kind: BundleKind | undefined): string {
  if (kind !== 'checkpoint') return kind ?? 'line'
  state.checkpoints += 1
  return `checkpoint ${state.checkpoints - 1}`
}

const ONCE: readonly BundleKind[] = ['header', 'certificate', 'trailer']

function checkOrder(state: VerifierState, kind: BundleKind | undefined, place: string): void {
  if (kind === undefined) return
  const rank = BUNDLE_KINDS.indexOf(kind)
  const isFirst = state.rank === -1
  const again = rank === state.rank && ONCE.includes(kind)
  if (rank < state.rank || again || isFirst !== (kind === 'header')) {
    addFault(state, { check: 'lines', place, message: 'is out of order or a duplicate' })
  }
  state.rank = Math.max(rank, state.rank)
}

function readEntry(state: VerifierState, entry: BundleEntry, place: string): void {
  switch (entry.kind) {
    case 'header':
      if (state.header === undefined) readHeader(state, entry.value)
      return
    case 'trace_drift':
      state.drifted.add(entry.value.session_id)
      return
    case 'pair_score':
      readPairScore(state, entry.value, place)
      return
    case 'adjustment':
      readAdjustment(state, entry.value, place)
      return
    case 'checkpoint':
      for (const found of state.walk?.add(entry.value) ?? []) addFault(state, { place, ...found })
      return
    case 'certificate':
      state.certificate ??= { value: entry.value, line: state.line }
  }
}

/** In methodology 1 all pair scores weigh the same. */
function readPairScore(state: VerifierState, pair: BundlePairScore, place: string): void {
  const { pair_score_e4: scoreE4, weight } = pair
  const isOf1 = state.header !== undefined && !isOf2(state.header)
  if (isOf1 && weight !== undefined) {
    const message = 'weight does not belong to this methodology'
    addFault(state, { check: 'score', place, message })
  }
  const sums = weight === PAIR_WEIGHTS.acrossOrgs && !isOf1 ? [state.peers.acrossOrgs] : []
  for (const sum of [state.peers, ...sums]) {
    sum.count += 1
    sum.pairScoreE4Sum += scoreE4
  }
}

/** Each adjustment counts once, and only while it is valid. */
function readAdjustment(state: VerifierState, adjustment: BundleAdjustment, place: string): void {
  const { adjustment_id: id, points_e4: points, valid_until: until } = adjustment
  state.adjustmentE4 += points
  const report = (message: string) => addFault(state, { check: 'score', place, message })
  if (state.adjustmentIds.has(id)) report('adjustment_id is a duplicate')
  state.adjustmentIds.add(id)
  const end = parseInstant(until)
  if (end === undefined || end.getTime() <= state.atMs) {
    report('valid_until must be after published/computed_at')
  }
}

function readHeader(state: VerifierState, header: BundleHeader): void {
  state.header = header
  const report = (message: string) => addFault(state, { check: 'score', place: 'header', message })
  const at = parseInstant(header.published.computed_at)
  if (at === undefined) report('published/computed_at is not a valid timestamp')
  state.atMs = at?.getTime() ?? 0
  const { agent_id: agentId } = header
  state.walk = createBundleWalk({ agentId, atMs: state.atMs, hasAssurance: isOf2(header) })
}

function readTrailer(state: VerifierState, trailer: BundleTrailer): void {
  state.trailer = trailer
  const { header, digest } = state
  const lines = state.line - 1
  const report = (check: BundleCheck, message: string) =>
    addFault(state, { check, place: 'trailer', message })
  if (trailer.lines !== lines)
    report('lines', `lines is ${trailer.lines}, but the bundle has ${lines}`)
  if (trailer.digest !== digest) report('lines', 'digest does not match the last line')
  if (header === undefined) return
  const message = bundlePayload({
    agent_id: header.agent_id,
    computed_at: header.published.computed_at,
    digest: trailer.digest,
    lines: trailer.lines,
  })
  const publicKey = findKey(trailer.key_id, state.keys)
  const signature = base64ToBytes(trailer.signature)
  if (publicKey === undefined) {
    report('signatures', 'key_id is not among the published keys')
  } else if (signature === undefined || !verifyEd25519({ signature, message, publicKey })) {
    report('signatures', 'signature does not verify for this bundle')
  }
}

function finish(state: VerifierState): BundleVerification {
  const { header, walk } = state
  const missing = (check: BundleCheck, place: string) =>
    addFault(state, { check, place, message: 'is missing', line: state.line + 1 })
  if (header === undefined) missing('lines', 'header')
  if (state.certificate === undefined) missing('certificate', 'certificate')
  if (state.trailer === undefined) missing('signatures', 'trailer')
  const end = walk?.end(state.drifted)
  const published = header === undefined ? null : publishedScore(header)
  let recomputed: BundleScore | null = null
  if (header !== undefined && end !== undefined) {
    recomputed = recompute(state, header, end)
    checkTotals(state, header, end)
    checkCertificate(state, end)
  }
  const different = published === null ? [] : differences(published, recomputed)
  for (const name of different) {
    addHeaderFault(state, 'score', `published/${name} does not match the recomputed value`)
  }
  return {
    agentId: header?.agent_id ?? null,
    published,
    recomputed,
    equal: published !== null && recomputed !== null && different.length === 0,
    ...state.faults.end({ header: header !== undefined }),
    ...(state.log && { log: state.log }),
  }
}

function addHeaderFault(state: VerifierState, check: BundleCheck, message: string): void {
  addFault(state, { check, place: 'header', message, line: 1 })
}

type WalkEnd = ReturnType<ReturnType<typeof createBundleWalk>['end']>

function recompute(state: VerifierState, header: BundleHeader, end: WalkEnd): BundleScore | null {
  const { atMs: nowMs, peers, adjustmentE4 } = state
  const input = { ...end.counts, nowMs, peers, adjustmentE4 }
  const counted: Counted = { input, assurance: end.assurance }
  for (const message of basisFaults(header, counted)) addHeaderFault(state, 'score', message)
  try {
    return recomputedScore(header, counted)
  } catch (err) {
    if (!(err instanceof RangeError)) throw err
    addHeaderFault(state, 'score', `the score cannot be recomputed: ${err.message}`)
    return null
  }
}

function checkTotals(state: VerifierState, header: BundleHeader, end: WalkEnd): void {
  const { published, tree_head: tree } = header
  const claims: [string, BundleCheck, boolean][] = [
    ['published/chain_length', 'chain', published.chain_length === end.length],
    ['published/tree_size', 'tree', published.tree_size === end.leafCount],
    ['published/root', 'tree', published.root === end.root],
    ['tree_head/leaf_count', 'tree', tree.leaf_count === end.leafCount],
    ['tree_head/merkle_root', 'tree', tree.merkle_root === end.root],
  ]
  for (const [name, check, holds] of claims) {
    if (!holds) addHeaderFault(state, check, `${name} does not match the checkpoints`)
  }
  const publicKey = findKey(tree.key_id, state.keys)
  if (publicKey === undefined) {
    addHeaderFault(state, 'signatures', 'tree_head/key_id is not among the published keys')
    return
  }
  const { leaf_count, merkle_root, signature } = tree
  const head = { agent_id: header.agent_id, leaf_count, merkle_root }
  if (!verifyTreeHead(head, { signature, publicKey: bytesToHex(publicKey) })) {
    addHeaderFault(state, 'signatures', 'tree_head/signature does not verify for this head')
  }
}

/** The certificate must be valid by itself and belong to the last leaf. */
function checkCertificate(state: VerifierState, { lastLeaf, root, leafCount }: WalkEnd): void {
  if (state.certificate === undefined) return
  const { value, line } = state.certificate
  const report = (message: string) =>
    addFault(state, { check: 'certificate', place: 'certificate', message, line })
  const shape = readCertificate(value)
  if (!shape.wellFormed) {
    for (const { path, message } of shape.problems) report(`${path} ${message}`)
    return
  }
  const { valid, checks, details } = verifyWellFormed(shape.certificate, state.keys, state.policy)
  if (!valid) report(details)
  state.log = checks.log
  const { chain, merkle } = shape.certificate.proofs
  const isLast = chain.chain_hash === lastLeaf?.chain.chain_hash
  if (!isLast || merkle?.root !== root || merkle.tree_size !== leafCount) {
    report('does not belong to the last analysed checkpoint')
  }
}
