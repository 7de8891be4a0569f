import { bytesToHex } from '@touchstone/protocol/base'
import { later, MINUTE_MS } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { newId } from '../../../kernel/ids.ts'
import { encodeAnchor } from './anchor-client.ts'
import { type GlobalTree, globalTree } from './global-tree.ts'
import type { AnchoringDeps } from './ports.ts'
import { createAnchorStore, type Leaf } from './store.ts'

const PAGE = 5000
const CHUNKS_AT_ONCE = 50
/** A checkpoint can carry a time before an anchor and be stored only after that anchor was made. */
const OVERLAP_MS = 5 * MINUTE_MS

/** Scheduled anchoring: one root over the trees of all agents (spec: chain §5). */
export function createAutomaticService(deps: AnchoringDeps) {
  const { trees, relayer } = deps
  const store = createAnchorStore(deps.db)

  const readLeaves = async (): Promise<Leaf[]> => {
    const leaves: Leaf[] = []
    for (;;) {
      const page = await trees.treesAfter(leaves.at(-1)?.agentId ?? '', PAGE)
      for (const { agentId, root, leafCount } of page) {
        leaves.push({ agentId, merkleRoot: root, checkpointCount: leafCount })
      }
      if (page.length < PAGE) return leaves
    }
  }

  return {
    /** Returns the id of the anchor, or undefined if no checkpoint was added since the last one. */
    async anchorAll(): Promise<string | undefined> {
      const last = await store.latestAutomatic(deps.chainId)
      if (last && !(await trees.hasLeafSince(later(last.createdAt, -OVERLAP_MS)))) return undefined
      const leaves = await readLeaves()
      if (leaves.length === 0) return undefined
      const tree = globalTree(leaves)
      const merkleRoot = `0x${bytesToHex(tree.root)}` as const
      if (last?.merkleRoot === merkleRoot) return undefined
      const { chainId, merkleAnchor: contract } = await relayer.contracts()
      const { leafCount, treeDepth } = tree
      const data = await encodeAnchor({ merkleRoot, leafCount, treeDepth })
      const anchorId = newId('anc')
      const anchor = { anchorId, chainId, contract, merkleRoot, leafCount, treeDepth, orgId: null }
      const transactionId = await transact(deps.db, async (tx) => {
        const row = { ...anchor, kind: 'automatic' as const, now: deps.clock.now() }
        const seq = await createAnchorStore(tx).insert(row)
        if (seq === undefined) return undefined
        await storeTree(deps, tx, { seq, leaves, tree })
        return relayer.submit(tx, { kind: 'anchor', subject: anchorId, to: contract, data })
      })
      if (transactionId === undefined) return undefined
      await relayer.follow(transactionId)
      return anchorId
    },
  }
}

async function storeTree(
  { agents }: AnchoringDeps,
  tx: Db,
  { seq, leaves, tree }: { seq: number; leaves: readonly Leaf[]; tree: GlobalTree },
): Promise<void> {
  const store = createAnchorStore(tx)
  for (let at = 0; at < leaves.length; at += PAGE) {
    const page = leaves.slice(at, at + PAGE)
    await store.insertLeaves(seq, at, page)
    const orgs = await agents.orgsOf(
      tx,
      page.map(({ agentId }) => agentId),
    )
    await store.insertOrgs(seq, [...new Set(orgs.values())])
  }
  for (let at = 0; at < tree.chunks.length; at += CHUNKS_AT_ONCE) {
    await store.insertChunks(seq, at, tree.chunks.slice(at, at + CHUNKS_AT_ONCE))
  }
}
