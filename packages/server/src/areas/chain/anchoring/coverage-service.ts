import { bytesToHex } from '@touchstone/protocol/base'
import { type AnchorProof, anchorLeaf, anchorLeafData } from '@touchstone/protocol/chain'
import { inclusionPath, leafHash } from '@touchstone/protocol/merkle'
import { later, MINUTE_MS } from '../../../kernel/clock.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { Anchor } from './anchor.ts'
import { CHUNK_LEAVES, globalPath } from './global-tree.ts'
import type { AnchoringDeps, Log } from './ports.ts'
import { createAnchorStore, type ManualAnchor } from './store.ts'

const PAGE = 500
/** Pages searched per request; the next request continues from there. */
const PAGES_MAX = 4
/** Within this time, an anchor with a smaller number may not be committed yet. */
const SETTLED_MS = MINUTE_MS

export type StoredProof = AnchorProof & { anchorId: string }

/** Finds the anchors that cover an agent and proves the coverage. */
export function createCoverageService(deps: AnchoringDeps) {
  const store = createAnchorStore(deps.db)

  /** Whether each of these is mined and its root was a root of the agent's tree. */
  const compare = async (agentId: string, page: readonly ManualAnchor[]): Promise<boolean[]> => {
    const leafCount = await deps.trees.leafCountOf(agentId)
    const sizes = page.map((one) => one.leafCount).filter((size) => size <= leafCount)
    const roots = await deps.trees.rootsAt(agentId, [...new Set(sizes)])
    return page.map((one) => one.isMined && one.merkleRoot === `0x${roots.get(one.leafCount)}`)
  }

  /**
   * The newest mined manual anchor whose root was a root of the agent's tree. Each anchor is
   * compared once: a tree only grows, so a root with more leaves than the tree has now was never
   * its own. A pending anchor can still fail, so it is compared again, together with all later
   * ones.
   */
  const newestManual = async (agentId: string): Promise<Anchor | undefined> => {
    const known = (await store.findReach(agentId)) ?? { throughSeq: 0, anchorSeq: null }
    const settledAt = later(deps.clock.now(), -SETTLED_MS)
    let reach = known
    let kept = known
    for (let pages = 0; pages < PAGES_MAX; pages += 1) {
      const page = await store.manualAfter(deps.chainId, reach.throughSeq, PAGE)
      const steps = stepsOver(page, await compare(agentId, page), reach.anchorSeq)
      // Progress is saved only up to the first anchor that is not settled.
      if (kept === reach) kept = steps[settledIn(page, settledAt) - 1] ?? kept
      reach = steps.at(-1) ?? reach
      if (page.length < PAGE) break
    }
    if (kept !== known) await store.saveReach(agentId, kept)
    return reach.anchorSeq === null ? undefined : store.findBySeq(reach.anchorSeq, deps.chainId)
  }

  /** The newest anchor of the log, if the log had a checkpoint of the agent then. */
  const newestOfLog = async (agentId: string): Promise<Anchor | undefined> => {
    const anchor = await store.latestOfLog(deps.chainId)
    if (anchor === undefined) return undefined
    return (await deps.log.hasCheckpointOf(agentId, anchor.leafCount)) ? anchor : undefined
  }

  return {
    async latestCovering(agentId: string): Promise<Anchor | undefined> {
      const found = [
        await store.latestLeafOf(agentId, deps.chainId),
        await newestManual(agentId),
        await newestOfLog(agentId),
      ]
      const covering = found.filter((one) => one !== undefined)
      return covering.sort((a, b) => b.seq - a.seq)[0]
    },

    /** Proves that an agent is in the tree of an automatic anchor. */
    async proof(
      anchorId: string,
      agentId: string,
      orgIds: readonly string[],
    ): Promise<StoredProof> {
      await deps.agents.get(agentId, orgIds).catch(asNotFound)
      const anchor = await store.find(anchorId)
      if (anchor?.kind === 'log') return proveInLog(deps.log, anchor, agentId)
      const leaf = anchor && (await store.findLeaf(anchor.seq, agentId))
      if (anchor === undefined || leaf === undefined) {
        throw notCovered()
      }
      const chunk = await store.chunkLeaves(anchor.seq, Math.floor(leaf.position / CHUNK_LEAVES))
      const roots = await store.chunkRoots(anchor.seq)
      const place = { position: leaf.position, leafCount: anchor.leafCount }
      return {
        anchorId,
        merkle_root: anchor.merkleRoot,
        agent_id: agentId,
        leaf: `0x${bytesToHex(anchorLeaf(leaf))}`,
        leaf_preimage: anchorLeafData(leaf),
        siblings: globalPath(place, chunk, roots).map(({ hash, position }) => ({
          hash: `0x${hash}`,
          position,
        })),
      }
    },
  }
}

/** The leaf is the newest checkpoint of the agent that the log had, whose chain hash covers all before. */
async function proveInLog(log: Log, anchor: Anchor, agentId: string): Promise<StoredProof> {
  const { anchorId, merkleRoot, leafCount: size } = anchor
  const proven = await log.proveNewestOf(agentId, size)
  if (proven === undefined) throw notCovered()
  const { index, bytes, hashes, nonce, record } = proven
  return {
    anchorId,
    merkle_root: merkleRoot,
    agent_id: agentId,
    leaf: `0x${bytesToHex(leafHash(bytes))}`,
    leaf_preimage: Buffer.from(bytes).toString('utf8'),
    siblings: inclusionPath({ index, size }, hashes).map(({ hash, position }) => ({
      hash: `0x${hash}`,
      position,
    })),
    nonce: bytesToHex(nonce),
    record: JSON.parse(record),
  }
}

function notCovered(): Problem {
  return new Problem('not_found', 'No such automatic anchor covers this agent.')
}

type Reach = { throughSeq: number; anchorSeq: number | null }

/** The progress and result after each anchor. */
function stepsOver(
  page: readonly ManualAnchor[],
  had: readonly boolean[],
  before: number | null,
): Reach[] {
  let anchorSeq = before
  return page.map(({ seq }, i) => {
    if (had[i] === true) anchorSeq = seq
    return { throughSeq: seq, anchorSeq }
  })
}

/** The number of leading anchors that are settled. */
function settledIn(page: readonly ManualAnchor[], settledAt: Date): number {
  const open = page.findIndex((one) => !one.isMined || one.createdAt >= settledAt)
  return open === -1 ? page.length : open
}

/** The on-chain routes report an unknown agent as `not_found` (spec: interface, Errors). */
function asNotFound(err: unknown): never {
  if (err instanceof Problem && err.code === 'agent_not_found') {
    throw new Problem('not_found', 'No such agent.')
  }
  throw err
}
