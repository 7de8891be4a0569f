import type { Db } from '../../../kernel/db.ts'
import type { OrgId } from '../../../kernel/ids.ts'

type ChannelTables = {
  approval_channel: { org_id: string; member_ids: string[]; updated_at: Date }
  escalation: { escalation_id: string; told_at: Date | null }
}

export function createChannelStore(db: Db) {
  const q = db.withTables<ChannelTables>()
  return {
    /** The members who get e-mails; undefined if the organisation has set no channel. */
    async findMembers(orgId: string): Promise<readonly string[] | undefined> {
      const row = await q
        .selectFrom('approval_channel')
        .select('member_ids')
        .where('org_id', '=', orgId)
        .executeTakeFirst()
      return row?.member_ids
    },

    async save(orgId: string, memberIds: readonly string[], now: Date): Promise<void> {
      const row = { member_ids: [...memberIds], updated_at: now }
      await q
        .insertInto('approval_channel')
        .values({ org_id: orgId, ...row })
        .onConflict((conflict) => conflict.column('org_id').doUpdateSet(row))
        .execute()
    },

    /** Returns true once for each escalation. */
    async markTold(escalationId: string, now: Date): Promise<boolean> {
      const marked = await q
        .updateTable('escalation')
        .set({ told_at: now })
        .where('escalation_id', '=', escalationId)
        .where('told_at', 'is', null)
        .executeTakeFirst()
      return Number(marked.numUpdatedRows) === 1
    },

    async deleteOfOrg(orgId: OrgId): Promise<void> {
      await q.deleteFrom('approval_channel').where('org_id', '=', orgId).execute()
    },
  }
}
