import type { AssuranceLevel } from '@touchstone/protocol/score'
import type { Actor } from '../../../audit.ts'
import type { Page, PageRequest } from '../../../kernel/db.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { type AgentId, newId, type OrgId } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import { encodePublication, readChain } from './chain-client.ts'
import type { Outcome, PublishingDeps } from './ports.ts'
import { assuranceOf, isVerified, type StoredScore } from './proof.ts'
import {
  faultOf,
  judge,
  type Publication,
  type Publishable,
  type Refusal,
  type Wanted,
} from './publication.ts'
import { createPublicationStore } from './store.ts'

/** The newest publication, and whether the chain confirms it. */
export type PublishedScore = StoredScore & { assurance: AssuranceLevel | null }

export type Proof = StoredScore & { verified: boolean }

export type PublishingService = ReturnType<typeof createPublishingService>

export function createPublishingService(deps: PublishingDeps) {
  const publications = createPublications(deps)
  const proofs = createProofs(deps)
  return {
    publish: publications.publish,
    list: publications.list,
    latestOf: publications.latestOf,
    prove: proofs.prove,
    settle,
    erase: (tx: Db, agentId: AgentId): Promise<void> =>
      createPublicationStore(tx).deleteOfAgent(agentId),
    eraseOrg: (tx: Db, orgId: OrgId): Promise<void> =>
      createPublicationStore(tx).deleteOfOrg(orgId),
  }
}

function createPublications(deps: PublishingDeps) {
  const store = createPublicationStore(deps.db)

  /** All or nothing, in the order of the spec (spec: chain §3). */
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
    /** Publishes in one transaction on the chain; returns after it is mined. */
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
      if (made === undefined)
        throw new Error(`publication ${publicationId} was mined but is not stored`)
      return made
    },

    /** Newest first. */
    async list(orgId: string, page: PageRequest): Promise<Page<Publication>> {
      const items = await store.list(orgId, deps.chainId, page)
      return { ...page, items, total: await store.count(orgId, deps.chainId) }
    },

    async latestOf(agentId: string): Promise<PublishedScore | undefined> {
      const stored = await store.latestOf(agentId, deps.chainId)
      return stored && { ...stored, assurance: assuranceOf(stored) }
    },
  }
}

function createProofs(deps: PublishingDeps) {
  const store = createPublicationStore(deps.db)
  return {
    async prove(agentId: string, orgIds: readonly string[]): Promise<Proof> {
      await deps.agents.get(agentId, orgIds).catch(asNotFound)
      const stored = await store.latestOf(agentId, deps.chainId)
      if (stored === undefined) {
        throw new Problem('not_found', 'No score of this agent is on the chain.')
      }
      // Waits until a restarted development chain has recovered its transactions.
      await deps.relayer.contracts()
      const view = await readChain(deps.rpc, stored)
      const verified = isVerified(stored, view, await deps.scores.published(agentId))
      return { ...stored, verified }
    },
  }
}

/** Records the outcome of a publication's transaction. */
async function settle(tx: Db, publicationId: string, outcome: Outcome): Promise<void> {
  const store = createPublicationStore(tx)
  if (outcome.became === 'failed') await store.delete(publicationId)
  else await store.setMined(publicationId, 'mined' in outcome ? outcome.mined : undefined)
}

function problemOf(refusal: Refusal): Problem {
  const { agentId } = refusal
  switch (refusal.why) {
    case 'grade':
      return invalid(refusal.index, 'grade', `must be ${refusal.grade} for this score`)
    case 'twice':
      return invalid(refusal.index, 'agent_id', 'must not be listed twice')
    case 'ineligible':
      return new Problem('ineligible_agent', `${agentId} has no score yet.`)
    case 'mismatch':
      return new Problem(
        'score_mismatch',
        `${agentId} does not have this score now and did not have it within the last 24 hours.`,
      )
  }
}

function invalid(index: number, field: string, message: string): Problem {
  const path = `/publications/${index}/${field}`
  const details = [{ path, code: 'invalid', message }]
  return new Problem('invalid_request', `${path.slice(1)}: ${message}`, { details })
}

/** The on-chain routes report an unknown agent as `not_found` (spec: interface, Errors). */
function asNotFound(err: unknown): never {
  if (err instanceof Problem && err.code === 'agent_not_found') {
    throw new Problem('not_found', 'No such agent.')
  }
  throw err
}
