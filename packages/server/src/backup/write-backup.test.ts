import { copyFileSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '#harness/eventually.ts'
import { createDatabases, type Databases, fill, query } from './database.fixture.ts'
import { verifyBackup } from './verify-backup.ts'
import { writeBackup } from './write-backup.ts'

const now = new Date('2026-01-02T03:04:05.678Z')

let databases: Databases
let backup: string

beforeAll(async () => {
  databases = await createDatabases()
  const source = await databases.migrated()
  await fill(source)
  backup = file('source.backup')
  await writeBackup({ connectionString: source, file: backup, now })
})

afterAll(async () => {
  await databases.remove()
})

function file(name: string): string {
  return join(databases.root, name)
}

describe('writeBackup', () => {
  it('writes a file that only its owner can read, with its summary', async () => {
    expect(statSync(backup).mode & 0o777).toBe(0o600)
    const { header, tables, fileBytes } = await verifyBackup(backup)
    expect(header.created_at).toBe(now.toISOString())
    expect(header.server_version).toMatch(/^\d+/)
    expect(tables.find(({ table }) => table === 'evidence')).toMatchObject({ rows: 200 })
    expect(fileBytes).toBe(statSync(backup).size)
    expect(readdirSync(databases.root).filter((name) => name.includes('partial'))).toEqual([])
  })

  it('leaves the previous file unchanged if the connection is lost', async () => {
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

describe('writeBackup while others write', () => {
  it('is a consistent snapshot', async () => {
    const url = await databases.migrated()
    await query(url, "INSERT INTO parent (name) SELECT 'p' FROM generate_series(1, 1000)")
    // "a_child" comes before "parent": without a snapshot the child's parent would be missing.
    const writer = new pg.Client(url)
    await writer.connect()
    const writes: Promise<unknown>[] = []
    const summary = await writeBackup({
      connectionString: url,
      file: file('moment.backup'),
      now,
      onProgress: () => {
        writes.push(
          writer.query(`WITH p AS (INSERT INTO parent (name) VALUES ('new') RETURNING id)
            SELECT id FROM p`),
        )
      },
    })
    await Promise.all(writes)
    await writer.end()
    expect(summary.tables.find(({ table }) => table === 'parent')).toMatchObject({ rows: 1000 })
  })

  it('waits for a TRUNCATE in progress instead of showing an empty table', async () => {
    const url = await databases.migrated()
    const writer = new pg.Client(url)
    await writer.connect()
    await writer.query("BEGIN; TRUNCATE plan; INSERT INTO plan VALUES ('after', 1)")
    const running = writeBackup({ connectionString: url, file: file('truncate.backup'), now })
    await eventually(async () => {
      const rows = await query(url, "SELECT 1 FROM pg_locks WHERE NOT granted AND mode LIKE 'Acc%'")
      expect(rows).toHaveLength(1)
    })
    await writer.query('COMMIT')
    await writer.end()
    const { tables } = await running
    expect(tables.find(({ table }) => table === 'plan')).toMatchObject({ rows: 1 })
  })
})
