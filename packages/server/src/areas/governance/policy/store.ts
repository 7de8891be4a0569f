import type { PolicyDocument } from '@touchstone/protocol/policy'
import { sql } from 'kysely'
import { asPurger, type Db, offsetOf, type Page, type PageRequest } from '../../../kernel/db.ts'
import type { Owner, PolicyVersion } from './policy-version.ts'
import type { Layers } from './resolution.ts'

type OwnerColumns = { owner_kind: string; owner_id: string }

type PolicyTables = {
  policy_owner: OwnerColumns & { version: number }
  policy_version: OwnerColumns & {
    version: number
    policy_id: string
    document: unknown
    enforce_since: Date | null
    created_at: Date
    updated_at: Date
    updated_by: string
  }
}

export function createPolicyStore(db: Db) {
  const q = db.withTables<PolicyTables>()
  const versionsOf = ({ kind, id }: Owner) =>
    q.selectFrom('policy_version').where('owner_kind', '=', kind).where('owner_id', '=', id)
  /** The last versions of these owners. */
  const lastOf = (owners: readonly Owner[]) =>
    q
      .selectFrom('policy_owner as o')
      .innerJoin('policy_version as v', (join) =>
        join
          .onRef('v.owner_kind', '=', 'o.owner_kind')
          .onRef('v.owner_id', '=', 'o.owner_id')
          .onRef('v.version', '=', 'o.version'),
      )
      .selectAll('v')
      .where((where) =>
        where.or(
          owners.map(({ kind, id }) =>
            where.and([where('o.owner_kind', '=', kind), where('o.owner_id', '=', id)]),
          ),
        ),
      )
      .execute()
  return {
    /** Serialises writers of one owner, including those of its first version. */
    async lock({ kind, id }: Owner): Promise<void> {
      await sql`
        insert into policy_owner (owner_kind, owner_id, version) values (${kind}, ${id}, 0)
        on conflict do nothing
      `.execute(q)
      await sql`
        select from policy_owner where owner_kind = ${kind} and owner_id = ${id} for update
      `.execute(q)
    },

    async insert(version: PolicyVersion): Promise<void> {
      const row = toRow(version)
      await q.insertInto('policy_version').values(row).execute()
      await q
        .updateTable('policy_owner')
        .set({ version: row.version })
        .where('owner_kind', '=', row.owner_kind)
        .where('owner_id', '=', row.owner_id)
        .execute()
    },

    /** The last version, which may be a deletion. */
    async findLast(owner: Owner): Promise<PolicyVersion | undefined> {
      const [row] = await lastOf([owner])
      return row && toVersion(row)
    },

    /** The last versions of several owners. */
    async listLast(owners: readonly Owner[]): Promise<PolicyVersion[]> {
      return owners.length === 0 ? [] : (await lastOf(owners)).map(toVersion)
    },

    async findLayers(agent: { orgId: string; agentId: string }): Promise<Layers> {
      const rows = await lastOf([
        { kind: 'org', id: agent.orgId },
        { kind: 'agent', id: agent.agentId },
      ])
      const versions = rows.map(toVersion)
      return {
        org: versions.find(({ owner }) => owner.kind === 'org'),
        agent: versions.find(({ owner }) => owner.kind === 'agent'),
      }
    },

    async find(owner: Owner, version: number): Promise<PolicyVersion | undefined> {
      const row = await versionsOf(owner)
        .selectAll()
        .where('version', '=', version)
        .executeTakeFirst()
      return row && toVersion(row)
    },

    async findVersions(
      wanted: readonly { policyId: string; version: number }[],
    ): Promise<PolicyVersion[]> {
      const rows = await q
        .selectFrom('policy_version')
        .selectAll()
        .where(
          sql<boolean>`(policy_id, version) in (select * from unnest(
            ${wanted.map(({ policyId }) => policyId)}::text[],
            ${wanted.map(({ version }) => version)}::integer[]))`,
        )
        .execute()
      return rows.map(toVersion)
    },

    /** Newest first. */
    async list(owner: Owner, request: PageRequest): Promise<Page<PolicyVersion>> {
      const rows = versionsOf(owner)
      const counted = await rows.select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow()
      const items = await rows
        .selectAll()
        .orderBy('version', 'desc')
        .limit(request.perPage)
        .offset(offsetOf(request))
        .execute()
      return { ...request, items: items.map(toVersion), total: counted.total }
    },

    async deleteOf({ kind, id }: Owner): Promise<void> {
      await asPurger(db, () =>
        q
          .deleteFrom('policy_version')
          .where('owner_kind', '=', kind)
          .where('owner_id', '=', id)
          .execute(),
      )
      await q
        .deleteFrom('policy_owner')
        .where('owner_kind', '=', kind)
        .where('owner_id', '=', id)
        .execute()
    },
  }
}

/** The casts are safe, because only this store writes the rows. */
function toVersion(row: PolicyTables['policy_version']): PolicyVersion {
  return {
    owner: { kind: row.owner_kind as Owner['kind'], id: row.owner_id },
    version: row.version,
    policyId: row.policy_id,
    document: row.document as PolicyDocument | null,
    enforceSince: row.enforce_since,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    updatedBy: row.updated_by,
  }
}

function toRow(version: PolicyVersion): PolicyTables['policy_version'] {
  return {
    owner_kind: version.owner.kind,
    owner_id: version.owner.id,
    version: version.version,
    policy_id: version.policyId,
    document: version.document === null ? null : JSON.stringify(version.document),
    enforce_since: version.enforceSince,
    created_at: version.createdAt,
    updated_at: version.updatedAt,
    updated_by: version.updatedBy,
  }
}
