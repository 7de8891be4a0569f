import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import type { OrgId } from '../../../kernel/ids.ts'
import { rowsOf } from '../../../postgres/rows.ts'
import type { Endpoint } from './endpoint.ts'

type EndpointRow = {
  endpoint_id: string
  org_id: string
  account_id: string
  url: string
  description: string | null
  event_types: string[]
  is_active: boolean
  is_entitled: boolean
  consecutive_failures: number
  disabled_at: Date | null
  disabled_reason: string | null
  /** Set for endpoints of another feature, which get no events. */
  channel: string | null
  secret_sealed: string
  previous_secret_sealed: string | null
  previous_secret_until: Date | null
  version: number
  created_at: Date
  updated_at: Date
}

type EndpointTables = { webhook_endpoint: EndpointRow }

export type SealedSecrets = {
  secretSealed: string
  previousSecretSealed: string | null
  previousSecretUntil: Date | null
}

export type ChannelEndpoint = {
  channel: string
  endpointId: string
  isActive: boolean
  secrets: SealedSecrets
}

export type NewChannel = {
  endpointId: string
  channel: string
  orgId: string
  accountId: string
  origin: string
  urlSealed: string
  now: Date
}

const TALLY_COLUMNS = { endpoint_id: 'text', delivered: 'boolean', failed: 'integer' }

export function createEndpointStore(db: Db) {
  const q = db.withTables<EndpointTables>()
  return {
    /** Advisory lock that serialises adding endpoints to an organisation. */
    async lockOrg(orgId: string): Promise<void> {
      const key = `webhook_endpoint ${orgId}`
      await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(q)
    },

    async count(orgId: string): Promise<number> {
      const row = await q
        .selectFrom('webhook_endpoint')
        .select((eb) => eb.fn.countAll<number>().as('n'))
        .where('org_id', '=', orgId)
        .where('channel', 'is', null)
        .executeTakeFirstOrThrow()
      return row.n
    },

    async insert(endpoint: Endpoint, secretSealed: string): Promise<void> {
      const sealed = { secretSealed, previousSecretSealed: null, previousSecretUntil: null }
      await q
        .insertInto('webhook_endpoint')
        .values({ ...toRow(endpoint), channel: null, ...toSecretColumns(sealed) })
        .execute()
    },

    /** Oldest first. */
    async list(orgId: string): Promise<Endpoint[]> {
      const rows = await q
        .selectFrom('webhook_endpoint')
        .selectAll()
        .where('org_id', '=', orgId)
        .where('channel', 'is', null)
        .orderBy('created_at')
        .orderBy('endpoint_id')
        .execute()
      return rows.map(toValue)
    },

    /** Endpoints that currently receive events. */
    async listReceiving(orgIds: readonly string[]): Promise<Endpoint[]> {
      const rows = await q
        .selectFrom('webhook_endpoint')
        .selectAll()
        .where('org_id', 'in', orgIds)
        .where('channel', 'is', null)
        .where('is_active', '=', true)
        .where('is_entitled', '=', true)
        .execute()
      return rows.map(toValue)
    },

    async find(orgId: string, endpointId: string): Promise<Endpoint | undefined> {
      const row = await q
        .selectFrom('webhook_endpoint')
        .selectAll()
        .where('endpoint_id', '=', endpointId)
        .where('org_id', '=', orgId)
        .where('channel', 'is', null)
        .executeTakeFirst()
      return row && toValue(row)
    },

    async lock(orgId: string, endpointId: string): Promise<Endpoint | undefined> {
      const row = await q
        .selectFrom('webhook_endpoint')
        .selectAll()
        .where('endpoint_id', '=', endpointId)
        .where('org_id', '=', orgId)
        .where('channel', 'is', null)
        .forUpdate()
        .executeTakeFirst()
      return row && toValue(row)
    },

    async lockAllOf(orgId: string): Promise<Endpoint[]> {
      const rows = await q
        .selectFrom('webhook_endpoint')
        .selectAll()
        .where('org_id', '=', orgId)
        .orderBy('endpoint_id')
        .forUpdate()
        .execute()
      return rows.map(toValue)
    },

    async save(endpoint: Endpoint): Promise<void> {
      await q
        .updateTable('webhook_endpoint')
        .set(toRow(endpoint))
        .where('endpoint_id', '=', endpoint.endpointId)
        .execute()
    },

    async delete(endpointId: string): Promise<void> {
      await q.deleteFrom('webhook_endpoint').where('endpoint_id', '=', endpointId).execute()
    },

    async deleteOfOrg(orgId: OrgId): Promise<void> {
      await q.deleteFrom('webhook_endpoint').where('org_id', '=', orgId).execute()
    },

    async secretsOf(endpointId: string): Promise<SealedSecrets | undefined> {
      const row = await q
        .selectFrom('webhook_endpoint')
        .select(['secret_sealed', 'previous_secret_sealed', 'previous_secret_until'])
        .where('endpoint_id', '=', endpointId)
        .executeTakeFirst()
      return row && toSealedSecrets(row)
    },

    async saveSecrets(endpointId: string, secrets: SealedSecrets): Promise<void> {
      await q
        .updateTable('webhook_endpoint')
        .set(toSecretColumns(secrets))
        .where('endpoint_id', '=', endpointId)
        .execute()
    },

    /** The endpoints of other features. */
    async listChannels(orgId: string): Promise<ChannelEndpoint[]> {
      const rows = await q
        .selectFrom('webhook_endpoint')
        .selectAll()
        .where('org_id', '=', orgId)
        .where('channel', 'is not', null)
        .orderBy('channel')
        .execute()
      return rows.map((row) => ({
        channel: row.channel ?? '',
        endpointId: row.endpoint_id,
        isActive: row.is_active,
        secrets: toSealedSecrets(row),
      }))
    },

    /** Inserts the endpoint of a channel or replaces its address, which enables it again. */
    async saveChannel(given: NewChannel): Promise<void> {
      const { endpointId, channel, orgId, accountId, origin, urlSealed, now } = given
      const sealed = {
        secretSealed: urlSealed,
        previousSecretSealed: null,
        previousSecretUntil: null,
      }
      const state = {
        url: origin,
        is_active: true,
        consecutive_failures: 0,
        disabled_at: null,
        disabled_reason: null,
        updated_at: now,
        ...toSecretColumns(sealed),
      }
      await q
        .insertInto('webhook_endpoint')
        .values({
          endpoint_id: endpointId,
          channel,
          org_id: orgId,
          account_id: accountId,
          description: null,
          event_types: [],
          is_entitled: true,
          version: 1,
          created_at: now,
          ...state,
        })
        .onConflict((conflict) => conflict.column('endpoint_id').doUpdateSet(state))
        .execute()
    },

    async setEntitled(orgId: string, isEntitled: boolean): Promise<void> {
      await q
        .updateTable('webhook_endpoint')
        .set({ is_entitled: isEntitled })
        .where('org_id', '=', orgId)
        .where('is_entitled', '<>', isEntitled)
        .execute()
    },

    /**
     * Updates the consecutive failures of endpoints: a success resets the count, each failure adds
     * one. Returns those that have reached the limit. Disabled endpoints are not counted.
     */
    async countOutcomes(
      tally: readonly { endpointId: string; delivered: boolean; failed: number }[],
      limit: number,
      now: Date,
    ): Promise<Endpoint[]> {
      const rows = tally.map((one) => ({
        endpoint_id: one.endpointId,
        delivered: one.delivered,
        failed: one.failed,
      }))
      const { rows: changed } = await sql<EndpointRow>`
        update webhook_endpoint e
        set consecutive_failures = r.failed +
            case when r.delivered then 0 else e.consecutive_failures end,
          version = e.version + 1, updated_at = ${now}
        from ${rowsOf(TALLY_COLUMNS, rows)} as r
        where e.endpoint_id = r.endpoint_id and e.is_active
          and (r.failed > 0 or e.consecutive_failures > 0)
        returning e.*`.execute(q)
      return changed.filter((row) => row.consecutive_failures >= limit).map(toValue)
    },
  }
}

export function toSealedSecrets(row: {
  secret_sealed: string
  previous_secret_sealed: string | null
  previous_secret_until: Date | null
}): SealedSecrets {
  return {
    secretSealed: row.secret_sealed,
    previousSecretSealed: row.previous_secret_sealed,
    previousSecretUntil: row.previous_secret_until,
  }
}

function toSecretColumns(secrets: SealedSecrets) {
  return {
    secret_sealed: secrets.secretSealed,
    previous_secret_sealed: secrets.previousSecretSealed,
    previous_secret_until: secrets.previousSecretUntil,
  }
}

function toValue(row: EndpointRow): Endpoint {
  return {
    endpointId: row.endpoint_id,
    orgId: row.org_id,
    accountId: row.account_id,
    url: row.url,
    description: row.description,
    eventTypes: row.event_types,
    isActive: row.is_active,
    isEntitled: row.is_entitled,
    consecutiveFailures: row.consecutive_failures,
    disabledAt: row.disabled_at,
    disabledReason: row.disabled_reason,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

function toRow(endpoint: Endpoint) {
  return {
    endpoint_id: endpoint.endpointId,
    org_id: endpoint.orgId,
    account_id: endpoint.accountId,
    url: endpoint.url,
    description: endpoint.description,
    event_types: [...endpoint.eventTypes],
    is_active: endpoint.isActive,
    is_entitled: endpoint.isEntitled,
    consecutive_failures: endpoint.consecutiveFailures,
    disabled_at: endpoint.disabledAt,
    disabled_reason: endpoint.disabledReason,
    version: endpoint.version,
    created_at: endpoint.createdAt,
    updated_at: endpoint.updatedAt,
  }
}
