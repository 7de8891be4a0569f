import { bytesToHex } from '@touchstone/protocol/base'
import {
  BUNDLE_FORMAT,
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
import { METHODOLOGY_VERSION } from '@touchstone/protocol/score'
import {
  type ProvableCheckpoint,
  type PublishedScore,
  toBasis,
  toCheckpoint,
  toPublished,
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

/** About a quarter of a megabyte, and some 20 ms of computing, which requests can wait for. */
const SLICE_ROWS = 200
const ALERTS_PAGE = 100

export type BundleDeps = {
  agents: Agents
  scores: Scores
  checkpoints: Checkpoints
  attestation: Attestation
  drift: Drift
  coherence: Coherence
  /** A bundle that broke off while it was sent, when no answer can say so any more. */
  onBroken(err: unknown): void
}

export function createBundleService(deps: BundleDeps) {
  return {
    /**
     * The texts of a bundle, each made when it is asked for. It ends where the evidence of the
     * published score ended, so what is stored meanwhile is not in it.
     */
    async bundle(
      agentId: string,
      orgIds: readonly string[],
    ): Promise<{ texts: AsyncIterable<string>; isPrivate: boolean }> {
      const rated = await getRated(deps, agentId, orgIds)
      const header = await headerOf(deps, rated, await deps.attestation.signer())
      return { texts: write(deps, rated.published, header), isPrivate: rated.isPrivate }
    },
  }
}

/** Signed anew: the root is that of the stored tree, not the one that stands with the score. */
async function headerOf(
  deps: BundleDeps,
  { published }: Rated,
  signer: BundleSigner,
): Promise<BundleHeader> {
  const { agentId, treeSize, basis } = published
  const nodes = await deps.attestation.nodesOf(agentId, nodesForRoot(treeSize))
  const merkleRoot = bytesToHex(rootFromNodes(treeSize, nodeLookup(nodes)))
  const head = { agent_id: agentId, leaf_count: treeSize, merkle_root: merkleRoot }
  return {
    format: BUNDLE_FORMAT,
    methodology_version: METHODOLOGY_VERSION,
    agent_id: agentId,
    published: toPublished(published),
    basis: toBasis(basis),
    tree_head: {
      leaf_count: treeSize,
      merkle_root: merkleRoot,
      key_id: signer.keyId,
      signature: signer.sign(treeHeadPayload(head)),
    },
  }
}

async function* write(
  deps: BundleDeps,
  published: PublishedScore,
  header: BundleHeader,
): AsyncGenerator<string> {
  const { agentId, computedAt } = published
  const writer = createBundleWriter()
  try {
    yield writer.line({ kind: 'header', value: header })
    for await (const entries of besideOf(deps, published)) {
      yield entries.map(writer.line).join('')
    }
    let lastLeaf: ProvableCheckpoint | undefined
    for await (const slice of slicesOf(deps, published)) {
      lastLeaf = slice.findLast(({ leafIndex }) => leafIndex !== null) ?? lastLeaf
      yield slice.map((one) => writer.line(toCheckpoint(one))).join('')
    }
    yield writer.line(await certificateOf(deps, agentId, lastLeaf))
    const of = { agentId, computedAt: computedAt.toISOString() }
    yield writer.trailer(of, await deps.attestation.signer())
  } catch (err) {
    // The answer has begun: it can only end early, and nobody else will tell why.
    deps.onBroken(err)
    throw err
  }
}

/** What the score was computed from beside checkpoints. */
async function* besideOf(
  deps: BundleDeps,
  published: PublishedScore,
): AsyncGenerator<BundleEntry[]> {
  const { agentId, computedAt } = published
  const alerts = await firstAlertsOf(deps, published)
  yield alerts.map(({ alertId, sessionId, detectedAt }) => ({
    kind: 'trace_drift',
    value: { alert_id: alertId, session_id: sessionId, detected_at: detectedAt.toISOString() },
  }))
  const { pairScores, adjustments } = await deps.coherence.used(agentId, computedAt)
  yield pairScores.map(({ peerId, scoreE4, checkedAt }) => ({
    kind: 'pair_score',
    value: { peer_id: peerId, pair_score_e4: scoreE4, checked_at: checkedAt.toISOString() },
  }))
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
 * Of each session that the score counted as drifted, the alert that made it so. Later ones change
 * nothing, so the bundle stays the same; times would not tell, as one may open in the millisecond
 * of the computation.
 */
async function firstAlertsOf(
  deps: BundleDeps,
  { agentId, driftedSessionIds }: PublishedScore,
): Promise<TraceDrift[]> {
  if (driftedSessionIds.length === 0) return []
  const first = new Map<string, TraceDrift>()
  for await (const alerts of alertsOf(deps, agentId)) {
    for (const alert of alerts) first.set(alert.sessionId, alert)
  }
  return driftedSessionIds.map((sessionId) => {
    const alert = first.get(sessionId)
    if (alert === undefined) throw new Error(`no alert of ${agentId} is about a drifted session`)
    return alert
  })
}

/** Newest first. */
async function* alertsOf(
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

async function* slicesOf(
  { checkpoints }: BundleDeps,
  { agentId, chainLength, computedAt }: PublishedScore,
): AsyncGenerator<ProvableCheckpoint[]> {
  let position = 0
  while (position < chainLength) {
    const rows = Math.min(SLICE_ROWS, chainLength - position)
    const slice = await checkpoints.listProvable({ agentId, computedAt }, position, rows)
    const last = slice.at(-1)
    if (last === undefined) throw new Error(`the chain of ${agentId} ends before ${position}`)
    yield slice
    position = last.position + 1
  }
}

async function certificateOf(
  { attestation }: BundleDeps,
  agentId: string,
  leaf: ProvableCheckpoint | undefined,
): Promise<BundleEntry> {
  const [rebuilt] = leaf === undefined ? [] : await attestation.rebuild(agentId, [leaf])
  if (rebuilt === undefined) throw new Error(`the last certificate of ${agentId} is not whole`)
  return { kind: 'certificate', value: rebuilt.certificate }
}
