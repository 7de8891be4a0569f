import { bytesToHex } from '@touchstone/protocol/base'
import {
  type BundleEntry,
  type BundleHeader,
  type BundleSigner,
  createBundleWriter,
} from '@touchstone/protocol/bundle'
import {
  nodeLookup,
  nodesForRoot,
  rootFromNodes,
  treeHeadPayload,
} from '@touchstone/protocol/merkle'
import {
  type ProvableCheckpoint,
  type PublishedScore,
  toCheckpoint,
  toHeader,
  toPairScore,
} from './bundle-lines.ts'
import type {
  Agents,
  Attestation,
  Checkpoints,
  Coherence,
  Drift,
  Scores,
  TraceDrift,
} from './ports.ts'
import { getRated, type Rated } from './rated-service.ts'

/** About 250 kB and 20 ms of CPU per batch, short enough not to delay other requests. */
const BATCH_ROWS = 200
const ALERTS_PAGE = 100

export type BundleDeps = {
  agents: Agents
  scores: Scores
  checkpoints: Checkpoints
  attestation: Attestation
  drift: Drift
  coherence: Coherence
  /** Reports a bundle that failed mid-stream, when the response status can no longer say so. */
  onBroken(err: unknown): void
}

/**
 * Generates the chunks of a bundle lazily, so that a slow reader holds no more than one in memory.
 * The bundle ends where the evidence of the published score ended; later checkpoints are left out.
 */
export async function streamBundle(
  deps: BundleDeps,
  agentId: string,
  orgIds: readonly string[],
): Promise<{ texts: AsyncIterable<string>; isPrivate: boolean }> {
  const rated = await getRated(deps, agentId, orgIds)
  const header = await createHeader(deps, rated, await deps.attestation.signer())
  return { texts: writeBundle(deps, rated.published, header), isPrivate: rated.isPrivate }
}

/** Signs the root of the stored tree, not the root saved with the score, so that a mismatch shows. */
async function createHeader(
  deps: BundleDeps,
  { published }: Rated,
  signer: BundleSigner,
): Promise<BundleHeader> {
  const { agentId, treeSize } = published
  const nodes = await deps.attestation.nodesOf(agentId, nodesForRoot(treeSize))
  const merkleRoot = bytesToHex(rootFromNodes(treeSize, nodeLookup(nodes)))
  const head = { agent_id: agentId, leaf_count: treeSize, merkle_root: merkleRoot }
  return toHeader(published, {
    leaf_count: treeSize,
    merkle_root: merkleRoot,
    key_id: signer.keyId,
    signature: signer.sign(treeHeadPayload(head)),
  })
}

async function* writeBundle(
  deps: BundleDeps,
  published: PublishedScore,
  header: BundleHeader,
): AsyncGenerator<string> {
  const { agentId, computedAt } = published
  const hasAssurance = published.assurance !== null
  const writer = createBundleWriter()
  try {
    yield writer.line({ kind: 'header', value: header })
    for await (const entries of listOtherInputs(deps, published)) {
      yield entries.map(writer.line).join('')
    }
    let lastLeaf: ProvableCheckpoint | undefined
    for await (const batch of listCheckpoints(deps, published)) {
      lastLeaf = batch.findLast(({ leafIndex }) => leafIndex !== null) ?? lastLeaf
      yield batch.map((one) => writer.line(toCheckpoint(one, hasAssurance))).join('')
    }
    yield writer.line(await certificateOf(deps, agentId, lastLeaf))
    const subject = { agentId, computedAt: computedAt.toISOString() }
    yield writer.trailer(subject, await deps.attestation.signer())
  } catch (err) {
    // The response has started, so it can only be cut short; the cause is reported here alone.
    deps.onBroken(err)
    throw err
  }
}

/** The inputs of the score other than checkpoints. */
async function* listOtherInputs(
  deps: BundleDeps,
  published: PublishedScore,
): AsyncGenerator<BundleEntry[]> {
  const { agentId, computedAt } = published
  const alerts = await listFirstAlerts(deps, published)
  yield alerts.map(({ alertId, sessionId, detectedAt }) => ({
    kind: 'trace_drift',
    value: { alert_id: alertId, session_id: sessionId, detected_at: detectedAt.toISOString() },
  }))
  const { pairScores, adjustments } = await deps.coherence.used(agentId, computedAt)
  const hasWeight = published.assurance !== null
  yield pairScores.map((pair) => toPairScore(pair, hasWeight))
  yield adjustments.map(({ adjustmentId, pointsE4, validUntil }) => ({
    kind: 'adjustment',
    value: {
      adjustment_id: adjustmentId,
      points_e4: pointsE4,
      valid_until: validUntil.toISOString(),
    },
  }))
}

/**
 * Lists, for each session that the score counted as drifted, its earliest alert. Later alerts do
 * not change the score, so leaving them out keeps the bundle stable. Filtering by time would not
 * work: an alert may open in the same millisecond as the computation.
 */
async function listFirstAlerts(
  deps: BundleDeps,
  { agentId, driftedSessionIds }: PublishedScore,
): Promise<TraceDrift[]> {
  if (driftedSessionIds.length === 0) return []
  const first = new Map<string, TraceDrift>()
  for await (const alerts of listAlerts(deps, agentId)) {
    // Newest first, so the last write per session is the earliest alert.
    for (const alert of alerts) first.set(alert.sessionId, alert)
  }
  return driftedSessionIds.map((sessionId) => {
    const alert = first.get(sessionId)
    if (alert === undefined) throw new Error(`drifted session of ${agentId} has no alert`)
    return alert
  })
}

/** Newest first. */
async function* listAlerts(
  { drift }: BundleDeps,
  agentId: string,
): AsyncGenerator<readonly TraceDrift[]> {
  for (let page = 1; ; page += 1) {
    const filter = { kind: 'trace', status: undefined } as const
    const { items } = await drift.list(agentId, filter, { page, perPage: ALERTS_PAGE })
    if (items.length === 0) return
    yield items
    if (items.length < ALERTS_PAGE) return
  }
}

async function* listCheckpoints(
  { checkpoints }: BundleDeps,
  { agentId, chainLength, computedAt }: PublishedScore,
): AsyncGenerator<ProvableCheckpoint[]> {
  let position = 0
  while (position < chainLength) {
    const rows = Math.min(BATCH_ROWS, chainLength - position)
    const batch = await checkpoints.listProvable({ agentId, computedAt }, position, rows)
    const last = batch.at(-1)
    if (last === undefined) {
      throw new Error(`chain of ${agentId} has no checkpoint at or after position ${position}`)
    }
    yield batch
    position = last.position + 1
  }
}

async function certificateOf(
  { attestation }: BundleDeps,
  agentId: string,
  leaf: ProvableCheckpoint | undefined,
): Promise<BundleEntry> {
  const [rebuilt] = leaf === undefined ? [] : await attestation.rebuild(agentId, [leaf])
  if (rebuilt === undefined) throw new Error(`last certificate of ${agentId} is incomplete`)
  return { kind: 'certificate', value: await attestation.withLogProof(rebuilt.certificate) }
}
