import pg from 'pg'
import type { BackupHeader } from './format.ts'

/** The database content that a backup covers: schema public. */

export type Table = { name: string; columns: string[]; isPartitioned: boolean }

/** Written by the migration runner; its rows describe the schema and are never copied. */
const MIGRATION_TABLE = 'schema_migration'

/** A PostgreSQL error code (appendix A of its manual). */
const LOCK_NOT_AVAILABLE = '55P03'

const NOT_OF_AN_EXTENSION = `NOT EXISTS (
  SELECT FROM pg_catalog.pg_depend d
  WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')`

/**
 * Settings under which COPY text means the same everywhere, as in pg_dump. With row_security
 * off, a policy that would hide rows is an error instead of an incomplete backup.
 */
const TRANSACTION = `
  SET LOCAL client_encoding = 'UTF8';
  SET LOCAL DateStyle = 'ISO, YMD';
  SET LOCAL IntervalStyle = 'postgres';
  SET LOCAL TimeZone = 'UTC';
  SET LOCAL extra_float_digits = 1;
  SET LOCAL bytea_output = 'hex';
  SET LOCAL xmloption = content;
  SET LOCAL search_path = public;
  SET LOCAL row_security = off;
  SET LOCAL statement_timeout = 0;
  SET LOCAL lock_timeout = '3s';
  SET LOCAL idle_in_transaction_session_timeout = 0`

/** The settings end with the transaction, which matters for connections through a pooler. */
export async function beginTransaction(client: pg.Client, mode: string): Promise<void> {
  await client.query(`BEGIN ${mode}`)
  await client.query(TRANSACTION)
}

export async function lockTables(client: pg.Client, tables: Table[], mode: string): Promise<void> {
  if (tables.length === 0) return
  const names = tables.map(({ name }) => quoteName(name)).join(', ')
  try {
    await client.query(`LOCK TABLE ${names} IN ${mode} MODE`)
  } catch (cause) {
    if (!isDatabaseError(cause, LOCK_NOT_AVAILABLE)) throw cause
    throw new Error('The database is busy: stop the service or wait for its upgrade to end.', {
      cause,
    })
  }
}

export function isDatabaseError(err: unknown, code: string): boolean {
  return err instanceof pg.DatabaseError && err.code === code
}

/** Partitions are reached through their parents. Generated columns are left out. */
export async function listTables(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<{ name: string; columns: string[]; partitioned: boolean }>(
    `SELECT c.relname AS name, c.relkind = 'p' AS partitioned, ARRAY(
       SELECT a.attname::text FROM pg_catalog.pg_attribute a
       WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
       ORDER BY a.attnum) AS columns
     FROM pg_catalog.pg_class c
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
       AND NOT c.relispartition AND c.relname <> '${MIGRATION_TABLE}' AND ${NOT_OF_AN_EXTENSION}
     ORDER BY c.relname COLLATE "C"`,
  )
  return rows.map(({ name, columns, partitioned }) => ({
    name,
    columns,
    isPartitioned: partitioned,
  }))
}

export async function listSequences(client: pg.Client): Promise<BackupHeader['sequences']> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_catalog.pg_class c
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'S' AND ${NOT_OF_AN_EXTENSION}
     ORDER BY c.relname COLLATE "C"`,
  )
  const sequences: BackupHeader['sequences'] = []
  for (const { name } of rows) {
    const state = await client.query<{ last_value: string; is_called: boolean }>(
      `SELECT last_value::text AS last_value, is_called FROM ${quoteName(name)}`,
    )
    for (const row of state.rows) sequences.push({ name, ...row })
  }
  return sequences
}

/** `transaction` is the one that applied and recorded the migration. */
export type Migration = { name: string; transaction: string; appliedAt: Date }

export async function listMigrations(client: pg.Client): Promise<Migration[]> {
  const { rows: found } = await client.query<{ exists: boolean }>(
    `SELECT to_regclass('public.${MIGRATION_TABLE}') IS NOT NULL AS exists`,
  )
  if (found[0]?.exists !== true) {
    throw new Error(
      `The database is not a Touchstone database: it has no table ${MIGRATION_TABLE}. ` +
        'Check DATABASE_URL, or start the service once.',
    )
  }
  const { rows } = await client.query<{ name: string; transaction: string; seconds: string }>(
    `SELECT name, xmin::text AS transaction, extract(epoch FROM applied_at)::text AS seconds
     FROM public.${MIGRATION_TABLE} ORDER BY name COLLATE "C"`,
  )
  return rows.map(({ name, transaction, seconds }) => ({
    name,
    transaction,
    appliedAt: new Date(Number(seconds) * 1000),
  }))
}

export function quoteName(name: string): string {
  return `public.${quote(name)}`
}

/** The column list of a COPY; empty for a table with only generated columns. */
export function quoteColumns(columns: string[]): string {
  return columns.map(quote).join(', ')
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
