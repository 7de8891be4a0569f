import type { Actor } from '../../../audit.ts'
import type { Page, PageRequest } from '../../../kernel/db.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { type AgentId, newId, type OrgId } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import { encodePublication, readChain } from './chain-client.ts'
import type { Outcome, PublishingDeps } from './ports.ts'
import { isVerified, type StoredScore } from './proof.ts'
import {
  faultOf,
  judge,
  type Publication,
  type Publishable,
  type Refusal,
  type Wanted,
} from './publication.ts'
import { createPublicationStore } from './store.ts'

/** The newest publication, and whether the chain shows just that. */
export type Proof = StoredScore & { verified: boolean }

export type PublishingService = ReturnType<typeof createPublishingService>

export function createPublishingService(deps: PublishingDeps) {
  return { ...publishing(deps), ...proving(deps), ...following() }
}

function publishing(deps: PublishingDeps) {
  const store = createPublicationStore(deps.db)

  /** All or nothing, in the order of 04 §6.3. */
  const check = async (orgId: string, wanted: readonly Wanted[]): Promise<Publishable[]> => {
    const fault = faultOf(wanted)
    if (fault !== undefined) throw problemOf(fault)
    const ids = wanted.map(({ agentId }) => agentId)
    const own = await deps.agents.forIngest(orgId, ids)
    const known = new Set(own.flatMap(({ agentId, archived }) => (archived ? [] : [agentId])))
    const stranger = ids.find((agentId) => !known.has(agentId))
    if (stranger !== undefined) throw new Problem('not_found', `No such agent: ${stranger}`)
    const made = judge(wanted, await deps.scores.publishable(ids))
    if ('why' in made) throw problemOf(made)
    return [...made]
  }

  return {
    /** In one transaction of the chain; answers once it is mined. */
    async publish(orgId: string, wanted: readonly Wanted[], actor: Actor): Promise<Publication> {
      const scores = await check(orgId, wanted)
      const { chainId, reputationRegistry: contract } = await deps.relayer.contracts()
      const data = await encodePublication(scores)
      const publicationId = newId('pub')
      const transactionId = await transact(deps.db, async (tx) => {
        const now = deps.clock.now()
        const made = { publicationId, chainId, contract, orgId, scores, now }
        await createPublicationStore(tx).insert(made)
        await deps.audit.record(tx, {
          orgId,
          action: 'onchain.publication_requested',
          actor,
          target: { type: 'publication', id: publicationId },
          changes: { agent_count: { from: null, to: scores.length } },
        })
        const asked = { kind: 'publication' as const, subject: publicationId, to: contract, data }
        return deps.relayer.submit(tx, asked)
      })
      if (transactionId !== undefined) await deps.relayer.follow(transactionId)
      const made = await store.find(publicationId)
      if (made === undefined) throw new Error(`${publicationId} was mined and is not there`)
      return made
    },

    /** Newest first. */
    async list(orgId: string, page: PageRequest): Promise<Page<Publication>> {
      const items = await store.list(orgId, deps.chainId, page)
      return { ...page, items, total: await store.count(orgId, deps.chainId) }
    },

    latestOf: (agentId: string): Promise<StoredScore | undefined> =>
      store.latestOf(agentId, deps.chainId),
  }
}

function proving(deps: PublishingDeps) {
  const store = createPublicationStore(deps.db)
  return {
    async prove(agentId: string, orgIds: readonly string[]): Promise<Proof> {
      await deps.agents.get(agentId, orgIds).catch(asNotFound)
      const stored = await store.latestOf(agentId, deps.chainId)
      if (stored === undefined) {
        throw new Problem('not_found', 'No score of this agent is on the chain.')
      }
      // A development chain that was started anew gets back what it lost first.
      await deps.relayer.contracts()
      const view = await readChain(deps.rpc, stored)
      const verified = isVerified(stored, view, await deps.scores.published(agentId))
      return { ...stored, verified }
    },
  }
}

function following() {
  return {
    /** What became of the transaction of a publication. */
    async settle(tx: Db, publicationId: string, outcome: Outcome): Promise<void> {
      const store = createPublicationStore(tx)
      if (outcome.became === 'failed') await store.delete(publicationId)
      else await store.setMined(publicationId, 'mined' in outcome ? outcome.mined : undefined)
    },

    erase: (tx: Db, agentId: AgentId): Promise<void> =>
      createPublicationStore(tx).deleteOfAgent(agentId),
    eraseOrg: (tx: Db, orgId: OrgId): Promise<void> =>
      createPublicationStore(tx).deleteOfOrg(orgId),
  }
}

function problemOf(refusal: Refusal): Problem {
  const { agentId } = refusal
  switch (refusal.why) {
    case 'grade':
      return invalid(refusal.index, 'grade', `the grade of that score is ${refusal.grade}`)
    case 'twice':
      return invalid(refusal.index, 'agent_id', 'the agent is there twice')
    case 'ineligible':
      return new Problem('ineligible_agent', `${agentId} has no score yet.`)
    case 'mismatch':
      return new Problem(
        'score_mismatch',
        `${agentId} has no such score: neither now, nor computed within the last 24 hours.`,
      )
  }
}

function invalid(index: number, field: string, message: string): Problem {
  const path = `/publications/${index}/${field}`
  const details = [{ path, code: 'invalid', message }]
  return new Problem('invalid_request', `${path.slice(1)}: ${message}`, { details })
}

/** The on-chain section calls an unknown agent not_found (interface, Errors). */
function asNotFound(err: unknown): never {
  if (err instanceof Problem && err.code === 'agent_not_found') {
    throw new Problem('not_found', 'No such agent.')
  }
  throw err
}
