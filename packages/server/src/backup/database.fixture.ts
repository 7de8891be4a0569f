import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startCluster } from '../postgres/cluster.ts'

/** Two migrations with all the difficult cases for COPY, triggers and sequences. */
const MIGRATIONS = {
  '0001_base.sql': `
    CREATE TABLE plan (id text PRIMARY KEY, price numeric);
    INSERT INTO plan VALUES ('free', 0), ('paid', 9.99);
    CREATE TABLE parent (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text);
    CREATE TABLE "Odd ""name""" ("select" int, "Ünï" text DEFAULT 'd', gone int, last int);
    ALTER TABLE "Odd ""name""" DROP COLUMN gone;
    CREATE SEQUENCE ticket START 100 INCREMENT 5;
    CREATE SEQUENCE untouched;`,
  '0002_more.sql': `
    CREATE TABLE a_child (
      id serial PRIMARY KEY,
      parent_id bigint NOT NULL REFERENCES parent (id),
      doubled int GENERATED ALWAYS AS (size * 2) STORED,
      size int);
    CREATE TABLE varied (
      id uuid PRIMARY KEY, doc jsonb, raw bytea, words text[], grid int[][], at timestamptz,
      day date, span interval, number numeric, real8 float8, flag boolean, ip inet, range int8range,
      body text);
    CREATE TABLE evidence (agent_id text, n bigint, body jsonb, PRIMARY KEY (agent_id, n))
      PARTITION BY HASH (agent_id);
    CREATE TABLE evidence_0 PARTITION OF evidence FOR VALUES WITH (MODULUS 2, REMAINDER 0);
    CREATE TABLE evidence_1 PARTITION OF evidence FOR VALUES WITH (MODULUS 2, REMAINDER 1)
      PARTITION BY RANGE (n);
    CREATE TABLE evidence_1_low PARTITION OF evidence_1 FOR VALUES FROM (MINVALUE) TO (50);
    CREATE TABLE evidence_1_high PARTITION OF evidence_1 DEFAULT;
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'evidence is insert-only'; END $$;
    CREATE TRIGGER insert_only BEFORE UPDATE OR DELETE ON evidence
      FOR EACH ROW EXECUTE FUNCTION refuse();
    CREATE TRIGGER no_truncate BEFORE TRUNCATE ON evidence EXECUTE FUNCTION refuse();
    CREATE TABLE big (id int PRIMARY KEY, body text);`,
}

/** A cluster with databases on demand. */
export async function createDatabases(packageName?: string) {
  const root = mkdtempSync(join(tmpdir(), 'backup-'))
  const settings = { fsync: 'off', synchronous_commit: 'off' }
  const cluster = await startCluster({ dataDir: join(root, 'postgres'), settings, packageName })
  let count = 0

  return {
    root,
    /** An empty database. */
    async empty(): Promise<string> {
      count += 1
      await query(cluster.url(), `CREATE DATABASE db_${count}`)
      return cluster.url(`db_${count}`)
    },
    /** A database with the schema, created like the service's migration runner does. */
    async migrated(names: string[] = Object.keys(MIGRATIONS)): Promise<string> {
      const url = await this.empty()
      await query(
        url,
        'CREATE TABLE schema_migration (name text PRIMARY KEY, applied_at timestamptz DEFAULT now())',
      )
      for (const [name, sql] of Object.entries(MIGRATIONS)) {
        if (!names.includes(name)) continue
        const record = `INSERT INTO schema_migration (name) VALUES ('${name}')`
        await query(url, `BEGIN; ${sql} ${record}; COMMIT`)
      }
      return url
    },
    async remove(): Promise<void> {
      await cluster.stop()
      rmSync(root, { recursive: true, force: true })
    },
  }
}
export type Databases = Awaited<ReturnType<typeof createDatabases>>

export async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url)
  client.on('error', () => undefined)
  try {
    await client.connect()
    const result = (await client.query(sql)) as pg.QueryResult<Record<string, unknown>>
    return result.rows
  } finally {
    await client.end()
  }
}

export async function fill(url: string): Promise<void> {
  await query(
    url,
    `INSERT INTO plan VALUES ('huge', 'NaN');
    INSERT INTO parent (name) SELECT 'p' || i FROM generate_series(1, 5) i;
    INSERT INTO a_child (parent_id, size) SELECT id, id * 3 FROM parent;
    INSERT INTO "Odd ""name""" VALUES (1, E'tab\\t newline\\n backslash \\\\ \\\\. \\\\N', NULL), (NULL, NULL, 3);
    INSERT INTO varied VALUES
      ('00000000-0000-4000-8000-000000000001', '{"a": [1, null, "\\u00e9", "\\\\u0001"], "b": {"c": 1.50}}',
       '\\x00ff0a5c00'::bytea, ARRAY['a,b', NULL, '"q"', '', 'NULL', '😀'], '{{1,2},{3,4}}',
       '2024-02-29 23:59:59.999999+05:45', '0044-03-15 BC', '1 year -2 days 03:04:05.6', 1e-30, 'NaN',
       true, 'fe80::1/64', '[1,)', '𝄞 ünïcödé' || chr(1) || chr(127)),
      ('00000000-0000-4000-8000-000000000002', 'null', '', '{}', NULL, 'infinity', '-infinity', '0',
       123456789012345678901234567890.123, 0.1 + 0.2::float8, NULL, NULL, 'empty', ''),
      ('00000000-0000-4000-8000-000000000003', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
       NULL, NULL, NULL);
    INSERT INTO evidence SELECT 'agent-' || i % 7, i, jsonb_build_object('i', i)
      FROM generate_series(1, 200) i;
    SELECT nextval('ticket'), nextval('ticket')`,
  )
}

/** All content that must survive, in a comparable form. */
export async function contents(url: string): Promise<Record<string, unknown>> {
  const tables = ['plan', 'parent', 'a_child', '"Odd ""name"""', 'varied', 'evidence', 'big']
  const parts = ['evidence_0', 'evidence_1_low', 'evidence_1_high']
  const all: Record<string, unknown> = {}
  for (const name of [...tables, ...parts]) {
    all[name] = await query(url, `SELECT t::text AS row FROM ${name} t ORDER BY 1`)
  }
  for (const name of ['ticket', 'untouched', 'parent_id_seq', 'a_child_id_seq']) {
    all[name] = await query(url, `SELECT last_value, is_called FROM ${name}`)
  }
  return all
}
