import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { expect, it } from 'vitest'
import { eventually } from '#harness/eventually.ts'
import { onFileFinished } from '#harness/on-file-finished.ts'
import { startService } from '#harness/process.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'
import { startCluster } from '../../packages/server/src/postgres/cluster.ts'

const DATABASE = 'touchstone'

async function start(dataDir: string, settings: Record<string, string>) {
  const cluster = await startCluster({
    dataDir,
    packageName: process.env['TEST_POSTGRES_PACKAGE'],
    settings: { fsync: 'off', wal_level: 'replica', max_connections: '60', ...settings },
  })
  onFileFinished(() => cluster.stop())
  return cluster
}

async function query(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

it('a base backup and archived WAL restore the service to a point in time', async () => {
  const dir = await temporaryDir()
  const folders = {
    original: join(dir, 'original'),
    base: join(dir, 'base'),
    archive: join(dir, 'archive'),
  }
  await mkdir(folders.archive)
  // As root the server runs as another user.
  await chmod(folders.archive, 0o777)
  const archiving = {
    archive_mode: 'on',
    archive_command: `cp %p ${folders.archive}/%f`,
  }
  // A stopped server is a complete base backup of itself.
  await (await start(folders.original, archiving)).stop()
  for (const part of ['', '.password']) {
    await promisify(execFile)('cp', ['-a', folders.original + part, folders.base + part])
  }
  const original = await start(folders.original, archiving)
  await query(original.url(), `create database ${DATABASE}`)
  const env = {
    DATABASE_URL: original.url(DATABASE),
    SECRET_KEY: randomBytes(32).toString('base64'),
    DATA_DIR: await temporaryDir(),
  }
  const service = await startService(env)
  const credentials = await readFile(join(env.DATA_DIR, 'credentials.json'), 'utf8')
  const token: string = JSON.parse(credentials).api_key
  const create = async (agentId: string) => {
    const { status } = await service.call('POST', '/v1/agents', {
      token,
      body: { agent_id: agentId },
    })
    expect(status).toBe(201)
  }
  await create('before')
  const [{ moment } = {}] = await query(original.url(), 'select now()::text as moment')
  await create('by-mistake')
  await service.end()
  const [{ segment } = {}] = await query(
    original.url(),
    'select pg_walfile_name(pg_switch_wal()) as segment',
  )
  await eventually(() => readFile(join(folders.archive, String(segment))))
  await original.stop()

  await writeFile(join(folders.base, 'recovery.signal'), '')
  const restored = await start(folders.base, {
    restore_command: `cp ${folders.archive}/%f %p`,
    recovery_target_time: String(moment),
    recovery_target_action: 'promote',
  })
  await eventually(async () => {
    const rows = await query(restored.url(), 'select pg_is_in_recovery() as recovering')
    expect(rows).toEqual([{ recovering: false }])
  })
  const again = await startService({ ...env, DATABASE_URL: restored.url(DATABASE) })
  const get = (agentId: string) => again.call('GET', `/v1/agents/${agentId}`, { token })
  expect((await get('before')).status).toBe(200)
  expect((await get('by-mistake')).status).toBe(404)
  expect((await again.call('GET', '/health/writable')).status).toBe(200)
})
