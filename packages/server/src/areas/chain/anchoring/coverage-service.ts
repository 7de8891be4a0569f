import { bytesToHex } from '@touchstone/protocol/base'
import { type AnchorProof, anchorLeaf, anchorLeafData } from '@touchstone/protocol/chain'
import { later, MINUTE_MS } from '../../../kernel/clock.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { Anchor } from './anchor.ts'
import { CHUNK_LEAVES, globalPath } from './global-tree.ts'
import type { AnchoringDeps } from './ports.ts'
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

  return {
    async latestCovering(agentId: string): Promise<Anchor | undefined> {
      const automatic = await store.latestLeafOf(agentId, deps.chainId)
      const manual = await newestManual(agentId)
      if (automatic === undefined || manual === undefined) return automatic ?? manual
      return automatic.seq > manual.seq ? automatic : manual
    },

    /** Proves that an agent is in the tree of an automatic anchor. */
    async proof(
      anchorId: string,
      agentId: string,
      orgIds: readonly string[],
    ): Promise<StoredProof> {
      await deps.agents.get(agentId, orgIds).catch(asNotFound)
      const anchor = await store.find(anchorId)
      const leaf = anchor && (await store.findLeaf(anchor.seq, agentId))
      if (anchor === undefined || leaf === undefined) {
        throw new Problem('not_found', 'No such automatic anchor covers this agent.')
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
