import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { testDatabase } from '#harness/database.ts'
import { DAY_MS } from './clock.ts'
import { type Db, transact } from './db.ts'
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

  /** Many rows at once. */
  const insertMany = (db: Db, at: Date) =>
    sql`insert into event (id, type, org_id, account_id, data, created_at)
      select 'evt-' || n || ${at.toISOString()}, 'team.archived', 'org-1', 'acc-1', '{}', ${at}
      from generate_series(1, 2500) n`.execute(db)

  const tablesOf = async (db: Db) => {
    const { rows } = await sql<{ name: string; n: number }>`
      select tableoid::regclass::text as name, count(*)::int as n from event group by 1 order by 1
    `.execute(db)
    return rows.map(({ name, n }) => [name, n])
  }

  it('are in the month of their creation, which is dropped 30 days after its end', async () => {
    const { db, clock, events } = await world()
    await events.prepare()
    await insertMany(db, clock.now())
    expect(await tablesOf(db)).toEqual([['event_2026_03', 2500]])
    expect(await events.purge(new Date('2026-04-30T12:00:00Z'))).toBe(0)
    const [kept] = await events.list('org-1', {
      since: clock.now(),
      until: clock.now(),
      after: undefined,
      limit: 1,
    })
    const id = kept?.id ?? ''
    expect(await events.find('org-1', id)).toMatchObject({ id })
    clock.advance(31 * DAY_MS)
    expect(await events.find('org-1', id)).toBeUndefined()
    expect(await events.purge(new Date('2026-05-01T12:00:00Z'))).toBe(1)
    expect(await tablesOf(db)).toEqual([])
  })

  it('from before there were months are deleted in pages', async () => {
    const { db, clock, events } = await world()
    await insertMany(db, clock.now())
    const at60Days = new Date(clock.nowMs() + 60 * DAY_MS)
    expect(await events.purge(at60Days)).toBe(2500)
  })

  it('that are being written while their month is created are moved as well', async () => {
    const { db, clock, events } = await world()
    const prepared = await transact(db, async (tx) => {
      await insertMany(tx, clock.now())
      const preparing = events.prepare()
      const waits = sql`select from pg_locks
        where relation = 'event_default'::regclass and mode = 'AccessExclusiveLock' and not granted`
      await expect.poll(async () => (await waits.execute(db)).rows.length).toBe(1)
      return { preparing }
    })
    await prepared.preparing
    expect(await tablesOf(db)).toEqual([['event_2026_03', 2500]])
  })

  it('move to their month when it is created late, but stay if they are too many', async () => {
    const { db, clock, events } = await world()
    await insertMany(db, clock.now())
    await sql`insert into event (id, type, org_id, account_id, data, created_at)
      select 'many-' || n, 'team.archived', 'org-1', 'acc-1', '{}', '2026-04-02'
      from generate_series(1, 100001) n`.execute(db)
    await events.prepare()
    expect(await tablesOf(db)).toEqual([
      ['event_2026_03', 2500],
      ['event_default', 100_001],
    ])
  })
})
