import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { testDatabase } from '#harness/database.ts'
import { onFileFinished } from '#harness/on-file-finished.ts'
import { S3_KEY, S3_REGION, type S3Server, startS3Server } from '#harness/s3-server.ts'
import { createDatabaseTileStore } from './database-tile-store.ts'
import { createFileTileStore } from './file-tile-client.ts'
import { createS3TileStore } from './s3-tile-client.ts'
import { TileConflict, type TileStore } from './tile-store.ts'

let folder: string
let server: S3Server
const stores = new Map<string, TileStore>()

const s3 = (over: { secretAccessKey?: string } = {}) =>
  createS3TileStore({
    endpoint: server.endpoint,
    region: S3_REGION,
    bucket: 'evidence',
    prefix: 'logs/one/',
    ...S3_KEY,
    ...over,
  })

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'touchstone-tiles-'))
  onFileFinished(() => rm(folder, { recursive: true }))
  server = await startS3Server()
  stores.set('the database', createDatabaseTileStore((await testDatabase()).db))
  stores.set('files', createFileTileStore(folder))
  stores.set('S3', s3())
})

const tile = (path: string, fill: number) => ({ path, bytes: new Uint8Array(64).fill(fill) })

describe.each(['the database', 'files', 'S3'])('tiles in %s', (name) => {
  const store = () => stores.get(name) as TileStore

  it('are read as they were stored, and are missing before', async () => {
    expect(await store().get('tile/0/x001/000')).toBeUndefined()
    await store().putAll([tile('tile/0/x001/000', 1), tile('tile/entries/x001/000', 2)])
    expect([...((await store().get('tile/0/x001/000')) ?? [])]).toEqual(Array(64).fill(1))
    expect([...((await store().get('tile/entries/x001/000')) ?? [])]).toEqual(Array(64).fill(2))
  })

  it('can be stored again, but not with other bytes', async () => {
    await store().putAll([tile('tile/0/001', 1)])
    await store().putAll([tile('tile/0/001', 1), tile('tile/0/002', 2)])
    await expect(store().putAll([tile('tile/0/002', 3)])).rejects.toThrow(TileConflict)
    expect([...((await store().get('tile/0/002')) ?? [])]).toEqual(Array(64).fill(2))
  })

  it('lose the partial ones of one tile, and no others', async () => {
    const paths = ['tile/0/003', 'tile/0/003.p/1', 'tile/0/003.p/255', 'tile/0/004.p/1']
    await store().putAll(paths.map((path) => tile(path, 3)))
    await store().deletePartials('tile/0/003')
    await store().deletePartials('tile/0/009')
    const left = await Promise.all(paths.map((path) => store().get(path)))
    expect(left.map((bytes) => bytes !== undefined)).toEqual([true, false, false, true])
  })

  it('are stored once by processes that do so at the same time', async () => {
    const many = Array.from({ length: 40 }, (_, n) =>
      tile(`tile/1/${String(n).padStart(3, '0')}`, n),
    )
    await Promise.all([store().putAll(many), store().putAll(many), store().putAll(many)])
    const read = await Promise.all(many.map(({ path }) => store().get(path)))
    expect(read.map((bytes) => bytes?.[0])).toEqual(many.map((_, n) => n))
  })
})

describe('files', () => {
  it('leave nothing else in the folder', async () => {
    const names = await readdir(folder, { recursive: true })
    expect(names.filter((name) => name.includes('writing'))).toEqual([])
  })
})

describe('S3', () => {
  it('has them below the prefix, each put on the condition that there is none', () => {
    expect([...server.objects.keys()].every((key) => key.startsWith('logs/one/tile/'))).toBe(true)
    expect(server.conditional()).toBeGreaterThanOrEqual(server.objects.size)
  })

  it('is asked again while it is busy, but not for ever', async () => {
    server.fail([503, 500])
    await s3().putAll([tile('tile/0/100', 1)])
    server.fail([503, 503, 503, 503])
    await expect(s3().get('tile/0/100')).rejects.toThrow('answered 503')
  })

  it('refuses a wrong secret', async () => {
    const wrong = s3({ secretAccessKey: 'another' })
    await expect(wrong.get('tile/0/100')).rejects.toThrow('SignatureDoesNotMatch')
  })
})
