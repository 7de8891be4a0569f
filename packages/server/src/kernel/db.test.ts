import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { testDatabase } from '#harness/database.ts'
import { createDatabase } from '../database/database.ts'
import {
  type Db,
  isDatabaseDown,
  isUniqueViolation,
  purgeByOwners,
  purgeEach,
  purgeInPages,
  transact,
} from './db.ts'

type Tables = { counter: { id: number; value: number } }

async function withCounter() {
  const database = await testDatabase()
  await sql`create table counter (id int primary key, value int not null)`.execute(database.db)
  await sql`insert into counter values (1, 0), (2, 0)`.execute(database.db)
  return database
}

describe('transact', () => {
  it('retries the work after a serialization failure, so that no change is lost', async () => {
    const { db } = await withCounter()
    const add = () =>
      transact(db, async (tx) => {
        await sql`set transaction isolation level serializable`.execute(tx)
        const q = tx.withTables<Tables>()
        const row = await q
          .selectFrom('counter')
          .selectAll()
          .where('id', '=', 1)
          .executeTakeFirstOrThrow()
        await q
          .updateTable('counter')
          .set({ value: row.value + 1 })
          .where('id', '=', 1)
          .execute()
      })
    await Promise.all([add(), add(), add()])
    const row = await sql<{ value: number }>`select value from counter where id = 1`.execute(db)
    expect(row.rows).toEqual([{ value: 3 }])
  })

  it('takes part in a transaction that it is given', async () => {
    const { db } = await withCounter()
    const outer = transact(db, async (tx) => {
      await transact(tx, (inner) => sql`update counter set value = 7 where id = 1`.execute(inner))
      throw new Error('rolled back')
    })
    await expect(outer).rejects.toThrow('rolled back')
    const row = await sql<{ value: number }>`select value from counter where id = 1`.execute(db)
    expect(row.rows).toEqual([{ value: 0 }])
  })

  it('retries after a deadlock', async () => {
    const { db } = await withCounter()
    const cross = (first: number, second: number) =>
      transact(db, async (tx) => {
        await sql`update counter set value = value + 1 where id = ${first}`.execute(tx)
        await sql`select pg_sleep(0.05)`.execute(tx)
        await sql`update counter set value = value + 1 where id = ${second}`.execute(tx)
      })
    await Promise.all([cross(1, 2), cross(2, 1)])
    const rows = await sql<{ value: number }>`select value from counter order by id`.execute(db)
    expect(rows.rows).toEqual([{ value: 2 }, { value: 2 }])
  })

  it('rolls back work that throws', async () => {
    const { db } = await withCounter()
    const broken = transact(db, async (tx) => {
      await sql`update counter set value = 9`.execute(tx)
      throw new Error('undo')
    })
    await expect(broken).rejects.toThrow('undo')
    const rows = await sql`select 1 from counter where value = 9`.execute(db)
    expect(rows.rows).toEqual([])
  })
})

describe('purgeInPages', () => {
  it.each([
    { rows: 0, pages: 1 },
    { rows: 9, pages: 1 },
    { rows: 10, pages: 2 },
    { rows: 25, pages: 3 },
  ])('deletes $rows rows in $pages pages of ten', async ({ rows, pages }) => {
    let left = rows
    let asked = 0
    const deleteSome = async (rowsMax: number) => {
      asked += 1
      const gone = Math.min(left, rowsMax)
      left -= gone
      return gone
    }
    expect(await purgeInPages(deleteSome, 10)).toBe(rows)
    expect({ left, asked }).toEqual({ left: 0, asked: pages })
  })
})

describe('purgeByOwners', () => {
  it.each([0, 1, 99, 100, 101, 250])('comes to each of %i owners once', async (count) => {
    const owners = Array.from({ length: count }, (_, n) => String(n).padStart(4, '0'))
    const visited: string[] = []
    const gone = await purgeByOwners(
      async (after, limit) => owners.filter((id) => id > after).slice(0, limit),
      async (ids) => {
        visited.push(...ids)
        return 2 * ids.length
      },
    )
    expect({ visited, gone }).toEqual({ visited: owners, gone: 2 * count })
  })
})

describe('purgeEach', () => {
  const erase = (id: string) => async (tx: Db, one: string) => {
    if (one === id) throw new Error(`not ${one}`)
    const gone = await sql`delete from counter where id = ${one}`.execute(tx)
    return gone.numAffectedRows === 1n
  }

  it('returns the number of erased ids', async () => {
    const { db } = await withCounter()
    expect(await purgeEach(db, ['1', '2', '3'], erase(''))).toBe(2)
  })

  it('continues after a failure and throws at the end', async () => {
    const { db } = await withCounter()
    await expect(purgeEach(db, ['1', '2'], erase('1'))).rejects.toThrow(
      '1 of 2 could not be erased',
    )
    expect((await sql`select id from counter`.execute(db)).rows).toEqual([{ id: 1 }])
  })
})

describe('database handle', () => {
  it('reads 64-bit counters as numbers', async () => {
    const { db } = await testDatabase()
    const counted = await sql<{ total: number }>`select count(*) as total from event`.execute(db)
    expect(counted.rows).toEqual([{ total: 0 }])
  })

  it('prepares a repeated statement once per connection, unless disabled', async () => {
    const database = await testDatabase()
    const prepared = async (preparedStatements: boolean) => {
      const one = createDatabase({
        connectionString: database.connectionString,
        connectionsMax: 1,
        preparedStatements,
        onError: () => undefined,
      })
      for (let n = 0; n < 3; n += 1) await sql`select ${n}::int as n`.execute(one.db)
      const found = await sql`select 1 from pg_prepared_statements`.execute(one.db)
      await one.close()
      return found.rows.length
    }
    expect(await prepared(true)).toBe(1)
    expect(await prepared(false)).toBe(0)
  })

  it('waits longer for a connection at start than afterwards', async () => {
    const { connectionString } = await testDatabase()
    const database = createDatabase({
      connectionString,
      connectionsMax: 1,
      preparedStatements: true,
      connectMsMax: 50,
      isStarting: true,
      onError: () => undefined,
    })
    const busy = sql`select pg_sleep(0.3)`.execute(database.db)
    expect((await sql`select 1 as n`.execute(database.db)).rows).toEqual([{ n: 1 }])
    await busy
    database.endStart()
    const busyAgain = sql`select pg_sleep(0.3)`.execute(database.db)
    const late = await sql`select 1`.execute(database.db).catch((err) => err)
    expect(isDatabaseDown(late)).toBe(true)
    await busyAgain
    await database.close()
  })

  it('distinguishes a rejected row from an unreachable database', async () => {
    const { db } = await withCounter()
    const twice = await sql`insert into counter values (1, 1)`.execute(db).catch((err) => err)
    expect(isUniqueViolation(twice)).toBe(true)
    expect(isUniqueViolation(twice, 'counter_pkey')).toBe(true)
    expect(isUniqueViolation(twice, 'another')).toBe(false)
    expect(isDatabaseDown(twice)).toBe(false)
    const nowhere = createDatabase({
      connectionString: 'postgresql://127.0.0.1:1/none',
      connectionsMax: 1,
      preparedStatements: true,
      onError: () => undefined,
    })
    const away = await sql`select 1`.execute(nowhere.db).catch((err) => err)
    expect(isDatabaseDown(away)).toBe(true)
    await nowhere.close()
  })
})
