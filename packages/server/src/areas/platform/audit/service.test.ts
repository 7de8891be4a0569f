import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { testDatabase } from '#harness/database.ts'
import { DAY_MS } from '../../../kernel/clock.ts'
import { createAuditService } from './service.ts'

describe('the audit log', () => {
  it('keeps entries for 400 days and then purges them all, however many there are', async () => {
    const { db } = await testDatabase()
    const clock = testClock()
    const audit = createAuditService({ db, clock })
    await sql`insert into audit_entry (id, org_id, action, actor_type, actor_id, target_type,
        target_id, changes, created_at)
      select 'aud-' || n, 'org-1', 'org.updated', 'system', 'system', 'org', 'org-1', '{}',
        ${clock.now()}
      from generate_series(1, 2500) n`.execute(db)
    const at400Days = new Date(clock.nowMs() + 400 * DAY_MS)
    expect(await audit.purge(at400Days)).toBe(0)
    expect(await audit.purge(new Date(at400Days.getTime() + 1))).toBe(2500)
  })
})
