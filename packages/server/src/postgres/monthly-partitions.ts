import { sql } from 'kysely'
import { asPurger, type Db, purgeInPages, transact } from '../kernel/db.ts'
import { firstUuidAt } from '../kernel/ids.ts'

/**
 * Range partitions by month for tables with a UUID of version 7 or a time in their key. Partitions are
 * created ahead of time, and dropped whole when their month is older than the retention. Rows outside
 * every month are in the default partition.
 */

/** `key` is the column that holds the UUID or the time. */
export type PartitionedTable = { name: string; key: string; holds: 'uuid' | 'time' }

/** A month of UTC, numbered from year 0. */
type Month = number

function monthOf(at: Date): Month {
  return at.getUTCFullYear() * 12 + at.getUTCMonth()
}

/** The beginning of the month of a time. */
export const monthStart = (at: Date): Date => startOf(monthOf(at))

function startOf(month: Month): Date {
  return new Date(Date.UTC(Math.floor(month / 12), month % 12, 1))
}

function partitionName(table: string, month: Month): string {
  return `${table}_${startOf(month).toISOString().slice(0, 7).replace('-', '_')}`
}

/** The first value of the key in a month, or at a time. */
function boundAt({ holds }: PartitionedTable, at: Date) {
  return holds === 'uuid'
    ? sql`${sql.lit(firstUuidAt(at.getTime()))}::uuid`
    : sql`${sql.lit(at.toISOString())}::timestamptz`
}

/** Creates the partitions that are missing. Nodes that do so at the same time wait for each other. */
async function createMonths(
  db: Db,
  tables: readonly PartitionedTable[],
  months: readonly Month[],
): Promise<void> {
  await transact(db, async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtext('monthly partitions'))`.execute(tx)
    for (const table of tables) {
      const existing = new Set(await partitionsOf(tx, table.name))
      for (const month of months) {
        const name = partitionName(table.name, month)
        if (!existing.has(name)) await attach(tx, table, name, month)
      }
    }
  })
}

/** The default partition is locked while rows of it move, and while the server looks for more of them. */
const LIMITS = { moved: 100_000, scannedBytes: 2 ** 32 }

/**
 * Rows of the month that reached the default partition move to the new one. If there are many, as after
 * the migration of a table that had no partitions, they stay there and the month has none; so it is if
 * the default partition is so large that looking for such rows would take long. Meanwhile nobody else
 * uses the default partition, or a row could arrive that belongs to the new one; reading and writing of
 * other months go on.
 */
async function attach(tx: Db, table: PartitionedTable, name: string, month: Month): Promise<void> {
  const from = boundAt(table, startOf(month))
  const to = boundAt(table, startOf(month + 1))
  const parent = sql.table(table.name)
  const part = sql.table(name)
  const rest = sql.table(`${table.name}_default`)
  const key = sql.ref(table.key)
  const isOfMonth = sql`${key} >= ${from} and ${key} < ${to}`
  await sql`lock table ${rest} in access exclusive mode`.execute(tx)
  const tooMany = await sql`
    select where pg_relation_size(${`${table.name}_default`}) > ${LIMITS.scannedBytes}
      or exists (select from ${rest} where ${isOfMonth} offset ${LIMITS.moved})`.execute(tx)
  if (tooMany.rows.length > 0) return
  await sql`create table ${part} (like ${parent} including all)`.execute(tx)
  await sql`insert into ${part} select * from ${rest} where ${isOfMonth}`.execute(tx)
  await asPurger(tx, () => sql`delete from ${rest} where ${isOfMonth}`.execute(tx))
  await sql`alter table ${parent} attach partition ${part}
    for values from (${from}) to (${to})`.execute(tx)
  await guardTruncation(tx, table.name, name)
}

/** Row triggers come from the parent; one against truncation each partition needs for itself. */
async function guardTruncation(tx: Db, table: string, name: string): Promise<void> {
  const guards = await sql`select from pg_trigger
    where tgrelid = ${table}::regclass and tgfoid = 'refuse_change'::regproc and tgtype & 32 <> 0
  `.execute(tx)
  if (guards.rows.length === 0) return
  await sql`create trigger ${sql.ref(`${name}_stays`)} before truncate on ${sql.table(name)}
    for each statement execute function refuse_change()`.execute(tx)
}

/**
 * Drops the months that ended before. Returns how many partitions. Rows of such a month that are in the
 * default partition stay: see `deleteRestBefore`.
 */
async function dropMonthsBefore(
  db: Db,
  tables: readonly PartitionedTable[],
  before: Date,
): Promise<number> {
  return transact(db, async (tx) => {
    let dropped = 0
    for (const { name: table } of tables) {
      const first = partitionName(table, monthOf(before))
      for (const name of await partitionsOf(tx, table)) {
        if (!/_\d{4}_\d{2}$/.test(name) || name >= first) continue
        await sql`drop table ${sql.table(name)}`.execute(tx)
        dropped += 1
      }
    }
    return dropped
  })
}

/** Deletes at most `rowsMax` rows of the default partition that are older. */
async function deleteRestBefore(
  db: Db,
  table: PartitionedTable,
  before: Date,
  rowsMax: number,
): Promise<number> {
  const rest = sql.table(`${table.name}_default`)
  const deleted = await transact(db, (tx) =>
    asPurger(tx, () =>
      sql`delete from ${rest} where ctid = any(array(
        select ctid from ${rest} where ${sql.ref(table.key)} < ${boundAt(table, before)}
        limit ${rowsMax}))`.execute(tx),
    ),
  )
  return Number(deleted.numAffectedRows ?? 0)
}

async function partitionsOf(db: Db, table: string): Promise<string[]> {
  const found = await sql<{ name: string }>`select child.relname as name from pg_inherits
    join pg_class child on child.oid = inhrelid where inhparent = ${table}::regclass`.execute(db)
  return found.rows.map((row) => row.name)
}

/** Created before they are needed, so that no row waits for a new partition. */
const MONTHS_AHEAD = 2

/** Creates the partitions of this and the coming months, and of past ones since a time if given. */
export function prepareMonths(
  db: Db,
  tables: readonly PartitionedTable[],
  now: Date,
  since = now,
): Promise<void> {
  const first = monthOf(since)
  const count = monthOf(now) + MONTHS_AHEAD - first + 1
  return createMonths(
    db,
    tables,
    Array.from({ length: count }, (_, ahead) => first + ahead),
  )
}

/**
 * Drops the months that ended before, and deletes older rows of the default partitions. Returns the number
 * of both.
 */
export async function purgeMonths(
  db: Db,
  tables: readonly PartitionedTable[],
  before: Date,
): Promise<number> {
  let gone = await dropMonthsBefore(db, tables, before)
  for (const table of tables) {
    gone += await purgeInPages((rowsMax) => deleteRestBefore(db, table, before, rowsMax))
  }
  return gone
}

export async function defaultPartitionBytes(db: Db): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(pg_relation_size(part.partdefid)), 0)::bigint as bytes
    from pg_partitioned_table part where part.partstrat = 'r' and part.partdefid <> 0`.execute(db)
  return rows[0]?.bytes ?? 0
}
