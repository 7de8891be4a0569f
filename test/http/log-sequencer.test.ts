import {
  consistencyProofFromTiles,
  parseLogCheckpoint,
  readBundle,
  rootFromTiles,
  type TileReader,
  tileInTree,
  tilePath,
} from '@touchstone/protocol/log'
import { leafHash, merkleRoot, verifyConsistency } from '@touchstone/protocol/merkle'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { CARD, textOf } from '#harness/checkpoints.ts'
import { createIdentity } from '../../packages/server/src/areas/log/sequencer/identity-service.ts'

let t: TestApp

const register = async (app: TestApp, agentId: string) => {
  const body = { agent_id: agentId, card: CARD }
  const answer = await app.call('POST', '/v1/agents', { token: app.first.api_key, body })
  expect(answer.status, answer.text).toBe(201)
}

/** Stores checkpoints, each of which is an entry. */
const fill = async (app: TestApp, agentId: string, count: number) => {
  for (let from = 0; from < count; from += 50) {
    const checkpoints = Array.from({ length: Math.min(50, count - from) }, (_, n) => ({
      agent_id: agentId,
      session_id: 's1',
      thinking: textOf(from + n),
    }))
    const url = '/v1/checkpoints/batch'
    const answer = await app.call('POST', url, { token: app.first.api_key, body: { checkpoints } })
    expect(answer.status, answer.text).toBe(200)
  }
}

const checkpointOf = async (app: TestApp) => {
  const parsed = parseLogCheckpoint((await app.call('GET', '/log/checkpoint')).text)
  if (!parsed.ok) throw new Error(parsed.reason)
  return parsed.value
}

/** Reads tiles as a stranger does. */
const readerOf =
  (app: TestApp): TileReader =>
  async (tile) => {
    const answer = await app.app.server.inject(`/log/${tilePath(tile)}`)
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    return answer.rawPayload
  }

const entriesOf = async (app: TestApp, size: number): Promise<Uint8Array[]> => {
  const entries: Uint8Array[] = []
  for (let index = 0; entries.length < size; index += 1) {
    const tile = tileInTree(0, index, size)
    if (tile === undefined) throw new Error('no such tile')
    const path = tilePath(tile).replace('tile/0/', 'tile/entries/')
    const bundle = readBundle((await app.app.server.inject(`/log/${path}`)).rawPayload, tile.width)
    if (bundle === undefined) throw new Error(`${path} is malformed`)
    entries.push(...bundle)
  }
  return entries
}

const expectWhole = async (app: TestApp) => {
  const { size, root } = await checkpointOf(app)
  expect(await rootFromTiles(size, readerOf(app))).toEqual(root)
  const entries = await entriesOf(app, size)
  expect(merkleRoot(entries.map(leafHash))).toEqual(root)
  expect(new Set(entries.map((entry) => Buffer.from(entry).toString())).size).toBe(size)
  return size
}

const countOf = async (app: TestApp, table: string): Promise<number> => {
  const found = await sql<{ n: number }>`select count(*)::int as n
    from ${sql.table(table)}`.execute(app.app.kernel.db)
  return found.rows[0]?.n ?? 0
}

beforeAll(async () => {
  t = await testApp()
  await register(t, 'clerk')
})

describe('the sequencer', () => {
  it('makes a tree over all entries whose tiles anybody can read', async () => {
    await t.app.sequenceLog()
    const first = await checkpointOf(t)
    await fill(t, 'clerk', 300)
    expect(await t.app.sequenceLog()).toBe(300)
    await fill(t, 'clerk', 20)
    await t.app.sequenceLog()
    const size = await expectWhole(t)
    expect(size).toBe(first.size + 320)
    expect(await countOf(t, 'log_pending')).toBe(0)
    expect(await countOf(t, 'log_round')).toBe(0)
    const second = await checkpointOf(t)
    const sizes = { first: first.size, second: second.size }
    const url = `/v1/log/consistency?from=${first.size}`
    const { body } = await t.call('GET', url)
    const proof = body.hashes.map((hash: string) => new Uint8Array(Buffer.from(hash, 'base64')))
    expect(proof).toEqual(await consistencyProofFromTiles(sizes, readerOf(t)))
    const roots = { firstRoot: first.root, secondRoot: second.root }
    expect(verifyConsistency({ ...sizes, ...roots, proof })).toBe(true)
  })

  it('keeps no partial tile beside the full one, and none that no checkpoint has', async () => {
    const found = await sql<{ path: string }>`select path from log_tile
      where path like 'tile/0/000%' or path like 'tile/entries/000%' order by path`.execute(
      t.app.kernel.db,
    )
    expect(found.rows.map(({ path }) => path)).toEqual(['tile/0/000', 'tile/entries/000'])
    expect((await t.call('GET', '/log/tile/0/000.p/999')).status).toBe(404)
    expect((await t.call('GET', '/log/tile/0/x000/000')).status).toBe(404)
    expect((await t.call('GET', '/log/tile/0/000/000')).status).toBe(404)
  })

  it('runs on one process at a time, whoever is asked', async () => {
    const other = await testApp({ databaseUrl: t.databaseUrl, clock: t.clock })
    await fill(t, 'clerk', 100)
    const before = await checkpointOf(t)
    const asked = await Promise.allSettled([
      t.app.sequenceLog(),
      other.app.sequenceLog(),
      other.app.sequenceLog(),
      t.app.sequenceLog(),
    ])
    const done = asked.map((one) => (one.status === 'fulfilled' ? one.value : 0))
    await t.app.sequenceLog()
    expect(done.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(100)
    expect(await expectWhole(t)).toBe(before.size + 100)
  })

  it('enters a record once, even if it was queued twice', async () => {
    await t.app.sequenceLog()
    const size = await expectWhole(t)
    await sql`insert into log_pending (org_id, agent_id, type, record_id, record, at, queued_at)
      select org_id, agent_id, type, record_id, record, now(), now() from log_entry, generate_series(1, 2)
      where log_index < 5`.execute(t.app.kernel.db)
    await t.app.sequenceLog()
    expect(await expectWhole(t)).toBe(size)
    expect(await countOf(t, 'log_pending')).toBe(0)
  })

  it('finishes the round of a process that died, with the same entries', async () => {
    await fill(t, 'clerk', 10)
    const { db } = t.app.kernel
    // The tiles cannot be stored, as if the process died just before.
    await sql`alter table log_tile add constraint broken check (path = '') not valid`.execute(db)
    await expect(t.app.sequenceLog()).rejects.toThrow('broken')
    await sql`alter table log_tile drop constraint broken`.execute(db)
    const staged = await sql<{ entries: Buffer }>`select entries from log_round`.execute(db)
    const size = (await checkpointOf(t)).size
    await fill(t, 'clerk', 5)
    await t.app.sequenceLog()
    expect(await expectWhole(t)).toBe(size + 15)
    const entries = (await entriesOf(t, size + 15)).slice(size, size + 10)
    const lengths = entries.map((entry) => entry.length + 2)
    expect(lengths.reduce((sum, one) => sum + one, 0)).toBe(staged.rows[0]?.entries.length)
  })
})

describe('the name of the log', () => {
  it('never changes: another LOG_ORIGIN stops the start, and another BASE_URL does not', async () => {
    const { origin } = await checkpointOf(t)
    const { db, clock, secrets, logQueue: queue } = t.app.kernel
    const shared = { db, clock, secrets, queue, keyRecords: async () => [] }
    const baseUrl = 'https://moved.example.com'
    const renamed = createIdentity({ ...shared, baseUrl, origin: 'other.example/log' })
    await expect(renamed.signer()).rejects.toThrow(`the log is called ${origin}`)
    const moved = createIdentity({ ...shared, baseUrl, origin: undefined })
    expect((await moved.signer()).origin).toBe(origin)
  })
})

describe('erasure', () => {
  it('deletes the salt, after which nothing opens the entries that stay', async () => {
    await register(t, 'leaving')
    await fill(t, 'leaving', 3)
    const listed = await t.call('GET', '/v1/agents/leaving/checkpoints', { token: t.first.api_key })
    const [{ checkpoint_id: checkpointId }] = listed.body.checkpoints
    await t.app.sequenceLog()
    const url = `/v1/log/proof/${checkpointId}`
    expect((await t.call('GET', url, { token: t.first.api_key })).status).toBe(200)
    await fill(t, 'leaving', 1)
    const body = { confirm: 'leaving' }
    await t.call('POST', '/v1/agents/leaving/erase', { token: await t.ownerToken(), body })
    t.clock.advance(31 * 24 * 60 * 60 * 1000)
    await t.app.kernel.lifecycle.purge(t.clock.now(), () => undefined)
    expect((await t.call('GET', url, { token: t.first.api_key })).status).toBe(404)
    const left = await sql`select from log_salt where agent_id = 'leaving'`.execute(t.app.kernel.db)
    expect(left.rows).toHaveLength(0)
    await t.app.sequenceLog()
    await expectWhole(t)
  })
})

describe('tiles that were changed in the store', () => {
  it.each([
    ['a hash', 'tile/0/', 'root'],
    ['an entry', 'tile/entries/', 'entries'],
  ])('stop the log: %s', async (_, prefix, fault) => {
    const own = await testApp()
    await register(own, 'clerk')
    await fill(own, 'clerk', 20)
    await own.app.sequenceLog()
    const { size } = await checkpointOf(own)
    const { db } = own.app.kernel
    const path = `${prefix}000.p/${size}`
    const flip = () =>
      sql`update log_tile set tile = set_byte(tile, 40, get_byte(tile, 40) # 1)
        where path = ${path}`.execute(db)
    await flip()
    await fill(own, 'clerk', 1)
    await own.app.sequenceLog()
    expect((await checkpointOf(own)).size).toBe(size)
    const { log } = (await own.call('GET', '/health/ready')).body.checks
    expect(log).toMatchObject({ status: 'degraded', pending: 1 })
    expect(log.fault).toContain(fault)
    const decided = await own.call('POST', '/v1/gateway/decide', {
      token: own.first.api_key,
      body: { agent_id: 'clerk', tool: 'search' },
    })
    expect(decided.status).toBe(200)
    await flip()
    await own.app.sequenceLog()
    expect(await expectWhole(own)).toBe(size + 2)
    expect((await own.call('GET', '/health/ready')).body.checks.log.status).toBe('ok')
  })

  it.each(['tile/0/000', 'tile/entries/000'])('stop it wherever they are: %s', async (path) => {
    const own = await testApp()
    await register(own, 'clerk')
    await fill(own, 'clerk', 300)
    await own.app.sequenceLog()
    const { size } = await checkpointOf(own)
    const { db } = own.app.kernel
    const flip = () =>
      sql`update log_tile set tile = set_byte(tile, 777, get_byte(tile, 777) # 1)
        where path = ${path}`.execute(db)
    await flip()
    await fill(own, 'clerk', 1)
    await own.app.sequenceLog()
    await own.app.sequenceLog()
    expect((await checkpointOf(own)).size).toBe(size)
    const { log } = (await own.call('GET', '/health/ready')).body.checks
    expect(log).toMatchObject({ status: 'degraded', fault: expect.stringContaining(path) })
    await flip()
    await own.app.sequenceLog()
    expect(await expectWhole(own)).toBe(size + 1)
    expect((await own.call('GET', '/health/ready')).body.checks.log.status).toBe('ok')
  })

  it('are restored from a copy of the database only with the tiles that belong to it', async () => {
    const own = await testApp()
    await register(own, 'clerk')
    await fill(own, 'clerk', 5)
    await own.app.sequenceLog()
    const { db } = own.app.kernel
    // A newer tile than the checkpoint knows, of other entries.
    const { size } = await checkpointOf(own)
    await sql`insert into log_tile (path, tile)
      values (${`tile/0/000.p/${size + 1}`}, '\\x00')`.execute(db)
    await fill(own, 'clerk', 1)
    await own.app.sequenceLog()
    const { log } = (await own.call('GET', '/health/ready')).body.checks
    expect(log.fault).toContain('stored with other bytes')
  })
})
