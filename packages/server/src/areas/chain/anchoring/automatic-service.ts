import { bytesToHex } from '@touchstone/protocol/base'
import { treeDepth } from '@touchstone/protocol/merkle'
import { later, MINUTE_MS } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { newId } from '../../../kernel/ids.ts'
import type { AnchorKind, WantedAnchor } from './anchor.ts'
import { encodeAnchor } from './anchor-client.ts'
import { type GlobalTree, globalTree } from './global-tree.ts'
import type { AnchoringDeps } from './ports.ts'
import { createAnchorStore, type Leaf } from './store.ts'

const PAGE = 5000
const CHUNKS_AT_ONCE = 50
/** A checkpoint can carry a time before an anchor and be stored only after that anchor was made. */
const OVERLAP_MS = 5 * MINUTE_MS

/** Scheduled anchoring: one root over the trees of all agents, or that of the log (spec: chain §5). */
export function createAutomaticService(deps: AnchoringDeps) {
  const { trees } = deps
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

  const anchorAgents = async (): Promise<string | undefined> => {
    const last = await store.latestOfKind(deps.chainId, 'automatic')
    if (last && !(await trees.hasLeafSince(later(last.createdAt, -OVERLAP_MS)))) return undefined
    const leaves = await readLeaves()
    if (leaves.length === 0) return undefined
    const tree = globalTree(leaves)
    const merkleRoot = `0x${bytesToHex(tree.root)}` as const
    if (last?.merkleRoot === merkleRoot) return undefined
    const { leafCount, treeDepth } = tree
    return submit(deps, { merkleRoot, leafCount, treeDepth }, 'automatic', (tx, seq) =>
      storeTree(deps, tx, { seq, leaves, tree }),
    )
  }

  /** Needs no rows beside the anchor, because the log has the tree. */
  const anchorLog = async (): Promise<string | undefined> => {
    const head = await deps.log.publishedHead()
    if (head === undefined || head.size === 0) return undefined
    const merkleRoot = `0x${bytesToHex(head.root)}` as const
    const last = await store.latestOfKind(deps.chainId, 'log')
    if (last?.merkleRoot === merkleRoot) return undefined
    const wanted = { merkleRoot, leafCount: head.size, treeDepth: treeDepth(head.size) }
    return submit(deps, wanted, 'log', async () => undefined)
  }

  return {
    /** Returns the id of the anchor, or undefined if nothing was added since the last one. */
    anchorAll: (): Promise<string | undefined> =>
      deps.root === 'log' ? anchorLog() : anchorAgents(),
  }
}

/** Undefined if the root is already anchored. `store` stores what belongs to the anchor. */
async function submit(
  { db, clock, relayer }: AnchoringDeps,
  wanted: WantedAnchor,
  kind: AnchorKind,
  store: (tx: Db, seq: number) => Promise<void>,
): Promise<string | undefined> {
  const { chainId, merkleAnchor: contract } = await relayer.contracts()
  const data = await encodeAnchor(wanted)
  const anchorId = newId('anc')
  const row = { ...wanted, anchorId, chainId, contract, orgId: null, kind, now: clock.now() }
  const transactionId = await transact(db, async (tx) => {
    const seq = await createAnchorStore(tx).insert(row)
    if (seq === undefined) return undefined
    await store(tx, seq)
    return relayer.submit(tx, { kind: 'anchor', subject: anchorId, to: contract, data })
  })
  if (transactionId === undefined) return undefined
  await relayer.follow(transactionId)
  return anchorId
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
