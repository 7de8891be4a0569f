import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contents, createDatabases, type Databases, fill, query } from './database.fixture.ts'
import { restoreBackup } from './restore-backup.ts'
import { verifyBackup } from './verify-backup.ts'
import { writeBackup } from './write-backup.ts'

const now = new Date('2026-01-02T03:04:05.678Z')

/** By platform: there is no build of PostgreSQL 14 for arm64. */
const OLDEST_POSTGRES = new Map([
  ['linux-x64', 'postgres-14-linux-x64'],
  ['linux-arm64', 'postgres-15-linux-arm64'],
]).get(`${process.platform}-${process.arch}`)

let databases: Databases
let source: string
let backup: string

beforeAll(async () => {
  databases = await createDatabases()
  source = await databases.migrated()
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

describe('restoreBackup', () => {
  it('restores every value, partition and sequence', async () => {
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
      "INSERT INTO parent (name) VALUES ('next') RETURNING id::text, nextval('ticket')::text AS ticket",
    )
    expect(next).toEqual([{ id: '6', ticket: '110' }])
    await expect(query(target, 'DELETE FROM evidence')).rejects.toThrow('insert-only')
    await expect(query(target, 'INSERT INTO a_child (parent_id) VALUES (99)')).rejects.toThrow(
      'foreign key',
    )
  })

  it('restores a large database, and writeBackup writes it, in bounded memory', async () => {
    const rows = 300_000
    const from = await databases.migrated()
    await query(
      from,
      `INSERT INTO big SELECT i, repeat(md5(i::text), 32) FROM generate_series(1, ${rows}) i`,
    )
    const target = await databases.migrated()
    const large = file('large.backup')
    const memory = watchMemory()
    const { tables } = await writeBackup({ connectionString: from, file: large, now })
    await restoreBackup({ connectionString: target, file: large })
    const growth = memory.stop()

    const bytes = tables.find(({ table }) => table === 'big')?.bytes ?? 0
    expect(bytes).toBeGreaterThan(300_000_000)
    expect(growth).toBeLessThan(bytes / 4)
    const checksum = 'SELECT count(*)::int AS n, sum(hashtext(body))::text AS sum FROM big'
    expect(await query(target, checksum)).toEqual(await query(from, checksum))
  })
})

describe('a damaged file', () => {
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

  it('refuses a truncated or extended file', async () => {
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
})

describe('a database that is not fresh', () => {
  it('refuses a database with data, even one row', async () => {
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

  it('does not mistake data rewritten by an upgrade for rows of the schema', async () => {
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

  it('refuses a second restore', async () => {
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
})

describe('a restore that cannot go on', () => {
  it('rolls everything back, including sequences, if a row does not fit', async () => {
    const target = await databases.migrated()
    await query(target, "ALTER TABLE varied ADD CONSTRAINT c CHECK (body <> '')")
    const before = await contents(target)
    await expect(restoreBackup({ connectionString: target, file: backup })).rejects.toThrow(
      'violates check constraint',
    )
    expect(await contents(target)).toEqual(before)
  })

  it('explains that the user lacks the permission to disable triggers', async () => {
    const target = await databases.migrated()
    const role = 'plain_user'
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

  it('says that the service must be stopped if it holds locks', async () => {
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

describe.runIf(OLDEST_POSTGRES !== undefined)('the oldest supported PostgreSQL', () => {
  it('writes backups that 18 restores, and the reverse', async () => {
    const old = await createDatabases(OLDEST_POSTGRES)
    try {
      const oldTarget = await old.migrated()
      await restoreBackup({ connectionString: oldTarget, file: backup })
      expect(await contents(oldTarget)).toEqual(await contents(source))

      const oldBackup = file('oldest.backup')
      await writeBackup({ connectionString: oldTarget, file: oldBackup, now })
      const target = await databases.migrated()
      await restoreBackup({ connectionString: target, file: oldBackup })
      expect(await contents(target)).toEqual(await contents(source))
    } finally {
      await old.remove()
    }
  })
})

/**
 * Samples how much memory is in use after a garbage collection. The resident size would not do: it
 * includes garbage, of which a process that has run other test files may have any amount.
 */
function watchMemory() {
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  const inUse = () => {
    collectGarbage()
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  const start = inUse()
  let peak = start
  let timer: NodeJS.Timeout
  // A collection takes long in a process with much memory: at most a twentieth of the time is for it.
  const sample = (): void => {
    const beganMs = performance.now()
    peak = Math.max(peak, inUse())
    timer = setTimeout(sample, 100 + 20 * (performance.now() - beganMs))
  }
  timer = setTimeout(sample, 100)
  return {
    /** Returns by how many bytes memory in use grew at most. */
    stop(): number {
      clearTimeout(timer)
      return peak - start
    },
  }
}
