import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { testDatabase } from '#harness/database.ts'
import { createIdempotency } from './idempotency.ts'

describe('stored responses', () => {
  it('are purged after they expire, even if there are many', async () => {
    const { db } = await testDatabase()
    const clock = testClock()
    const { purge } = createIdempotency({
      db,
      clock,
      secretKey: Buffer.alloc(32),
      onError: () => undefined,
    })
    await sql`insert into idempotency_record (scope, key, body_hash, started_at, expires_at)
      select 'org-1', n::text, '', ${clock.now()}, ${clock.now()}
      from generate_series(1, 2500) n`.execute(db)
    expect(await purge(new Date(clock.nowMs() - 1))).toBe(0)
    expect(await purge(clock.now())).toBe(2500)
  })
})
