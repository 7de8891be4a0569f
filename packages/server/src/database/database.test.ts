import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freshDatabaseUrl, STALL_MS_MAX, STALLED_LIMITS } from '#harness/database.ts'
import { freePort } from '#harness/port.ts'
import { type Db, isDatabaseDown, isLockTimeout, transact } from '../kernel/db.ts'
import { createDatabase, type DatabaseOptions } from './database.ts'
import { parseHosts } from './hosts.ts'
import { findNow } from './primary.ts'
import { assertReachable } from './session.ts'

const url = await freshDatabaseUrl()

function open(given: Partial<DatabaseOptions> = {}) {
  const database = createDatabase({
    connectionString: url,
    connectionsMax: 1,
    preparedStatements: true,
    connectMsMax: STALL_MS_MAX,
    limits: STALLED_LIMITS,
    onError: () => undefined,
    ...given,
  })
  onTestFinished(() => database.close())
  return database
}

const pidOf = async (db: Db): Promise<unknown> =>
  (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)).rows[0]?.pid

const settingsOf = async (db: Db) =>
  (
    await sql`select current_setting('statement_timeout') as statement,
      current_setting('lock_timeout') as lock,
      current_setting('idle_in_transaction_session_timeout') as idle,
      current_setting('tcp_keepalives_idle') as keepalive,
      current_setting('application_name') as name`.execute(db)
  ).rows[0]

/** The connection string with other hosts before its own. */
const behind = (...hosts: string[]): string => {
  const { host } = new URL(url)
  return url.replace(`@${host}`, `@${[...hosts, host].join(',')}`)
}

describe('sessions of the pool', () => {
  it('have limits, keepalive and a name, which the server enforces', async () => {
    const { db } = open({ limits: undefined, name: 'touchstone all node 7' })
    expect(await settingsOf(db)).toEqual({
      statement: '30s',
      lock: '10s',
      idle: '5s',
      keepalive: '10',
      name: 'touchstone all node 7',
    })
  })

  it('have the limits within each transaction behind a pooler', async () => {
    const { db, groupCommitDb } = open({ limits: undefined, directConnectionString: url })
    expect(await settingsOf(db)).toMatchObject({ statement: '0', lock: '0', idle: '0' })
    const within = (of: Db) => transact(of, (tx) => settingsOf(tx))
    expect(await within(db)).toMatchObject({ statement: '30s', lock: '10s', idle: '5s' })
    expect(await within(groupCommitDb)).toMatchObject({ statement: '30s', lock: '2s', idle: '5s' })
  })

  it('lose their locks if their transaction stays idle, which then runs again', async () => {
    const { db } = open({ limits: { ...STALLED_LIMITS, idleInTransactionMs: 100 } })
    await sql`create table if not exists locked (id int primary key)`.execute(db)
    await sql`insert into locked values (1) on conflict do nothing`.execute(db)
    const pids: unknown[] = []
    const frozen = transact(db, async (tx) => {
      await sql`select * from locked for update`.execute(tx)
      pids.push(await pidOf(tx))
      if (pids.length === 1) await sleep(1000)
      return (await sql`select id from locked`.execute(tx)).rows
    })
    const other = open()
    await sql`update locked set id = 2`.execute(other.db)
    expect(await frozen).toEqual([{ id: 2 }])
    expect(new Set(pids).size).toBe(2)
  })

  it('wait only briefly for a lock in a group commit', async () => {
    const holder = open()
    const { groupCommitDb } = open({ limits: { ...STALLED_LIMITS, groupLockMs: 50 } })
    await sql`create table if not exists grouped (id int)`.execute(holder.db)
    await transact(holder.db, async (tx) => {
      await sql`lock table grouped`.execute(tx)
      const waiting = transact(groupCommitDb, (own) => sql`select * from grouped`.execute(own))
      expect(isLockTimeout(await waiting.catch((err: unknown) => err))).toBe(true)
    })
  })

  it('are closed when the server turned out to be read-only', async () => {
    const { db } = open()
    await sql`create table if not exists written (id int)`.execute(db)
    const before = await pidOf(db)
    await sql`set default_transaction_read_only = on`.execute(db)
    const refused = await sql`insert into written values (1)`.execute(db).catch((err) => err)
    expect(isDatabaseDown(refused)).toBe(true)
    await sql`insert into written values (2)`.execute(db)
    expect(await pidOf(db)).not.toBe(before)
  })

  it('are closed when the server was asked to end them', async () => {
    const { db } = open()
    const before = await pidOf(db)
    await sql`select pg_terminate_backend(pg_backend_pid())`.execute(db).catch(() => undefined)
    expect(await pidOf(db)).not.toBe(before)
  })
})

describe('a connection string with several hosts', () => {
  it('is followed to the host that accepts writes', async () => {
    const { db } = open({
      connectionString: behind(`127.0.0.1:${await freePort()}`, 'no-such-host.invalid'),
    })
    await sql`create temporary table mine (id int)`.execute(db)
    expect(await pidOf(db)).toEqual(expect.any(Number))
  })

  it('is reported with the reason for each host if none accepts writes', async () => {
    const closed = await freePort()
    const none = url.replace(`@${new URL(url).host}`, `@127.0.0.1:${closed},no-such-host.invalid`)
    await expect(findNow(parseHosts(none))).rejects.toThrow(
      new RegExp(`127.0.0.1:${closed} refuses connections; no-such-host.invalid:5432 has a name`),
    )
    const { db } = open({ connectionString: none })
    const err = await sql`select 1`.execute(db).catch((found: unknown) => found)
    expect(isDatabaseDown(err)).toBe(true)
  })

  it('passes over a server that is set to read-only, if it asks for read-write', async () => {
    const own = await freshDatabaseUrl()
    const { db } = open({ connectionString: own })
    const name = new URL(own).pathname.slice(1)
    await sql`alter database ${sql.ref(name)} set default_transaction_read_only = on`.execute(db)
    const readWrite = `${own}?target_session_attrs=read-write`
    await expect(assertReachable(readWrite, true)).rejects.toThrow('default_transaction_read_only')
    await assertReachable(own, true)
  })
})

describe('the health of the database', () => {
  it('tells an unreachable, a read-only and a full one from one that can be written to', async () => {
    const { db, checkHealth } = open()
    expect(await checkHealth()).toEqual({ status: 'ok' })
    await sql`set default_transaction_read_only = on`.execute(db)
    expect(await checkHealth()).toMatchObject({ status: 'read_only' })
    await sql`set default_transaction_read_only = off`.execute(db)
    const full = sql`do $$ begin raise exception 'no space left' using errcode = '53100'; end $$`
    expect(isDatabaseDown(await full.execute(db).catch((err) => err))).toBe(true)
    expect(await checkHealth()).toMatchObject({
      status: 'read_only',
      reason: expect.stringContaining('disk'),
    })
    const away = open({ connectionString: 'postgres://127.0.0.1:1/none' })
    expect(await away.checkHealth()).toMatchObject({ status: 'down' })
  })
})
