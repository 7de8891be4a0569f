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
  return {
    ...anchoring(deps),
    ...createAutomaticService(deps),
    ...createCoverageService(deps),
    ...following(),
  }
}

function anchoring(deps: AnchoringDeps) {
  const store = createAnchorStore(deps.db)
  return {
    /** Answers once it is mined. */
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
          throw new Problem('already_anchored', 'The root is anchored or on its way.')
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
      const made = await store.find(anchorId)
      if (made === undefined) throw new Error(`anchor ${anchorId} was mined and is not there`)
      return made
    },

    /** Newest first: own ones, and automatic ones over an agent of the organisation. */
    async list(orgId: string, page: PageRequest): Promise<Page<Anchor>> {
      const items = await store.list(orgId, deps.chainId, page)
      return { ...page, items, total: await store.count(orgId, deps.chainId) }
    },
  }
}

function following() {
  return {
    /** What became of the transaction of an anchor. */
    async settle(tx: Db, anchorId: string, outcome: Outcome): Promise<void> {
      const store = createAnchorStore(tx)
      if (outcome.became === 'failed') await store.delete(anchorId)
      else await store.setMined(anchorId, 'mined' in outcome ? outcome.mined : undefined)
    },

    erase: (tx: Db, agentId: AgentId): Promise<void> => createAnchorStore(tx).forgetAgent(agentId),
    eraseOrg: (tx: Db, orgId: OrgId): Promise<void> => createAnchorStore(tx).forgetOrg(orgId),
  }
}
