import { sql } from 'kysely'
import { asPurger, type Db, transact } from '../kernel/db.ts'
import { firstUuidAt } from '../kernel/ids.ts'

/**
 * Range partitions by month for tables whose key is a UUID of version 7. Partitions are created ahead
 * of time, and dropped whole when their month is older than the retention. Rows outside every month
 * are in the default partition.
 */

/** `key` is the column that holds the UUID. */
export type PartitionedTable = { name: string; key: string }

/** A month of UTC, numbered from year 0. */
type Month = number

export function monthOf(at: Date): Month {
  return at.getUTCFullYear() * 12 + at.getUTCMonth()
}

function startOf(month: Month): Date {
  return new Date(Date.UTC(Math.floor(month / 12), month % 12, 1))
}

function partitionName(table: string, month: Month): string {
  return `${table}_${startOf(month).toISOString().slice(0, 7).replace('-', '_')}`
}

/** Creates the partitions that are missing. Nodes that do so at the same time wait for each other. */
export async function createMonths(
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

/**
 * Rows of the month that reached the default partition move to the new one. Attaching locks the table
 * only against other changes of its partitions, so reading and writing go on.
 */
async function attach(tx: Db, table: PartitionedTable, name: string, month: Month): Promise<void> {
  const from = firstUuidAt(startOf(month).getTime())
  const to = firstUuidAt(startOf(month + 1).getTime())
  const parent = sql.table(table.name)
  const part = sql.table(name)
  const rest = sql.table(`${table.name}_default`)
  const key = sql.ref(table.key)
  await sql`create table ${part} (like ${parent} including all)`.execute(tx)
  const isOfMonth = sql`${key} >= ${sql.lit(from)}::uuid and ${key} < ${sql.lit(to)}::uuid`
  await sql`insert into ${part} select * from ${rest} where ${isOfMonth}`.execute(tx)
  await asPurger(tx, () => sql`delete from ${rest} where ${isOfMonth}`.execute(tx))
  await sql`alter table ${parent} attach partition ${part}
    for values from (${sql.lit(from)}) to (${sql.lit(to)})`.execute(tx)
}

/**
 * Drops the months that ended before. Returns how many partitions. Rows of such a month that are in the
 * default partition stay: see `deleteRestBefore`.
 */
export async function dropMonthsBefore(
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

/** Deletes at most `rowsMax` rows of the default partition whose month ended before. */
export async function deleteRestBefore(
  db: Db,
  { name, key }: PartitionedTable,
  before: Date,
  rowsMax: number,
): Promise<number> {
  const rest = sql.table(`${name}_default`)
  const first = firstUuidAt(startOf(monthOf(before)).getTime())
  const deleted = await transact(db, (tx) =>
    asPurger(tx, () =>
      sql`delete from ${rest} where ctid = any(array(
        select ctid from ${rest} where ${sql.ref(key)} < ${first}::uuid limit ${rowsMax}))`.execute(
        tx,
      ),
    ),
  )
  return Number(deleted.numAffectedRows ?? 0)
}

async function partitionsOf(db: Db, table: string): Promise<string[]> {
  const found = await sql<{ name: string }>`select child.relname as name from pg_inherits
    join pg_class child on child.oid = inhrelid where inhparent = ${table}::regclass`.execute(db)
  return found.rows.map((row) => row.name)
}
