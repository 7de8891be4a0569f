import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { migrate } from './migrate.ts'

const DIR = fileURLToPath(new URL('../../../../migrations', import.meta.url))

const adminUrl = () => inject('postgresUrl')

async function query(url: string, statement: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

let made = 0

/** An empty database, owned by a dedicated user if one is given. */
async function emptyDatabase(user?: { attributes: string }): Promise<string> {
  made += 1
  const name = `migrate_${process.pid}_${made}`
  if (user !== undefined) {
    await query(adminUrl(), `create role ${name} login password 'p' ${user.attributes}`)
  }
  await query(adminUrl(), `create database ${name} ${user === undefined ? '' : `owner ${name}`}`)
  afterAll(async () => {
    await query(adminUrl(), `drop database ${name} with (force)`)
    if (user !== undefined) await query(adminUrl(), `drop owned by ${name}; drop role ${name}`)
  })
  const url = new URL(adminUrl())
  url.pathname = `/${name}`
  if (user !== undefined) {
    url.username = name
    url.password = 'p'
  }
  return url.href
}

async function folder(files: Record<string, string>): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'touchstone-migrations-'))
  afterAll(() => rm(dir, { recursive: true, force: true }))
  for (const [name, sql] of Object.entries(files)) await writeFile(join(dir, name), sql)
  return dir
}

describe('migrate', () => {
  it('applies every file once, in order, even if nodes start concurrently', async () => {
    const connectionString = await emptyDatabase()
    const applied: string[] = []
    const run = () =>
      migrate({ connectionString, dir: DIR, onApplied: (name) => void applied.push(name) })
    await Promise.all([run(), run(), run()])
    expect(applied).toEqual((await readdir(DIR)).sort())
  })

  it('gives up when another process holds the lock, and names it', async () => {
    const connectionString = await emptyDatabase()
    const holder = new pg.Client({ connectionString, application_name: 'touchstone all node-1 7' })
    await holder.connect()
    await holder.query('begin')
    await holder.query('select pg_advisory_xact_lock(7460318201)')
    const { rows } = await holder.query('select pg_backend_pid() as pid')
    const waiting = migrate({ connectionString, dir: DIR, lockMsMax: 50 })
    await expect(waiting).rejects.toThrow(
      new RegExp(`waited 0.05 s: pid ${rows[0].pid} \\(touchstone all node-1 7\\), since 20`),
    )
    await holder.end()
    await migrate({ connectionString, dir: DIR })
  })

  it('rolls a failed file back completely', async () => {
    const connectionString = await emptyDatabase()
    const dir = await folder({ '0001_bad.sql': 'create table half (a int); select 1/0;' })
    await expect(migrate({ connectionString, dir })).rejects.toThrow('0001_bad.sql')
    const tables = await query(connectionString, "select to_regclass('half') as half")
    expect(tables).toEqual([{ half: null }])
  })

  it('refuses a database of a newer version and files edited after they were applied', async () => {
    const connectionString = await emptyDatabase()
    const first = { '0001_a.sql': 'create table a (x int);' }
    await migrate({
      connectionString,
      dir: await folder({ ...first, '0002_b.sql': 'create table b (x int);' }),
    })
    const older = migrate({ connectionString, dir: await folder(first) })
    await expect(older).rejects.toThrow('newer version')
    const changed = await folder({ '0001_a.sql': 'create table a (y int);', '0002_b.sql': '' })
    await expect(migrate({ connectionString, dir: changed })).rejects.toThrow('was changed')
  })

  const A = { '0001_a.sql': 'create table a (x int);' }
  const B = { '0002_b.sql': 'create table b (x int);' }

  it.each([
    ['the next release', '1.5.0', undefined],
    [
      'a release beyond it',
      '1.6.0',
      '0002_b.sql of version 1.6.0, which this version, 1.4.2, does not',
    ],
  ])('works on a database of the next release only: %s', async (_, newer, refusal) => {
    const connectionString = await emptyDatabase()
    await migrate({ connectionString, dir: await folder({ ...A, ...B }), version: newer })
    const older = { connectionString, dir: await folder(A), version: '1.4.2' }
    if (refusal === undefined) await migrate(older)
    else await expect(migrate(older)).rejects.toThrow(refusal)
  })

  it('refuses to change tables under nodes older than the last release, and names them', async () => {
    const connectionString = await emptyDatabase()
    await migrate({ connectionString, dir: await folder(A), version: '1.4.0' })
    const upgrade = async (version: string) =>
      migrate({ connectionString, dir: await folder({ ...A, ...B }), version })
    const name = 'touchstone api node-1 77 1.4.0'
    const node = new pg.Client({ connectionString, application_name: name })
    await node.connect()
    await expect(upgrade('1.6.0')).rejects.toThrow(name)
    expect(await query(connectionString, "select to_regclass('b') as b")).toEqual([{ b: null }])
    await upgrade('1.5.0')
    await node.end()
  })

  it('creates indexes while rows are written, and replaces one that failed half-way', async () => {
    const connectionString = await emptyDatabase()
    await migrate({ connectionString, dir: await folder(A) })
    const index = 'create unique index concurrently a_by_x on a (x)'
    const dir = await folder({
      ...A,
      '0002_b.sql': `-- test: an index\n-- concurrently\n${index};`,
    })
    await query(connectionString, 'insert into a values (1), (1)')
    await expect(migrate({ connectionString, dir })).rejects.toThrow('0002_b.sql')
    await query(connectionString, 'truncate a')
    const writer = new pg.Client({ connectionString })
    await writer.connect()
    await writer.query('begin; insert into a values (1)')
    const migrating = migrate({ connectionString, dir })
    const waits =
      "select from pg_stat_activity where query like '%concurrently%' and state = 'active' and wait_event_type = 'Lock'"
    await expect.poll(async () => (await query(connectionString, waits)).length).toBe(1)
    // The index does not keep others from writing.
    await query(connectionString, 'insert into a values (2)')
    await writer.query('commit')
    await migrating
    await writer.end()
    const valid = "select indisvalid from pg_index where indexrelid = 'a_by_x'::regclass"
    expect(await query(connectionString, valid)).toEqual([{ indisvalid: true }])
  })

  it('creates them while other nodes wait for their turn', async () => {
    const connectionString = await emptyDatabase()
    await migrate({ connectionString, dir: await folder(A) })
    const index = 'create index concurrently a_by_x on a (x)'
    const dir = await folder({
      ...A,
      '0002_b.sql': `-- test: an index\n-- concurrently\n${index};`,
    })
    const run = () => migrate({ connectionString, dir, lockMsMax: 20_000 })
    await Promise.all([run(), run(), run()])
    const valid = "select indisvalid from pg_index where indexrelid = 'a_by_x'::regclass"
    expect(await query(connectionString, valid)).toEqual([{ indisvalid: true }])
  })

  it.each(['createrole', ''])('lets a database user with "%s" purge', async (attributes) => {
    // The template database of this run already created the role, as an administrator would.
    const connectionString = await emptyDatabase({ attributes })
    const user = new URL(connectionString).username
    if (attributes === '') {
      await expect(migrate({ connectionString, dir: DIR })).rejects.toThrow(
        'GRANT touchstone_purge',
      )
    }
    await query(adminUrl(), `grant touchstone_purge to ${user}`)
    await migrate({ connectionString, dir: DIR })
    await query(
      connectionString,
      `insert into audit_entry values
        ('a', null, 'x', 'system', 'system', null, 't', 'i', '{}', null, null, now())`,
    )
    await expect(query(connectionString, 'delete from audit_entry')).rejects.toThrow(
      'never changed',
    )
    await expect(query(connectionString, 'truncate audit_entry')).rejects.toThrow('never changed')
    const update = query(connectionString, "update audit_entry set action = 'y'")
    await expect(update).rejects.toThrow('never changed')
    await query(
      connectionString,
      'begin; set local role touchstone_purge; delete from audit_entry; commit',
    )
    expect(await query(connectionString, 'select * from audit_entry')).toEqual([])
  })
})

describe('0060_webhook_due', () => {
  it('keeps every unfinished delivery due, whichever worker leased it', async () => {
    const connectionString = await emptyDatabase()
    const before = (await readdir(DIR)).filter((name) => name < '0060').sort()
    const texts = before.map(async (name) => [name, await readFile(join(DIR, name), 'utf8')])
    const dir = await folder(Object.fromEntries(await Promise.all(texts)))
    await migrate({ connectionString, dir, onApplied: () => undefined })
    const states = [
      "('pending', now(), null, 0)",
      "('delivering', now() + interval '30 s', 'w', 0)",
      "('retrying', now(), null, 1)",
      "('delivering', now() + interval '30 s', 'w', 2)",
      "('delivered', null, null, 1)",
      "('failed', null, null, 6)",
    ]
    await query(
      connectionString,
      `insert into webhook_delivery (delivery_id, event_id, endpoint_id, org_id, event_type, cause,
         status, due_at, claim, attempt_count, created_at, updated_at)
       select gen_random_uuid(), gen_random_uuid(), 'ep', 'org', 't', 'event',
         s.status, s.due_at::timestamptz, s.claim, s.attempts, now(), now()
       from (values ${states.join(', ')}) as s (status, due_at, claim, attempts)`,
    )
    await migrate({ connectionString, dir: DIR, onApplied: () => undefined })
    const rows = await query(
      connectionString,
      `select d.status, d.attempt_count as tried, w.due_at <= now() as due, w.leased_until <= now() as free
       from webhook_delivery d left join webhook_due w on w.seq = d.seq order by d.attempt_count, d.status`,
    )
    expect(rows).toEqual([
      { status: 'pending', tried: 0, due: true, free: true },
      { status: 'pending', tried: 0, due: true, free: true },
      { status: 'delivered', tried: 1, due: null, free: null },
      { status: 'retrying', tried: 1, due: true, free: true },
      { status: 'retrying', tried: 2, due: true, free: true },
      { status: 'failed', tried: 6, due: null, free: null },
    ])
  })
})
