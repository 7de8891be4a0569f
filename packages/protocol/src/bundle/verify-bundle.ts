import { base64ToBytes, bytesToHex } from '../base/encoding.ts'
import { parseInstant } from '../base/shape.ts'
import { verifyEd25519 } from '../crypto/signature.ts'
import { readCertificate } from '../evidence/certificate-shape.ts'
import { findKey, type TrustedKey, verifyWellFormed } from '../evidence/verify-certificate.ts'
import { verifyTreeHead } from '../merkle/tree-head.ts'
import { COMPONENTS, type ComponentScores, componentScores } from '../score/component-scores.ts'
import { METHODOLOGY_VERSION, rate } from '../score/score.ts'
import type { ScoreInput } from '../score/score-input.ts'
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
import {
  type BundleCheck,
  type BundleCheckState,
  type BundleFault,
  createBundleFaults,
} from './bundle-faults.ts'
import { readLine } from './bundle-shape.ts'
import { createBundleWalk } from './bundle-walk.ts'

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
  /** Of each, whether it holds; together they are the faults, however many those are. */
  checks: Readonly<Record<BundleCheck, BundleCheckState>>
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
  faults: ReturnType<typeof createBundleFaults>
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
    faults: createBundleFaults(),
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

type Told = Omit<BundleFault, 'line'> & { line?: number }

function fault(reading: Reading, told: Told): void {
  reading.faults.add({ line: reading.line, ...told })
}

function take(reading: Reading, given: unknown): void {
  reading.line += 1
  const read = readLine(given)
  const kind = read.wellFormed ? read.line.kind : read.kind
  const place = placeOf(reading, kind)
  takeOrder(reading, kind, place)
  if (!read.wellFormed) {
    for (const { path, message } of read.problems) {
      fault(reading, { check: 'lines', place, message: `${path} ${message}` })
    }
    return
  }
  const { line } = read
  if (line.kind === 'trailer') {
    if (reading.trailer === undefined) takeTrailer(reading, line.value)
    return
  }
  const digest = digestOf(line, reading.digest)
  if (digest !== line.digest) {
    const message = 'is not what was sealed: its digest is another'
    fault(reading, { check: 'lines', place, message })
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
    fault(reading, { check: 'lines', place, message: 'does not stand in its place' })
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
      for (const found of reading.walk?.add(entry.value) ?? []) fault(reading, { place, ...found })
      return
    case 'certificate':
      reading.certificate ??= { value: entry.value, line: reading.line }
  }
}

/** Each counts once, and only as long as it is valid. */
function takeAdjustment(reading: Reading, adjustment: BundleAdjustment, place: string): void {
  const { adjustment_id: id, points_e4: points, valid_until: until } = adjustment
  reading.adjustmentE4 += points
  const told = (message: string) => fault(reading, { check: 'score', place, message })
  if (reading.adjustmentIds.has(id)) told('adjustment_id stands there twice')
  reading.adjustmentIds.add(id)
  const end = parseInstant(until)
  if (end === undefined || end.getTime() <= reading.atMs) {
    told('valid_until is not after published/computed_at')
  }
}

function takeHeader(reading: Reading, header: BundleHeader): void {
  reading.header = header
  const told = (message: string) => fault(reading, { check: 'score', place: 'header', message })
  if (header.methodology_version !== METHODOLOGY_VERSION) {
    told(`methodology_version is not ${METHODOLOGY_VERSION}`)
  }
  const at = parseInstant(header.published.computed_at)
  if (at === undefined) told('published/computed_at is no time')
  reading.atMs = at?.getTime() ?? 0
  reading.walk = createBundleWalk({ agentId: header.agent_id, atMs: reading.atMs })
}

function takeTrailer(reading: Reading, trailer: BundleTrailer): void {
  reading.trailer = trailer
  const { header, digest } = reading
  const lines = reading.line - 1
  const told = (check: BundleCheck, message: string) =>
    fault(reading, { check, place: 'trailer', message })
  if (trailer.lines !== lines) told('lines', `lines: there are ${lines}`)
  if (trailer.digest !== digest) told('lines', 'digest is not that of the last line')
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
    told('signatures', 'key_id is not among the published keys')
  } else if (signature === undefined || !verifyEd25519({ signature, message, publicKey })) {
    told('signatures', 'signature is not one of this bundle')
  }
}

function conclude(reading: Reading): BundleVerification {
  const { header, walk } = reading
  const missing = (check: BundleCheck, place: string) =>
    fault(reading, { check, place, message: 'is missing', line: reading.line + 1 })
  if (header === undefined) missing('lines', 'header')
  if (reading.certificate === undefined) missing('certificate', 'certificate')
  if (reading.trailer === undefined) missing('signatures', 'trailer')
  const end = walk?.end(reading.drifted)
  const published = header === undefined ? null : publishedScore(header)
  let recomputed: BundleScore | null = null
  if (header !== undefined && end !== undefined) {
    recomputed = recompute(reading, header, end.counts)
    judgeEnd(reading, header, end)
    judgeCertificate(reading, end)
  }
  const different = published === null ? [] : differences(published, recomputed)
  for (const name of different) {
    faultOfHeader(reading, 'score', `published/${name} is not what follows`)
  }
  return {
    agentId: header?.agent_id ?? null,
    published,
    recomputed,
    equal: published !== null && recomputed !== null && different.length === 0,
    ...reading.faults.end({ header: header !== undefined }),
  }
}

function faultOfHeader(reading: Reading, check: BundleCheck, message: string): void {
  fault(reading, { check, place: 'header', message, line: 1 })
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
  for (const message of basisFaults(header.basis, input)) faultOfHeader(reading, 'score', message)
  try {
    const { isEligible, score, grade, tier, confidence, checkpointCount } = rate(input)
    const components = isEligible ? componentScores(input) : null
    return { score, grade, tier, confidence, checkpointCount, components }
  } catch (err) {
    if (!(err instanceof RangeError)) throw err
    faultOfHeader(reading, 'score', `no score follows: ${err.message}`)
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
  const claims: [string, BundleCheck, boolean][] = [
    ['published/chain_length', 'chain', published.chain_length === end.length],
    ['published/tree_size', 'tree', published.tree_size === end.leafCount],
    ['published/root', 'tree', published.root === end.root],
    ['tree_head/leaf_count', 'tree', tree.leaf_count === end.leafCount],
    ['tree_head/merkle_root', 'tree', tree.merkle_root === end.root],
  ]
  for (const [name, check, holds] of claims) {
    if (!holds) faultOfHeader(reading, check, `${name} is not that of the checkpoints`)
  }
  const publicKey = findKey(tree.key_id, reading.keys)
  if (publicKey === undefined) {
    faultOfHeader(reading, 'signatures', 'tree_head/key_id is not among the published keys')
    return
  }
  const { leaf_count, merkle_root, signature } = tree
  const head = { agent_id: header.agent_id, leaf_count, merkle_root }
  if (!verifyTreeHead(head, { signature, publicKey: bytesToHex(publicKey) })) {
    faultOfHeader(reading, 'signatures', 'tree_head/signature is not one of this head')
  }
}

/** It must be sound by itself, and that of the last leaf. */
function judgeCertificate(reading: Reading, { lastLeaf, root, leafCount }: WalkEnd): void {
  if (reading.certificate === undefined) return
  const { value, line } = reading.certificate
  const told = (message: string) =>
    fault(reading, { check: 'certificate', place: 'certificate', message, line })
  const shape = readCertificate(value)
  if (!shape.wellFormed) {
    for (const { path, message } of shape.problems) told(`${path} ${message}`)
    return
  }
  const { valid, details } = verifyWellFormed(shape.certificate, reading.keys)
  if (!valid) told(details)
  const { chain, merkle } = shape.certificate.proofs
  const isLast = chain.chain_hash === lastLeaf?.chain.chain_hash
  if (!isLast || merkle?.root !== root || merkle.tree_size !== leafCount) {
    told('is not that of the last analysed checkpoint')
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
