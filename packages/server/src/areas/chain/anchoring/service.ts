import type { Actor } from '../../../audit.ts'
import type { Page, PageRequest } from '../../../kernel/db.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { type AgentId, newId, type OrgId } from '../../../kernel/ids.ts'
import { invalidField, Problem } from '../../../kernel/problem.ts'
import { type Anchor, faultOf, type WantedAnchor } from './anchor.ts'
import { encodeAnchor } from './anchor-client.ts'
import { createAutomaticService } from './automatic-service.ts'
import { createCoverageService } from './coverage-service.ts'
import type { AnchoringDeps, Outcome } from './ports.ts'
import { createAnchorStore } from './store.ts'

export type AnchoringService = ReturnType<typeof createAnchoringService>

export function createAnchoringService(deps: AnchoringDeps) {
  const manual = createManualService(deps)
  const automatic = createAutomaticService(deps)
  const coverage = createCoverageService(deps)
  return {
    anchor: manual.anchor,
    list: manual.list,
    anchorAll: automatic.anchorAll,
    latestCovering: coverage.latestCovering,
    proof: coverage.proof,
    settle,
    erase: (tx: Db, agentId: AgentId): Promise<void> => createAnchorStore(tx).eraseAgent(agentId),
    eraseOrg: (tx: Db, orgId: OrgId): Promise<void> => createAnchorStore(tx).eraseOrg(orgId),
  }
}

function createManualService(deps: AnchoringDeps) {
  const store = createAnchorStore(deps.db)
  return {
    /** Returns after the transaction is mined. */
    async anchor(orgId: string, wanted: WantedAnchor, actor: Actor): Promise<Anchor> {
      const fault = faultOf(wanted)
      if (fault !== undefined) throw invalidField(fault.field, fault.message)
      const { chainId, merkleAnchor: contract } = await deps.relayer.contracts()
      const data = await encodeAnchor(wanted)
      const anchorId = newId('anc')
      const transactionId = await transact(deps.db, async (tx) => {
        const now = deps.clock.now()
        const row = { ...wanted, anchorId, chainId, contract, orgId, kind: 'manual' as const, now }
        if ((await createAnchorStore(tx).insert(row)) === undefined) {
          throw new Problem(
            'already_anchored',
            'The Merkle root is already anchored, or its transaction is pending.',
          )
        }
        await deps.audit.record(tx, {
          orgId,
          action: 'onchain.anchor_requested',
          actor,
          target: { type: 'anchor', id: anchorId },
          changes: { merkle_root: { from: null, to: wanted.merkleRoot } },
        })
        return deps.relayer.submit(tx, { kind: 'anchor', subject: anchorId, to: contract, data })
      })
      if (transactionId !== undefined) await deps.relayer.follow(transactionId)
      const anchor = await store.find(anchorId)
      if (anchor === undefined) throw new Error(`anchor ${anchorId} was mined but is not stored`)
      return anchor
    },

    /** Newest first: the organisation's own anchors, and automatic ones that cover its agents. */
    async list(orgId: string, page: PageRequest): Promise<Page<Anchor>> {
      const items = await store.list(orgId, deps.chainId, page)
      return { ...page, items, total: await store.count(orgId, deps.chainId) }
    },
  }
}

/** Records the outcome of an anchor's transaction. */
async function settle(tx: Db, anchorId: string, outcome: Outcome): Promise<void> {
  const store = createAnchorStore(tx)
  if (outcome.became === 'failed') await store.delete(anchorId)
  else await store.setMined(anchorId, 'mined' in outcome ? outcome.mined : undefined)
}
