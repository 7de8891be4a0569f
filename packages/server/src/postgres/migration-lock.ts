import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'

/** An arbitrary number; every node that migrates this database uses the same one. */
const ADVISORY_LOCK = 7_460_318_201
const RETRY_MS = 50

/**
 * Until the end of the transaction. Fails with a message that names the holder. Asks again and again,
 * because a statement that waited would keep its snapshot, for whose end an index waits that the holder
 * creates concurrently.
 */
export async function lockMigrations(client: pg.Client, msMax: number): Promise<void> {
  const startedMs = performance.now()
  while (!(await tryLock(client))) {
    if (performance.now() - startedMs >= msMax) throw new Error(await describeHolder(client, msMax))
    await sleep(RETRY_MS)
  }
  await client.query(`create table if not exists schema_migration (
      name text primary key, checksum text not null, applied_at timestamptz not null default now());
    do $$ begin
      if not exists (select from pg_attribute
        where attrelid = 'schema_migration'::regclass and attname = 'version') then
        alter table schema_migration add column version text;
      end if;
    end $$`)
}

/** Without a parameter: the portal of a statement with parameters keeps its snapshot until the next one. */
async function tryLock(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    `select pg_try_advisory_xact_lock(${ADVISORY_LOCK}) as locked`,
  )
  return rows[0]?.locked === true
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
