import {
  BUNDLE_KINDS,
  type BundleAdjustment,
  type BundleEntry,
  type BundleHeader,
  type BundleKind,
  type BundleTrailer,
  bundlePayload,
  entryDigest,
} from './bundle.ts'
import { readLine } from './bundle-shape.ts'
import { createBundleWalk } from './bundle-walk.ts'
import { readCertificate } from './certificate-shape.ts'
import { COMPONENTS, type ComponentScores, componentScores } from './component-scores.ts'
import { base64ToBytes, bytesToHex } from './encoding.ts'
import { METHODOLOGY_VERSION, rate } from './score.ts'
import type { ScoreInput } from './score-input.ts'
import { parseInstant } from './shape.ts'
import { verifyEd25519 } from './signature.ts'
import { verifyTreeHead } from './tree-head.ts'
import { findKey, type TrustedKey, verifyWellFormed } from './verify-certificate.ts'

/** Further ones are only counted: a hostile bundle must not earn an endless answer. */
const FAULTS_MAX = 100

export type BundleFault = {
  /** From 1; the line after the last for what is missing. */
  line: number
  /** The line's kind, checkpoints with their number from 0. */
  place: string
  message: string
}

export type BundleScore = {
  score: number | null
  grade: string
  tier: string
  confidence: string
  checkpointCount: number
  components: ComponentScores | null
}

export type BundleVerification = {
  /** Nothing is wrong with any hash, link or signature, nor with the score. */
  ok: boolean
  agentId: string | null
  /** As the bundle states it. */
  published: BundleScore | null
  /** As it follows from the evidence; null when there is too little to compute it from. */
  recomputed: BundleScore | null
  /** Whether both are the same in every number. */
  equal: boolean
  faults: readonly BundleFault[]
  faultCount: number
}

/**
 * Checks a bundle against the published keys, which its reader brings. Takes its lines as text or
 * as JSON.parse gives them, all at once or as they arrive. Never throws for what they say.
 */
export async function verifyBundle(
  lines: Iterable<unknown> | AsyncIterable<unknown>,
  keys: readonly TrustedKey[],
): Promise<BundleVerification> {
  const reading = createReading(keys)
  for await (const line of lines) {
    // What ends a file with a line end is no line.
    if (line !== '') take(reading, line)
  }
  return conclude(reading)
}

type Reading = {
  keys: readonly TrustedKey[]
  faults: BundleFault[]
  faultCount: number
  line: number
  /** Of the line before. */
  digest: string | null
  /** Where the kind of the line before stands among all. */
  rank: number
  checkpoints: number
  header: BundleHeader | undefined
  walk: ReturnType<typeof createBundleWalk> | undefined
  atMs: number
  drifted: Set<string>
  peers: { count: number; pairScoreE4Sum: number }
  adjustmentE4: number
  adjustmentIds: Set<string>
  certificate: { value: unknown; line: number } | undefined
  trailer: BundleTrailer | undefined
}

function createReading(keys: readonly TrustedKey[]): Reading {
  return {
    keys,
    faults: [],
    faultCount: 0,
    line: 0,
    digest: null,
    rank: -1,
    checkpoints: 0,
    header: undefined,
    walk: undefined,
    atMs: 0,
    drifted: new Set(),
    peers: { count: 0, pairScoreE4Sum: 0 },
    adjustmentE4: 0,
    adjustmentIds: new Set(),
    certificate: undefined,
    trailer: undefined,
  }
}

function fault(reading: Reading, place: string, message: string, line = reading.line): void {
  reading.faultCount += 1
  if (reading.faults.length < FAULTS_MAX) reading.faults.push({ line, place, message })
}

function take(reading: Reading, given: unknown): void {
  reading.line += 1
  const read = readLine(given)
  const kind = read.wellFormed ? read.line.kind : read.kind
  const place = placeOf(reading, kind)
  takeOrder(reading, kind, place)
  if (!read.wellFormed) {
    for (const { path, message } of read.problems) fault(reading, place, `${path} ${message}`)
    return
  }
  const { line } = read
  if (line.kind === 'trailer') {
    if (reading.trailer === undefined) takeTrailer(reading, line.value)
    return
  }
  const digest = digestOf(line, reading.digest)
  if (digest !== line.digest) {
    fault(reading, place, 'is not what was sealed: its digest is another')
  }
  reading.digest = line.digest
  takeEntry(reading, line, place)
}

/** Undefined for what has no canonical form. */
function digestOf({ kind, value }: BundleEntry, previous: string | null): string | undefined {
  try {
    return entryDigest(kind, value, previous)
  } catch {
    return undefined
  }
}

function placeOf(reading: Reading, kind: BundleKind | undefined): string {
  if (kind !== 'checkpoint') return kind ?? 'line'
  reading.checkpoints += 1
  return `checkpoint ${reading.checkpoints - 1}`
}

const ONCE: readonly BundleKind[] = ['header', 'certificate', 'trailer']

function takeOrder(reading: Reading, kind: BundleKind | undefined, place: string): void {
  if (kind === undefined) return
  const rank = BUNDLE_KINDS.indexOf(kind)
  const isFirst = reading.rank === -1
  const again = rank === reading.rank && ONCE.includes(kind)
  if (rank < reading.rank || again || isFirst !== (kind === 'header')) {
    fault(reading, place, 'does not stand in its place')
  }
  reading.rank = Math.max(rank, reading.rank)
}

function takeEntry(reading: Reading, entry: BundleEntry, place: string): void {
  switch (entry.kind) {
    case 'header':
      if (reading.header === undefined) takeHeader(reading, entry.value)
      return
    case 'trace_drift':
      reading.drifted.add(entry.value.session_id)
      return
    case 'pair_score':
      reading.peers.count += 1
      reading.peers.pairScoreE4Sum += entry.value.pair_score_e4
      return
    case 'adjustment':
      takeAdjustment(reading, entry.value, place)
      return
    case 'checkpoint':
      for (const message of reading.walk?.add(entry.value) ?? []) fault(reading, place, message)
      return
    case 'certificate':
      reading.certificate ??= { value: entry.value, line: reading.line }
  }
}

/** Each counts once, and only as long as it is valid. */
function takeAdjustment(reading: Reading, adjustment: BundleAdjustment, place: string): void {
  const { adjustment_id: id, points_e4: points, valid_until: until } = adjustment
  reading.adjustmentE4 += points
  if (reading.adjustmentIds.has(id)) fault(reading, place, 'adjustment_id stands there twice')
  reading.adjustmentIds.add(id)
  const end = parseInstant(until)
  if (end === undefined || end.getTime() <= reading.atMs) {
    fault(reading, place, 'valid_until is not after published/computed_at')
  }
}

function takeHeader(reading: Reading, header: BundleHeader): void {
  reading.header = header
  if (header.methodology_version !== METHODOLOGY_VERSION) {
    fault(reading, 'header', `methodology_version is not ${METHODOLOGY_VERSION}`)
  }
  const at = parseInstant(header.published.computed_at)
  if (at === undefined) fault(reading, 'header', 'published/computed_at is no time')
  reading.atMs = at?.getTime() ?? 0
  reading.walk = createBundleWalk({ agentId: header.agent_id, atMs: reading.atMs })
}

function takeTrailer(reading: Reading, trailer: BundleTrailer): void {
  reading.trailer = trailer
  const { header, digest } = reading
  const lines = reading.line - 1
  if (trailer.lines !== lines) fault(reading, 'trailer', `lines: there are ${lines}`)
  if (trailer.digest !== digest) fault(reading, 'trailer', 'digest is not that of the last line')
  if (header === undefined) return
  const message = bundlePayload({
    agent_id: header.agent_id,
    computed_at: header.published.computed_at,
    digest: trailer.digest,
    lines: trailer.lines,
  })
  const publicKey = findKey(trailer.key_id, reading.keys)
  const signature = base64ToBytes(trailer.signature)
  if (publicKey === undefined) {
    fault(reading, 'trailer', 'key_id is not among the published keys')
  } else if (signature === undefined || !verifyEd25519({ signature, message, publicKey })) {
    fault(reading, 'trailer', 'signature is not one of this bundle')
  }
}

function conclude(reading: Reading): BundleVerification {
  const { header, walk } = reading
  const after = reading.line + 1
  if (header === undefined) fault(reading, 'header', 'is missing', after)
  if (reading.certificate === undefined) fault(reading, 'certificate', 'is missing', after)
  if (reading.trailer === undefined) fault(reading, 'trailer', 'is missing', after)
  const end = walk?.end(reading.drifted)
  const published = header === undefined ? null : publishedScore(header)
  let recomputed: BundleScore | null = null
  if (header !== undefined && end !== undefined) {
    recomputed = recompute(reading, header, end.counts)
    judgeEnd(reading, header, end)
    judgeCertificate(reading, end)
  }
  const different = published === null ? [] : differences(published, recomputed)
  for (const name of different) fault(reading, 'header', `published/${name} is not what follows`, 1)
  return {
    ok: reading.faultCount === 0,
    agentId: header?.agent_id ?? null,
    published,
    recomputed,
    equal: published !== null && recomputed !== null && different.length === 0,
    faults: reading.faults,
    faultCount: reading.faultCount,
  }
}

type WalkEnd = ReturnType<ReturnType<typeof createBundleWalk>['end']>

function recompute(
  reading: Reading,
  header: BundleHeader,
  counts: WalkEnd['counts'],
): BundleScore | null {
  const { atMs: nowMs, peers, adjustmentE4 } = reading
  const tracesStored = header.basis.traces_stored
  const input: ScoreInput = { ...counts, nowMs, tracesStored, peers, adjustmentE4 }
  for (const message of basisFaults(header.basis, input)) fault(reading, 'header', message, 1)
  try {
    const { isEligible, score, grade, tier, confidence, checkpointCount } = rate(input)
    const components = isEligible ? componentScores(input) : null
    return { score, grade, tier, confidence, checkpointCount, components }
  } catch (err) {
    if (!(err instanceof RangeError)) throw err
    fault(reading, 'header', `no score follows: ${err.message}`, 1)
    return null
  }
}

/** The figures that can be counted in the bundle itself. */
function basisFaults(basis: BundleHeader['basis'], input: ScoreInput): string[] {
  const { checkpoints, sessions, peers } = input
  const figures: [string, number, number][] = [
    ['checkpoints/scored', basis.checkpoints.scored, checkpoints.scored],
    ['checkpoints/clear', basis.checkpoints.clear, checkpoints.clear],
    ['checkpoints/excluded', basis.checkpoints.excluded, checkpoints.excluded],
    ['sessions/total', basis.sessions.total, sessions.total],
    ['sessions/unstable', basis.sessions.unstable, sessions.unstable],
    ['peers/count', basis.peers.count, peers.count],
    ['peers/pair_score_e4_sum', basis.peers.pair_score_e4_sum, peers.pairScoreE4Sum],
    ['adjustment_e4', basis.adjustment_e4, input.adjustmentE4],
  ]
  return figures.flatMap(([name, stated, counted]) =>
    stated === counted ? [] : [`basis/${name} is ${stated}, the lines give ${counted}`],
  )
}

function judgeEnd(reading: Reading, header: BundleHeader, end: WalkEnd): void {
  const { published, tree_head: tree } = header
  const claims: [string, boolean][] = [
    ['published/chain_length', published.chain_length === end.length],
    ['published/tree_size', published.tree_size === end.leafCount],
    ['published/root', published.root === end.root],
    ['tree_head/leaf_count', tree.leaf_count === end.leafCount],
    ['tree_head/merkle_root', tree.merkle_root === end.root],
  ]
  for (const [name, holds] of claims) {
    if (!holds) fault(reading, 'header', `${name} is not that of the checkpoints`, 1)
  }
  const publicKey = findKey(tree.key_id, reading.keys)
  if (publicKey === undefined) {
    fault(reading, 'header', 'tree_head/key_id is not among the published keys', 1)
    return
  }
  const { leaf_count, merkle_root, signature } = tree
  const head = { agent_id: header.agent_id, leaf_count, merkle_root }
  if (!verifyTreeHead(head, { signature, publicKey: bytesToHex(publicKey) })) {
    fault(reading, 'header', 'tree_head/signature is not one of this head', 1)
  }
}

/** It must be sound by itself, and that of the last leaf. */
function judgeCertificate(reading: Reading, { lastLeaf, root, leafCount }: WalkEnd): void {
  if (reading.certificate === undefined) return
  const { value, line } = reading.certificate
  const shape = readCertificate(value)
  if (!shape.wellFormed) {
    for (const { path, message } of shape.problems) {
      fault(reading, 'certificate', `${path} ${message}`, line)
    }
    return
  }
  const { valid, details } = verifyWellFormed(shape.certificate, reading.keys)
  if (!valid) fault(reading, 'certificate', details, line)
  const { chain, merkle } = shape.certificate.proofs
  const isLast = chain.chain_hash === lastLeaf?.chain.chain_hash
  if (!isLast || merkle?.root !== root || merkle.tree_size !== leafCount) {
    fault(reading, 'certificate', 'is not that of the last analysed checkpoint', line)
  }
}

function publishedScore({ published }: BundleHeader): BundleScore {
  const { score, grade, tier, confidence, checkpoint_count: checkpointCount } = published
  return { score, grade, tier, confidence, checkpointCount, components: published.components }
}

function differences(published: BundleScore, recomputed: BundleScore | null): string[] {
  if (recomputed === null) return []
  const same: [string, boolean][] = [
    ['score', published.score === recomputed.score],
    ['grade', published.grade === recomputed.grade],
    ['tier', published.tier === recomputed.tier],
    ['confidence', published.confidence === recomputed.confidence],
    ['checkpoint_count', published.checkpointCount === recomputed.checkpointCount],
  ]
  return [
    ...same.flatMap(([name, holds]) => (holds ? [] : name)),
    ...COMPONENTS.map(({ key }) => key)
      .filter((key) => published.components?.[key] !== recomputed.components?.[key])
      .map((key) => `components/${key}`),
  ]
}
