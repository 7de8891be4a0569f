import type { CardTemplate, ConscienceValue, OrgTemplate } from '@touchstone/protocol/cards'
import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import type { AgentId, OrgId } from '../../../kernel/ids.ts'
import type { Exemption, StoredTemplate, Template } from './card-template.ts'

type TemplateTables = {
  card_template: {
    org_id: string
    version: number
    enabled: boolean
    template: unknown
    created_by: string
    updated_by: string
    created_at: Date
    updated_at: Date
  }
  card_exemption: {
    agent_id: string
    exempt: boolean
    reason: string | null
    updated_by: string
    updated_at: Date
  }
}

/** The JSON stored in the column. */
type Written = {
  card_id: string
  agent_id: string | null
  card_json: CardTemplate
  conscience_values: ConscienceValue[]
  issued_at: string
}

/** `template` is undefined while it is disabled or deleted. */
export type ActiveTemplate = { version: number; template: OrgTemplate | undefined }

export function createTemplateStore(db: Db) {
  const q = db.withTables<TemplateTables>()
  return {
    /** Serialises concurrent changes, including the first one, when no row exists to lock. */
    async lock(orgId: string): Promise<void> {
      const key = `card_template ${orgId}`
      await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(q)
    },

    /** May be a deletion. */
    async find(orgId: string): Promise<StoredTemplate | undefined> {
      const row = await q
        .selectFrom('card_template')
        .selectAll()
        .where('org_id', '=', orgId)
        .executeTakeFirst()
      return row && toStored(row)
    },

    async findActive(orgId: string): Promise<ActiveTemplate | undefined> {
      const row = await q
        .selectFrom('card_template')
        .select(['version', 'enabled', 'template'])
        .where('org_id', '=', orgId)
        .executeTakeFirst()
      if (row === undefined) return undefined
      const template = row.enabled ? (toTemplate(row.template) ?? undefined) : undefined
      return { version: row.version, template }
    },

    /** Replaces the row; older versions are not kept. */
    async save(stored: StoredTemplate): Promise<void> {
      const { org_id, ...row } = toRow(stored)
      await q
        .insertInto('card_template')
        .values({ org_id, ...row })
        .onConflict((conflict) => conflict.column('org_id').doUpdateSet(row))
        .execute()
    },

    async findExemption(agentId: string): Promise<Exemption | undefined> {
      const row = await q
        .selectFrom('card_exemption')
        .selectAll()
        .where('agent_id', '=', agentId)
        .executeTakeFirst()
      return row && toExemption(row)
    },

    async saveExemption(exemption: Exemption): Promise<void> {
      const { agentId: agent_id, exempt, reason, updatedBy, updatedAt } = exemption
      const row = { exempt, reason, updated_by: updatedBy, updated_at: updatedAt }
      await q
        .insertInto('card_exemption')
        .values({ agent_id, ...row })
        .onConflict((conflict) => conflict.column('agent_id').doUpdateSet(row))
        .execute()
    },

    async deleteExemption(agentId: AgentId): Promise<void> {
      await q.deleteFrom('card_exemption').where('agent_id', '=', agentId).execute()
    },

    async deleteOf(orgId: OrgId): Promise<void> {
      await q.deleteFrom('card_template').where('org_id', '=', orgId).execute()
    },
  }
}

function toStored(row: TemplateTables['card_template']): StoredTemplate {
  return {
    orgId: row.org_id,
    version: row.version,
    enabled: row.enabled,
    template: toTemplate(row.template),
    createdBy: row.created_by,
    updatedBy: row.updated_by,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

function toTemplate(column: unknown): Template | null {
  if (column === null) return null
  const written = column as Written
  return {
    cardId: written.card_id,
    agentId: written.agent_id,
    card: written.card_json,
    conscienceValues: written.conscience_values,
    issuedAt: new Date(written.issued_at),
  }
}

function toRow(stored: StoredTemplate): TemplateTables['card_template'] {
  return {
    org_id: stored.orgId,
    version: stored.version,
    enabled: stored.enabled,
    template: stored.template === null ? null : JSON.stringify(toWritten(stored.template)),
    created_by: stored.createdBy,
    updated_by: stored.updatedBy,
    created_at: stored.createdAt,
    updated_at: stored.updatedAt,
  }
}

function toWritten(template: Template): Written {
  return {
    card_id: template.cardId,
    agent_id: template.agentId,
    card_json: template.card,
    conscience_values: [...template.conscienceValues],
    issued_at: template.issuedAt.toISOString(),
  }
}

function toExemption(row: TemplateTables['card_exemption']): Exemption {
  return {
    agentId: row.agent_id,
    exempt: row.exempt,
    reason: row.reason,
    updatedBy: row.updated_by,
    updatedAt: row.updated_at,
  }
}
