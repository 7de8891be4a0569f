import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import type { AgentId, OrgId } from '../../../kernel/ids.ts'
import type { SaltOwner } from './entry.ts'

export function createSaltStore(db: Db) {
  return {
    async find(owner: SaltOwner): Promise<string | undefined> {
      const found = await sql<{ salt_sealed: string }>`
        select salt_sealed from log_salt where ${isOf(owner)}`.execute(db)
      return found.rows[0]?.salt_sealed
    },

    /** Keeps an existing salt. */
    async insert(owner: SaltOwner, sealed: string, now: Date): Promise<void> {
      await sql`insert into log_salt (org_id, agent_id, salt_sealed, created_at)
        values (${owner.kind === 'org' ? owner.id : null},
          ${owner.kind === 'agent' ? owner.id : null}, ${sealed}, ${now})
        on conflict do nothing`.execute(db)
    },

    async deleteOfAgent(agentId: AgentId): Promise<void> {
      await sql`delete from log_salt where agent_id = ${agentId}`.execute(db)
    },

    async deleteOfOrg(orgId: OrgId): Promise<void> {
      await sql`delete from log_salt where org_id = ${orgId}`.execute(db)
    },
  }
}

function isOf(owner: SaltOwner) {
  switch (owner.kind) {
    case 'agent':
      return sql<boolean>`agent_id = ${owner.id}`
    case 'org':
      return sql<boolean>`org_id = ${owner.id}`
    default:
      return sql<boolean>`org_id is null and agent_id is null`
  }
}
