import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { contents, createDatabases, type Databases, fill, query } from './database.fixture.ts'
import { restoreBackup } from './restore-backup.ts'
import { verifyBackup } from './verify-backup.ts'
import { writeBackup } from './write-backup.ts'

const now = new Date('2026-01-02T03:04:05.678Z')

let databases: Databases
let source: string
let backup: string

beforeAll(async () => {
  databases = await createDatabases()
  source = await databases.migrated()
  await fill(source)
  backup = join(databases.root, 'source.backup')
  await writeBackup({ connectionString: source, file: backup, now })
})

afterAll(async () => {
  await databases.remove()
})

function file(name: string): string {
  return join(databases.root, name)
}

describe('a backup', () => {
  it('brings back every value, partition and sequence', async () => {
    const target = await databases.migrated()
    const seen: string[] = []
    const summary = await restoreBackup({
      connectionString: target,
      file: backup,
      onProgress: ({ table, rows }) => seen.push(`${table} ${rows}`),
    })
    expect(await contents(target)).toEqual(await contents(source))
    expect(seen).toEqual([
      'Odd "name" 2',
      'a_child 5',
      'big 0',
      'evidence 200',
      'parent 5',
      'plan 3',
      'varied 3',
    ])
    expect(summary.header.migrations).toEqual(['0001_base.sql', '0002_more.sql'])
    const next = await query(
      target,
      "INSERT INTO parent (name) VALUES ('next') RETURNING id, nextval('ticket') AS ticket",
    )
    expect(next).toEqual([{ id: '6', ticket: '110' }])
    await expect(query(target, 'DELETE FROM evidence')).rejects.toThrow('insert-only')
    await expect(query(target, 'INSERT INTO a_child (parent_id) VALUES (99)')).rejects.toThrow(
      'foreign key',
    )
  })

  it('is for its owner only, says what it holds and leaves nothing else behind', async () => {
    expect(statSync(backup).mode & 0o777).toBe(0o600)
    const { header, tables, fileBytes } = await verifyBackup(backup)
    expect(header.created_at).toBe(now.toISOString())
    expect(header.server_version).toMatch(/^\d+/)
    expect(tables.find(({ table }) => table === 'evidence')).toMatchObject({ rows: 200 })
    expect(fileBytes).toBe(statSync(backup).size)
    expect(readdirSync(databases.root).filter((name) => name.includes('partial'))).toEqual([])
  })

  it('is of one moment while others write', async () => {
    const url = await databases.migrated()
    await query(url, "INSERT INTO parent (name) SELECT 'p' FROM generate_series(1, 1000)")
    // "a_child" comes before "parent": without a snapshot the child's parent would be missing.
    const writer = new pg.Client(url)
    await writer.connect()
    const summary = await writeBackup({
      connectionString: url,
      file: file('moment.backup'),
      now,
      onProgress: () =>
        void writer.query(`WITH p AS (INSERT INTO parent (name) VALUES ('new') RETURNING id)
          SELECT id FROM p`),
    })
    await writer.end()
    expect(summary.tables.find(({ table }) => table === 'parent')).toMatchObject({ rows: 1000 })
  })

  it('waits for a TRUNCATE in progress instead of showing an empty table', async () => {
    const url = await databases.migrated()
    const writer = new pg.Client(url)
    await writer.connect()
    await writer.query("BEGIN; TRUNCATE plan; INSERT INTO plan VALUES ('after', 1)")
    const running = writeBackup({ connectionString: url, file: file('truncate.backup'), now })
    await vi.waitFor(async () => {
      const rows = await query(url, "SELECT 1 FROM pg_locks WHERE NOT granted AND mode LIKE 'Acc%'")
      expect(rows).toHaveLength(1)
    })
    await writer.query('COMMIT')
    await writer.end()
    const { tables } = await running
    expect(tables.find(({ table }) => table === 'plan')).toMatchObject({ rows: 1 })
  })

  it('leaves the previous file alone when the connection is lost', async () => {
    const url = await databases.migrated()
    await query(
      url,
      'INSERT INTO big SELECT i, repeat(md5(i::text), 99) FROM generate_series(1, 9999) i',
    )
    const target = file('kept.backup')
    copyFileSync(backup, target)
    const lost = writeBackup({
      connectionString: url,
      file: target,
      now,
      onProgress: ({ table }) => {
        if (table !== 'a_child') return
        void query(
          url,
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid()`,
        )
      },
    })
    await expect(lost).rejects.toThrow()
    expect(readFileSync(target)).toEqual(readFileSync(backup))
    expect(readdirSync(databases.root).filter((name) => name.includes('partial'))).toEqual([])
  })

  it('refuses a database without migrations', async () => {
    const target = file('none.backup')
    const url = await databases.empty()
    await expect(writeBackup({ connectionString: url, file: target, now })).rejects.toThrow(
      'no table schema_migration',
    )
    expect(existsSync(target)).toBe(false)
  })
})

describe('a restore', () => {
  it('refuses a file with any byte changed, and leaves the database untouched', async () => {
    const target = await databases.migrated()
    const before = await contents(target)
    const whole = readFileSync(backup)
    const ends = [0, 5, 18, 19, 20, 30, whole.length - 1, whole.length - 72, whole.length - 73]
    const spread = Array.from({ length: 120 }, (_, i) => Math.floor((i * whole.length) / 120))
    for (const position of [...ends, ...spread]) {
      const copy = Buffer.from(whole)
      copy[position] = (copy[position] ?? 0) ^ (1 << (position % 8))
      const bad = file('flipped.backup')
      writeFileSync(bad, copy)
      await expect(restoreBackup({ connectionString: target, file: bad })).rejects.toThrow(
        /damaged|format version/,
      )
      await expect(verifyBackup(bad)).rejects.toThrow(/damaged|format version/)
    }
    expect(await contents(target)).toEqual(before)
  })

  it('refuses a file that was cut off or added to', async () => {
    const target = await databases.migrated()
    const before = await contents(target)
    const whole = readFileSync(backup)
    const cuts = [0, 1, 19, 20, 71, 72, 100, whole.length / 2, whole.length - 72, whole.length - 1]
    const versions = cuts.map((length) => whole.subarray(0, length))
    for (const bytes of [...versions, Buffer.concat([whole, Buffer.from('\n')])]) {
      const bad = file('cut.backup')
      writeFileSync(bad, bytes)
      await expect(restoreBackup({ connectionString: target, file: bad })).rejects.toThrow(
        /damaged/,
      )
    }
    expect(await contents(target)).toEqual(before)
  })

  it('refuses a database that holds data, even one row', async () => {
    for (const sql of [
      "INSERT INTO evidence VALUES ('a', 1, '{}')",
      "UPDATE plan SET price = 1 WHERE id = 'free'",
    ]) {
      const target = await databases.migrated()
      await query(target, sql)
      const before = await contents(target)
      await expect(restoreBackup({ connectionString: target, file: backup })).rejects.toThrow(
        /not empty \((evidence|plan)\)/,
      )
      expect(await contents(target)).toEqual(before)
    }
  })

  it('does not take data that an upgrade rewrote for rows of the schema', async () => {
    const target = await databases.migrated()
    await query(
      target,
      `UPDATE schema_migration SET applied_at = now() - interval '1 day' WHERE name LIKE '0001%';
      UPDATE plan SET price = 5; UPDATE schema_migration SET applied_at = now() WHERE name LIKE '0002%'`,
    )
    await expect(restoreBackup({ connectionString: target, file: backup })).rejects.toThrow(
      'not empty (plan)',
    )
  })

  it('refuses a second time', async () => {
    const target = await databases.migrated()
    await restoreBackup({ connectionString: target, file: backup })
    await expect(restoreBackup({ connectionString: target, file: backup })).rejects.toThrow(
      'not empty',
    )
    expect(await contents(target)).toEqual(await contents(source))
  })

  it('names the migrations that differ', async () => {
    const older = await databases.migrated(['0001_base.sql'])
    await expect(restoreBackup({ connectionString: older, file: backup })).rejects.toThrow(
      'lacks the migrations 0002_more.sql',
    )
    const early = file('early.backup')
    await writeBackup({ connectionString: older, file: early, now })
    const newer = await databases.migrated()
    await expect(restoreBackup({ connectionString: newer, file: early })).rejects.toThrow(
      'made before 0002_more.sql',
    )
  })

  it('undoes everything, sequences too, when a row does not fit', async () => {
    const target = await databases.migrated()
    await query(target, "ALTER TABLE varied ADD CONSTRAINT c CHECK (body <> '')")
    const before = await contents(target)
    await expect(restoreBackup({ connectionString: target, file: backup })).rejects.toThrow(
      'violates check constraint',
    )
    expect(await contents(target)).toEqual(before)
  })

  it('says in plain words that the user may not switch off triggers', async () => {
    const target = await databases.migrated()
    const role = `plain_${Date.now()}`
    await query(
      target,
      `CREATE ROLE ${role} LOGIN PASSWORD 'secret';
      GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role}`,
    )
    const url = new URL(target)
    url.username = role
    url.password = 'secret'
    await expect(restoreBackup({ connectionString: url.href, file: backup })).rejects.toThrow(
      'may not switch off triggers',
    )
  })

  it('says that the service must be stopped while it holds locks', async () => {
    const target = await databases.migrated()
    const service = new pg.Client(target)
    await service.connect()
    await service.query('BEGIN; SELECT * FROM plan')
    await expect(restoreBackup({ connectionString: target, file: backup })).rejects.toThrow(
      'stop the service',
    )
    await service.end()
  })
})

describe('a large database', () => {
  it('is written and restored without growing memory', async () => {
    const rows = 200_000
    const from = await databases.migrated()
    await query(
      from,
      `INSERT INTO big SELECT i, repeat(md5(i::text), 32) FROM generate_series(1, ${rows}) i`,
    )
    const target = await databases.migrated()
    const large = file('large.backup')
    const base = process.memoryUsage().rss
    let peak = base
    const sample = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss)
    }, 5)
    const { tables } = await writeBackup({ connectionString: from, file: large, now })
    await restoreBackup({ connectionString: target, file: large })
    clearInterval(sample)

    const bytes = tables.find(({ table }) => table === 'big')?.bytes ?? 0
    expect(bytes).toBeGreaterThan(200_000_000)
    expect(peak - base).toBeLessThan(bytes / 2)
    const checksum = 'SELECT count(*)::int AS n, sum(hashtext(body))::text AS sum FROM big'
    expect(await query(target, checksum)).toEqual(await query(from, checksum))
    console.log('PEAK', (peak - base) / 1e6, bytes / 1e6, statSync(large).size / 1e6)
  }, 60_000)
})

describe.runIf(process.platform === 'linux' && process.arch === 'x64')('PostgreSQL 14', () => {
  it('writes what 18 restores, and the other way round', async () => {
    const old = await createDatabases('postgres-14-linux-x64')
    try {
      const target14 = await old.migrated()
      await restoreBackup({ connectionString: target14, file: backup })
      expect(await contents(target14)).toEqual(await contents(source))

      const backup14 = file('fourteen.backup')
      await writeBackup({ connectionString: target14, file: backup14, now })
      const target = await databases.migrated()
      await restoreBackup({ connectionString: target, file: backup14 })
      expect(await contents(target)).toEqual(await contents(source))
    } finally {
      await old.remove()
    }
  })
})
