import { agentIdSkeleton } from '@touchstone/protocol/identifiers'
import { type GeneratedAlways, type Selectable, sql } from 'kysely'
import { type Db, offsetOf, type Page, type PageRequest } from '../../../kernel/db.ts'
import { type OrgId, toAgentId, toOrgId } from '../../../kernel/ids.ts'
import type { Agent, Mode, Status, Visibility } from './agent.ts'
import { idHash, nameHashes, type TakenNames } from './new-id.ts'

export type AgentTables = {
  agent: {
    agent_id: string
    org_id: string
    name: string
    description: string | null
    visibility: Visibility
    status: Status
    enforcement_mode: Mode
    provider: string | null
    model: string | null
    metadata: unknown
    claim_verifier: string
    owner_user_id: string | null
    owner_email: string | null
    claimed_at: Date | null
    card_id: string
    card_version: number
    last_seen_at: Date | null
    created_at: Date
    updated_at: Date
    status_before: Status | null
    archived_with_org: boolean
    erase_after: Date | null
    canonical_id: GeneratedAlways<string>
    skeleton: GeneratedAlways<string>
  }
  agent_tombstone: {
    id_hash: string
    canonical_hash: string | null
    skeleton_hash: string | null
    erased_at: Date
  }
}

export type AgentFilter = {
  agentId?: string | undefined
  q: string | undefined
  visibility: Visibility | undefined
  status: Status | undefined
}

export function createAgentStore(db: Db) {
  const reads = createReads(db)
  const writes = createWrites(db)
  const names = createNames(db)
  return {
    find: reads.find,
    findByCanonicalId: reads.findByCanonicalId,
    findKnown: reads.findKnown,
    list: reads.list,
    listBriefs: reads.listBriefs,
    listFacts: reads.listFacts,
    listOpenIds: reads.listOpenIds,
    lock: reads.lock,
    orgsOf: reads.orgsOf,
    shareFacts: reads.shareFacts,
    shareStatus: reads.shareStatus,

    insert: writes.insert,
    lockedAmong: writes.lockedAmong,
    lockName: names.lockName,
    takenNames: names.takenNames,
    setCard: writes.setCard,
    setSeen: writes.setSeen,
    setSeenAll: writes.setSeenAll,
    update: writes.update,
  }
}

function createReads(db: Db) {
  const q = db.withTables<AgentTables>()
  const factsOf = (agentIds: readonly string[]) =>
    q
      .selectFrom('agent')
      .select(['agent_id', 'org_id', 'name', 'visibility', 'status', 'claimed_at'])
      .where('agent_id', '=', sql<string>`any(${agentIds})`)
      .orderBy('agent_id')
  const matching = (orgId: string, filter: AgentFilter) => {
    let rows = q.selectFrom('agent').where('org_id', '=', orgId)
    if (filter.agentId !== undefined) rows = rows.where('agent_id', '=', filter.agentId)
    if (filter.visibility !== undefined) rows = rows.where('visibility', '=', filter.visibility)
    rows =
      filter.status === undefined
        ? rows.where('status', '<>', 'archived')
        : rows.where('status', '=', filter.status)
    if (filter.q === undefined) return rows
    const like = `%${filter.q.replace(/[\\%_]/g, '\\$&')}%`
    return rows.where((is) => is.or([is('name', 'ilike', like), is('agent_id', 'ilike', like)]))
  }
  return {
    async find(agentId: string): Promise<Agent | undefined> {
      const row = await q
        .selectFrom('agent')
        .selectAll()
        .where('agent_id', '=', agentId)
        .executeTakeFirst()
      return row && toAgent(row)
    },

    async lock(agentId: string): Promise<Agent | undefined> {
      const row = await q
        .selectFrom('agent')
        .selectAll()
        .where('agent_id', '=', agentId)
        .forUpdate()
        .executeTakeFirst()
      return row && toAgent(row)
    },

    async findKnown(agentId: string) {
      const row = await q
        .selectFrom('agent')
        .select(['org_id', 'status', 'enforcement_mode'])
        .where('agent_id', '=', agentId)
        .executeTakeFirst()
      return (
        row && {
          orgId: toOrgId(row.org_id),
          status: row.status,
          enforcementMode: row.enforcement_mode,
        }
      )
    },

    /** Several agents of version 0.1 can share a canonical id. */
    async findByCanonicalId(canonicalIds: readonly string[]) {
      const rows = await q
        .selectFrom('agent')
        .select(['agent_id', 'canonical_id'])
        .where('canonical_id', '=', sql<string>`any(${canonicalIds}::text[])`)
        .execute()
      return rows.map((row) => ({ agentId: row.agent_id, canonicalId: row.canonical_id }))
    },

    async orgsOf(agentIds: readonly string[]): Promise<Map<string, OrgId>> {
      const rows = await q
        .selectFrom('agent')
        .select(['agent_id', 'org_id'])
        .where('agent_id', '=', sql<string>`any(${agentIds})`)
        .execute()
      return new Map(rows.map((row) => [row.agent_id, toOrgId(row.org_id)]))
    },

    /** In order of id. */
    listFacts: async (agentIds: readonly string[]) =>
      (await factsOf(agentIds).execute()).map(toFacts),

    /** Locks in order of agent id against changes until the transaction ends. */
    shareFacts: async (agentIds: readonly string[]) =>
      (await factsOf(agentIds).forShare().execute()).map(toFacts),

    /** Agents that are not archived, in order of id. */
    async listOpenIds(orgId: string, limit: number): Promise<string[]> {
      const rows = await q
        .selectFrom('agent')
        .select('agent_id')
        .where('org_id', '=', orgId)
        .where('status', '<>', 'archived')
        .orderBy('agent_id')
        .limit(limit)
        .execute()
      return rows.map((row) => row.agent_id)
    },

    /** Locks the status against changes until the transaction ends. */
    async shareStatus(agent: { agentId: string; orgId: string }): Promise<Status | undefined> {
      const row = await q
        .selectFrom('agent')
        .select('status')
        .where('agent_id', '=', agent.agentId)
        .where('org_id', '=', agent.orgId)
        .forShare()
        .executeTakeFirst()
      return row?.status
    },

    /** Newest first; archived agents only if the filter asks for them. */
    async list(orgId: string, filter: AgentFilter, request: PageRequest): Promise<Page<Agent>> {
      const rows = matching(orgId, filter)
      const counted = await rows.select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow()
      const items = await rows
        .selectAll()
        .orderBy('created_at', 'desc')
        .orderBy('agent_id')
        .limit(request.perPage)
        .offset(offsetOf(request))
        .execute()
      return { ...request, items: items.map(toAgent), total: counted.total }
    },

    /** The columns that lists of many agents show, newest first. */
    async listBriefs(orgId: string, filter: AgentFilter, limit: number): Promise<AgentBrief[]> {
      const rows = await matching(orgId, filter)
        .select(['agent_id', 'name', 'visibility', 'status', 'enforcement_mode'])
        .select(['last_seen_at', 'created_at', 'updated_at'])
        .orderBy('created_at', 'desc')
        .orderBy('agent_id')
        .limit(limit)
        .execute()
      return rows.map(toBrief)
    },
  }
}

function createWrites(db: Db) {
  const q = db.withTables<AgentTables>()
  return {
    /** The name must be locked and free. */
    async insert(agent: Agent): Promise<void> {
      await q
        .insertInto('agent')
        .values({ ...toRow(agent), archived_with_org: false })
        .execute()
    },

    async setSeen(
      agent: { agentId: string; orgId: string },
      at: { now: Date; ifBefore: Date },
    ): Promise<void> {
      await q
        .updateTable('agent')
        .set({ last_seen_at: at.now })
        .where('agent_id', '=', agent.agentId)
        .where('org_id', '=', agent.orgId)
        .where('status', '<>', 'archived')
        .where((is) =>
          is.or([is('last_seen_at', 'is', null), is('last_seen_at', '<=', at.ifBefore)]),
        )
        .execute()
    },

    /** Locks in order of agent id, to prevent deadlocks. */
    async setSeenAll(agentIds: readonly string[], now: Date): Promise<void> {
      await sql`update agent set last_seen_at = ${now} from (
          select agent_id from agent where agent_id = any(${agentIds})
          order by agent_id for no key update) as seen
        where agent.agent_id = seen.agent_id`.execute(db)
    },

    /** The agents that another transaction has locked for a change. */
    async lockedAmong(agentIds: readonly string[]): Promise<string[]> {
      const found = await sql<{ agent_id: string }>`
        with free as materialized (
          select agent_id from agent where agent_id = any(${agentIds})
          for no key update skip locked)
        select agent_id from agent where agent_id = any(${agentIds})
          and agent_id not in (select agent_id from free)`.execute(db)
      return found.rows.map((row) => row.agent_id)
    },

    async update(agent: Agent): Promise<void> {
      await q.updateTable('agent').set(toRow(agent)).where('agent_id', '=', agent.agentId).execute()
    },

    async setCard(
      agentId: string,
      card: { cardId: string; version: number },
      now: Date,
    ): Promise<void> {
      await q
        .updateTable('agent')
        .set({ card_id: card.cardId, card_version: card.version, updated_at: now })
        .where('agent_id', '=', agentId)
        .execute()
    },
  }
}

function createNames(db: Db) {
  const q = db.withTables<AgentTables>()
  return {
    /** Serialises registrations of similar ids until the transaction ends. */
    async lockName(agentId: string): Promise<void> {
      const key = `agent ${agentIdSkeleton(agentId)}`
      await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(q)
    },

    async takenNames(agentId: string): Promise<TakenNames> {
      const { canonicalHash, skeletonHash } = nameHashes(agentId)
      const agents = await q
        .selectFrom('agent')
        .select(['agent_id', 'org_id'])
        .where('skeleton', '=', agentIdSkeleton(agentId))
        .execute()
      const same = [idHash(agentId), canonicalHash]
      const erased = await q
        .selectFrom('agent_tombstone')
        .select(
          sql<boolean>`id_hash = any(${same}) or canonical_hash = ${canonicalHash}`.as('same'),
        )
        .where((is) =>
          is.or([
            is('id_hash', '=', sql<string>`any(${same})`),
            is('canonical_hash', '=', canonicalHash),
            is('skeleton_hash', '=', skeletonHash),
          ]),
        )
        .execute()
      return {
        agents: agents.map((row) => ({ agentId: row.agent_id, orgId: row.org_id })),
        erased: { same: erased.some((row) => row.same), similar: erased.length > 0 },
      }
    },
  }
}

type BriefFields = 'agentId' | 'name' | 'visibility' | 'status' | 'enforcementMode'
type BriefTimes = 'lastSeenAt' | 'createdAt' | 'updatedAt'

/** The fields of an agent that lists show. */
export type AgentBrief = Pick<Agent, BriefFields | BriefTimes>

type BriefColumns = 'name' | 'visibility' | 'status' | 'enforcement_mode' | 'last_seen_at'

function toBrief(
  row: Pick<
    Selectable<AgentTables['agent']>,
    'agent_id' | 'created_at' | 'updated_at' | BriefColumns
  >,
): AgentBrief {
  return {
    agentId: toAgentId(row.agent_id),
    name: row.name,
    visibility: row.visibility,
    status: row.status,
    enforcementMode: row.enforcement_mode,
    lastSeenAt: row.last_seen_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

type FactColumns = 'agent_id' | 'org_id' | 'name' | 'visibility' | 'status' | 'claimed_at'

function toFacts(row: Pick<Selectable<AgentTables['agent']>, FactColumns>) {
  return {
    agentId: toAgentId(row.agent_id),
    orgId: toOrgId(row.org_id),
    name: row.name,
    visibility: row.visibility,
    archived: row.status === 'archived',
    claimed: row.claimed_at !== null,
  }
}

/** The cast is safe, because only this store writes metadata. */
function toAgent(row: Selectable<AgentTables['agent']>): Agent {
  return {
    agentId: toAgentId(row.agent_id),
    orgId: toOrgId(row.org_id),
    name: row.name,
    description: row.description,
    visibility: row.visibility,
    status: row.status,
    enforcementMode: row.enforcement_mode,
    provider: row.provider,
    model: row.model,
    metadata: row.metadata as Record<string, unknown>,
    claimVerifier: row.claim_verifier,
    ownerUserId: row.owner_user_id,
    ownerEmail: row.owner_email,
    claimedAt: row.claimed_at,
    cardId: row.card_id,
    cardVersion: row.card_version,
    lastSeenAt: row.last_seen_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

function toRow(agent: Agent) {
  return {
    agent_id: agent.agentId,
    org_id: agent.orgId,
    name: agent.name,
    description: agent.description,
    visibility: agent.visibility,
    status: agent.status,
    enforcement_mode: agent.enforcementMode,
    provider: agent.provider,
    model: agent.model,
    metadata: JSON.stringify(agent.metadata),
    claim_verifier: agent.claimVerifier,
    owner_user_id: agent.ownerUserId,
    owner_email: agent.ownerEmail,
    claimed_at: agent.claimedAt,
    card_id: agent.cardId,
    card_version: agent.cardVersion,
    last_seen_at: agent.lastSeenAt,
    created_at: agent.createdAt,
    updated_at: agent.updatedAt,
  }
}
