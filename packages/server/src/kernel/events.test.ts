import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { testDatabase } from '#harness/database.ts'
import { DAY_MS } from './clock.ts'
import { transact } from './db.ts'
import { createEvents, type NewEvent } from './events.ts'

const archived: NewEvent = {
  type: 'team.archived',
  orgId: 'org-1',
  accountId: 'acc-1',
  data: { team_id: 'team-1', org_id: 'org-1', name: 'Desk' },
}

async function world() {
  const { db } = await testDatabase()
  const clock = testClock()
  return { db, clock, events: createEvents({ db, clock, onEmit: () => undefined }) }
}

describe('events', () => {
  it('are passed to subscribers in the same transaction, and rolled back with it', async () => {
    const { db, clock, events } = await world()
    const received: string[] = []
    events.subscribe(async (_tx, written) => void received.push(...written.map(({ id }) => id)))
    const broken = transact(db, async (tx) => {
      await events.emit(tx, archived)
      throw new Error('undo')
    })
    await expect(broken).rejects.toThrow('undo')
    await transact(db, (tx) => events.emit(tx, archived))
    const window = { since: clock.now(), until: clock.now(), after: undefined, limit: 10 }
    const kept = await events.list('org-1', window)
    expect(received).toHaveLength(2)
    expect(kept.map(({ id }) => id)).toEqual(received.slice(1))
  })

  it('are purged after 30 days, even if there are many', async () => {
    const { db, clock, events } = await world()
    await sql`insert into event (id, type, org_id, account_id, data, created_at)
      select 'evt-' || n, 'team.archived', 'org-1', 'acc-1', '{}', ${clock.now()}
      from generate_series(1, 2500) n`.execute(db)
    const at30Days = new Date(clock.nowMs() + 30 * DAY_MS)
    expect(await events.purge(at30Days)).toBe(0)
    expect(await events.purge(new Date(at30Days.getTime() + 1))).toBe(2500)
  })
})
