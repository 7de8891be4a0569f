import { type AnchorProof, anchorLeaf, anchorLeafData, bytesToHex } from '@touchstone/protocol'
import { later, MINUTE_MS } from '../../../kernel/clock.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { Anchor } from './anchor.ts'
import { CHUNK_LEAVES, globalPath } from './global-tree.ts'
import type { AnchoringDeps } from './ports.ts'
import { createAnchorStore, type ManualAnchor } from './store.ts'

const PAGE = 500
/** One with a smaller number may still be on its way into the database. */
const SETTLED_MS = MINUTE_MS

export type StoredProof = AnchorProof & { anchorId: string }

/** Which anchors speak of an agent, and how that is shown. */
export function createCoverageService(deps: AnchoringDeps) {
  const store = createAnchorStore(deps.db)

  /** Whether the agent's tree has had the roots of these. */
  const compare = async (agentId: string, page: readonly ManualAnchor[]): Promise<boolean[]> => {
    const leafCount = await deps.trees.leafCountOf(agentId)
    const sizes = page.map((one) => one.leafCount).filter((size) => size <= leafCount)
    const roots = await deps.trees.rootsAt(agentId, [...new Set(sizes)])
    return page.map((one) => one.merkleRoot === `0x${roots.get(one.leafCount)}`)
  }

  /**
   * The newest manual anchor whose root the agent's tree has had. Each is compared once: a tree
   * only grows, so a root of more leaves than it has now was not its own.
   */
  const newestManual = async (agentId: string): Promise<Anchor | undefined> => {
    const known = (await store.findReach(agentId)) ?? { throughSeq: 0, anchorSeq: null }
    const settledAt = later(deps.clock.now(), -SETTLED_MS)
    let reach = known
    let kept = known
    let page: readonly ManualAnchor[]
    do {
      page = await store.manualAfter(deps.chainId, reach.throughSeq, PAGE)
      const steps = stepsOver(page, await compare(agentId, page), reach.anchorSeq)
      kept = steps.findLast((_, i) => (page[i]?.createdAt ?? settledAt) < settledAt) ?? kept
      reach = steps.at(-1) ?? reach
    } while (page.length === PAGE)
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

    /** That an agent is in the tree of an automatic anchor. */
    async proof(
      anchorId: string,
      agentId: string,
      orgIds: readonly string[],
    ): Promise<StoredProof> {
      await deps.agents.get(agentId, orgIds).catch(asNotFound)
      const anchor = await store.find(anchorId)
      const leaf = anchor && (await store.findLeaf(anchor.seq, agentId))
      if (anchor === undefined || leaf === undefined) {
        throw new Problem('not_found', 'There is no such automatic anchor with this agent.')
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

/** How far one has come after each, and with which result. */
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

/** The on-chain section calls an unknown agent not_found (interface, Errors). */
function asNotFound(err: unknown): never {
  if (err instanceof Problem && err.code === 'agent_not_found') {
    throw new Problem('not_found', 'No such agent.')
  }
  throw err
}
