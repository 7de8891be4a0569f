import type pg from 'pg'
import { isLockTimeout } from '../kernel/db.ts'

/** An arbitrary number; every node that migrates this database uses the same one. */
const ADVISORY_LOCK = 7_460_318_201

/** Until the end of the transaction. Fails with a message that names the holder. */
export async function lockMigrations(client: pg.Client, msMax: number): Promise<void> {
  await client.query(`savepoint locked; set local lock_timeout = ${msMax}`)
  try {
    await client.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCK])
  } catch (err) {
    if (!isLockTimeout(err)) throw err
    await client.query('rollback to savepoint locked')
    throw new Error(await describeHolder(client, msMax), { cause: err })
  }
  // The migration itself waits as long as the database lets it.
  await client.query(`set local lock_timeout to default;
    create table if not exists schema_migration (
      name text primary key, checksum text not null, applied_at timestamptz not null default now());
    do $$ begin
      if not exists (select from pg_attribute
        where attrelid = 'schema_migration'::regclass and attname = 'version') then
        alter table schema_migration add column version text;
      end if;
    end $$`)
}

async function describeHolder(client: pg.Client, msMax: number): Promise<string> {
  const { rows } = await client.query<{ pid: number; name: string; since: Date | null }>(
    `select a.pid, a.application_name as name, a.xact_start as since
     from pg_locks l join pg_stat_activity a using (pid)
     where l.locktype = 'advisory' and l.granted and l.objsubid = 1
       and l.database = (select oid from pg_database where datname = current_database())
       and (l.classid::bigint << 32) + l.objid::bigint = $1`,
    [ADVISORY_LOCK],
  )
  const waited = `The database is being migrated by another process, for which this one waited ${msMax / 1000} s`
  const [holder] = rows
  if (holder === undefined) return `${waited}. Start again.`
  const { pid, name, since } = holder
  return `${waited}: pid ${pid} (${name === '' ? 'without a name' : name})${since === null ? '' : `, since ${since.toISOString()}`}. Start again when it has ended. If it hangs, end it: select pg_terminate_backend(${pid})`
}
