import { randomBytes, timingSafeEqual } from 'node:crypto'
import { type Actor, type Audit, changesBetween } from '../../../audit.ts'
import { type Clock, later, MINUTE_MS } from '../../../kernel/clock.ts'
import { type Db, type Page, type PageRequest, transact } from '../../../kernel/db.ts'
import { type AgentId, newToken, type OrgId, toAgentId } from '../../../kernel/ids.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { Agent, AgentFields } from './agent.ts'
import { createArchival } from './archival-service.ts'
import { isProof, proofOf, verifierOf } from './claim.ts'
import { assertOpen, createControl, lockOpen, noAgent, recordChange } from './control-service.ts'
import { createControlStore } from './control-store.ts'
import { keptAgents } from './kept-store.ts'
import { createKnownAgents, type KnownAgents } from './known-service.ts'
import { judgeNewId } from './new-id.ts'
import type { Cards, OwnedRows } from './ports.ts'
import { createRegisteredIds } from './registered-id-service.ts'
import { type AgentFilter, createAgentStore } from './store.ts'

/** The precision of last_seen_at. Coarse, so that an agent's row does not become a hot spot. */
const SEEN_STEP_MS = MINUTE_MS

export type Registration = Partial<AgentFields> & {
  agentId: string | undefined
  /** Given by callers who do not disclose the secret. */
  agentHash: string | undefined
  card: unknown
}

export type Claimant = { userId: string; email: string | null; orgIds: readonly string[] }

export type AgentDeps = {
  db: Db
  clock: Clock
  audit: Audit
  cards: Cards
  owned: OwnedRows
  notices: Notices
}

export type AgentService = ReturnType<typeof createAgentService>

export function createAgentService(deps: AgentDeps) {
  const known = createKnownAgents(deps)
  const registeredIds = createRegisteredIds(deps)
  const registration = createRegistration(deps)
  const reads = createReads(deps, known)
  const updates = createUpdates(deps)
  const control = createControl(deps, known)
  const archival = createArchival(deps, known)
  return {
    registeredIds,

    register: registration.register,
    claim: registration.claim,

    find: reads.find,
    findKnown: reads.findKnown,
    onKnownChange: reads.onKnownChange,
    forIngest: reads.forIngest,
    get: reads.get,
    getShown: reads.getShown,
    list: reads.list,
    listBriefs: reads.listBriefs,
    listFacts: reads.listFacts,
    claimedAmong: reads.claimedAmong,
    describe: reads.describe,
    listOpenIds: reads.listOpenIds,
    selectExisting: reads.selectExisting,
    orgOf: reads.orgOf,
    orgsOf: reads.orgsOf,
    listStates: reads.listStates,

    heard: updates.heard,
    lockedAmong: updates.lockedAmong,
    hear: updates.hear,
    keepOpen: updates.keepOpen,
    lockForCard: updates.lockForCard,
    setCard: updates.setCard,
    update: updates.update,

    enforcement: control.enforcement,
    setEnforcement: control.setEnforcement,
    findControl: control.findControl,
    lockControl: control.lockControl,
    lockControls: control.lockControls,
    setStatus: control.setStatus,
    setAutoContainment: control.setAutoContainment,

    archive: archival.archive,
    requestErasure: archival.requestErasure,
    closeOrg: archival.closeOrg,
    reopenOrg: archival.reopenOrg,
    eraseOrg: archival.eraseOrg,
    purge: archival.purge,
  }
}

function createRegistration(deps: AgentDeps) {
  return {
    /** Returns the secret only here, and not at all if its hash was given. */
    async register(
      orgId: OrgId,
      actor: Actor,
      wanted: Registration,
    ): Promise<{ agent: Agent; secret: string | undefined; warnings: readonly unknown[] }> {
      const secret = wanted.agentHash === undefined ? newToken('ask_') : undefined
      const proof = wanted.agentHash ?? proofOf(secret ?? '')
      return transact(deps.db, async (tx) => {
        const agentId = toAgentId(wanted.agentId ?? `agent-${randomBytes(6).toString('hex')}`)
        const { card } = wanted
        const store = createAgentStore(tx)
        await store.lockName(agentId)
        // First the card: a request that cannot succeed must not reveal which ids are taken.
        const first = await deps.cards.createFirst(tx, { orgId, agentId, card, actor })
        const agent = newAgent(deps.clock.now(), { ...wanted, agentId, orgId, proof, first })
        const judged = judgeNewId({ agentId, orgId }, await store.takenNames(agentId))
        if (judged !== 'free') throw nameRefused(judged, agentId)
        await store.insert(agent)
        await deps.owned.begin(tx, agentId)
        await recordChange(deps, tx, 'agent.registered', actor, agent)
        return { agent, secret, warnings: first.warnings }
      })
    },

    async claim(agentId: string, proof: string, claimant: Claimant, actor: Actor): Promise<Agent> {
      if (!isProof(proof)) {
        throw new Problem('invalid_request', 'hash_proof: must be 64 hexadecimal digits')
      }
      return transact(deps.db, async (tx) => {
        const agent = await lockVisible(tx, agentId, claimant)
        const right = isEqual(verifierOf(proof), agent.claimVerifier)
        if (!right || !claimant.orgIds.includes(agent.orgId)) {
          throw new Problem(
            'forbidden',
            'The proof is wrong, or the agent belongs to a different organisation.',
          )
        }
        assertOpen(agent)
        if (agent.ownerUserId === claimant.userId) return agent
        if (agent.ownerUserId !== null) {
          throw new Problem('conflict', 'The agent is already claimed by someone else.')
        }
        const now = deps.clock.now()
        const { userId: ownerUserId, email: ownerEmail } = claimant
        const claimed = { ...agent, ownerUserId, ownerEmail, claimedAt: now, updatedAt: now }
        await createAgentStore(tx).update(claimed)
        await deps.owned.change(tx, [agent.agentId])
        await recordChange(deps, tx, 'agent.claimed', actor, claimed)
        return claimed
      })
    },
  }
}

function createReads(deps: AgentDeps, known: KnownAgents) {
  const store = createAgentStore(deps.db)
  /** A private or archived agent is not found outside its organisation. */
  const get = async (agentId: string, orgIds: readonly string[]) => {
    const agent = await store.find(agentId)
    const own = agent !== undefined && orgIds.includes(agent.orgId)
    if (agent === undefined || (!own && isHidden(agent))) throw noAgent()
    return { agent, own }
  }
  return {
    /** Cached, like `orgOf`, because every request of an agent needs it. */
    findKnown: known.find,
    onKnownChange: known.onChange,

    /** An agent never moves to a different organisation. */
    orgOf: async (agentId: string): Promise<OrgId | undefined> =>
      (await known.find(agentId))?.orgId,

    find: store.find,
    orgsOf: (db: Db, agentIds: readonly string[]): Promise<Map<string, OrgId>> =>
      createAgentStore(db).orgsOf(agentIds),

    /** The fields shown beside a score, locked until the transaction ends. */
    describe: (tx: Db, agentIds: readonly string[]) => createAgentStore(tx).shareFacts(agentIds),

    /** The same without a lock. */
    listFacts: (db: Db, agentIds: readonly string[]) => createAgentStore(db).listFacts(agentIds),

    claimedAmong: async (db: Db, agentIds: readonly string[]): Promise<Set<string>> => {
      const found = await createAgentStore(db).listFacts(agentIds)
      return new Set(found.flatMap(({ agentId, claimed }) => (claimed ? agentId : [])))
    },

    /** A subquery that selects and locks the agents that exist. */
    selectExisting: keptAgents,

    listOpenIds: store.listOpenIds,

    listBriefs: store.listBriefs,

    /** Omits unknown agents. An agent that was contained when it was archived stays contained. */
    async listStates(agentIds: readonly string[]) {
      const found = await createControlStore(deps.db).listStandings(agentIds)
      return found.map(({ status, statusBefore, ...agent }) => {
        const archived = status === 'archived'
        const acting = archived ? (statusBefore ?? 'active') : status
        return { ...agent, archived, contained: acting === 'paused' || acting === 'killed' }
      })
    },

    list: (orgId: string, filter: AgentFilter, page: PageRequest): Promise<Page<Agent>> =>
      store.list(orgId, filter, page),

    /** The organisation's agents among these, with the fields that ingesting evidence needs. */
    async forIngest(orgId: string, agentIds: readonly string[]) {
      const quietSince = later(deps.clock.now(), -SEEN_STEP_MS)
      const found = await createControlStore(deps.db).listIngesting(orgId, agentIds)
      return found.map(({ status, lastSeenAt, ...agent }) => ({
        ...agent,
        archived: status === 'archived',
        quiet: lastSeenAt === null || lastSeenAt <= quietSince,
      }))
    },

    get,

    /** For published data, where an archived agent is not found by anybody (spec: reputation §3). */
    async getShown(agentId: string, orgIds: readonly string[]): ReturnType<typeof get> {
      const found = await get(agentId, orgIds)
      if (found.agent.status === 'archived') throw noAgent()
      return found
    },
  }
}

/** Keeps an agent from being archived until the transaction ends. */
async function keepOpen(tx: Db, agent: { agentId: string; orgId: string }): Promise<void> {
  const status = await createAgentStore(tx).shareStatus(agent)
  if (status === undefined) throw noAgent()
  assertOpen({ status })
}

function createUpdates(deps: AgentDeps) {
  return {
    async lockForCard(tx: Db, agentId: string): Promise<{ orgId: string; cardVersion: number }> {
      return lockOpen(tx, agentId)
    },

    setCard: (tx: Db, agentId: string, card: { cardId: string; version: number }): Promise<void> =>
      createAgentStore(tx).setCard(agentId, card, deps.clock.now()),

    /** Updates when the agents were last active. */
    heard: (tx: Db, agentIds: readonly string[]): Promise<void> =>
      createAgentStore(tx).setSeenAll(agentIds, deps.clock.now()),

    lockedAmong: (agentIds: readonly string[]): Promise<string[]> =>
      createAgentStore(deps.db).lockedAmong(agentIds),

    /** Updates when the agent was last active, and keeps it from being archived until commit. */
    async hear(tx: Db, agent: { agentId: string; orgId: string }): Promise<void> {
      const store = createAgentStore(tx)
      const now = deps.clock.now()
      // Before the shared lock: two transactions that hold it and then write would deadlock.
      await store.setSeen(agent, { now, ifBefore: later(now, -SEEN_STEP_MS) })
      await keepOpen(tx, agent)
    },

    keepOpen,

    async update(agentId: string, changes: Partial<AgentFields>, actor: Actor): Promise<Agent> {
      return transact(deps.db, async (tx) => {
        const before = await lockOpen(tx, agentId)
        const after = { ...before, ...changes, updatedAt: deps.clock.now() }
        await createAgentStore(tx).update(after)
        await deps.owned.change(tx, [before.agentId])
        await recordChange(deps, tx, 'agent.updated', actor, after, changesOf(before, after))
        return after
      })
    },
  }
}

type NewAgent = Registration & {
  agentId: AgentId
  orgId: OrgId
  proof: string
  first: { cardId: string; version: number }
}

function newAgent(now: Date, wanted: NewAgent): Agent {
  return {
    agentId: wanted.agentId,
    orgId: wanted.orgId,
    name: wanted.name ?? wanted.agentId,
    description: wanted.description ?? null,
    visibility: wanted.visibility ?? 'public',
    status: 'active',
    enforcementMode: 'observe',
    provider: wanted.provider ?? null,
    model: wanted.model ?? null,
    metadata: wanted.metadata ?? {},
    claimVerifier: verifierOf(wanted.proof),
    ownerUserId: null,
    ownerEmail: null,
    claimedAt: null,
    cardId: wanted.first.cardId,
    cardVersion: wanted.first.version,
    lastSeenAt: null,
    createdAt: now,
    updatedAt: now,
  }
}

/** Does not say whose the other id is, nor what it is. */
function nameRefused(code: 'conflict' | 'similar_id', agentId: string): Problem {
  return new Problem(
    code,
    code === 'conflict'
      ? `The agent id ${agentId} is taken. Choose another id.`
      : `The agent id ${agentId} is too similar to an id in use: they differ only by case or by characters that look alike (0 and o; 1, l and i; - _ and .). Choose another id, for example with the name of your organisation in front.`,
  )
}

/** Free text must be erasable with the agent, so the audit log records only that it changed. */
const TEXTS = ['name', 'description', 'metadata']

function changesOf(before: Agent, after: Agent): Record<string, { from: unknown; to: unknown }> {
  const { updatedAt: _, ...changes } = changesBetween(before, after)
  return Object.fromEntries(
    Object.entries(changes).map(([field, change]) => [
      field,
      TEXTS.includes(field) ? { from: null, to: null } : change,
    ]),
  )
}

function isHidden(agent: Agent): boolean {
  return agent.visibility === 'private' || agent.status === 'archived'
}

function isEqual(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
}

async function lockVisible(tx: Db, agentId: string, claimant: Claimant): Promise<Agent> {
  const agent = await createAgentStore(tx).lock(agentId)
  if (agent === undefined) throw noAgent()
  if (!claimant.orgIds.includes(agent.orgId) && isHidden(agent)) throw noAgent()
  return agent
}
