import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '#harness/eventually.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { compileFolder, firstLine } from './compiled.fixture.ts'
import { findProcess } from './processes.ts'

/** A service that starts a database, prints its address, and never stops it. */
const SERVICE = `
import { startCluster } from '../postgres/cluster.js'
const cluster = await startCluster({ dataDir: process.argv[2], settings: { fsync: 'off' } })
console.log(JSON.stringify({ pid: cluster.pid, port: cluster.port, url: cluster.url() }))
setInterval(() => {}, 1000)
`

let root: string
let dataDir: string
let service: ReturnType<typeof compileFolder>

beforeAll(() => {
  service = compileFolder()
})

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'killed-'))
  dataDir = join(root, 'postgres')
})

afterAll(() => {
  service.remove()
})

afterEach(() => {
  rmSync(root, { recursive: true, force: true, maxRetries: 5 })
})

async function kill(child: ChildProcess): Promise<void> {
  const exit = child.exitCode ?? child.signalCode ?? once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client(url)
  client.on('error', () => undefined)
  try {
    await client.connect()
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}

async function startKilledService(): Promise<{ pid: number; port: number; url: string }> {
  const child = service.run(SERVICE, dataDir)
  const place = JSON.parse(await firstLine(child)) as { pid: number; port: number; url: string }
  await query(place.url, 'CREATE TABLE kept AS SELECT 7 AS n')
  await kill(child)
  return place
}

describe('after kill -9 of the service', () => {
  it('the next one takes over the live database, watches it and stops it', async () => {
    const before = await startKilledService()
    expect(findProcess(before.pid)).toBeDefined()

    const cluster = await startCluster({ dataDir, settings: { fsync: 'off' } })
    try {
      expect(cluster).toMatchObject({ reused: true, pid: before.pid, port: before.port })
      expect(await query(cluster.url(), 'SELECT n FROM kept')).toEqual([{ n: 7 }])

      process.kill(before.pid, 'SIGKILL')
      await eventually(() => expect(cluster.pid).not.toBe(before.pid))
      expect(cluster.port).toBe(before.port)
      expect(await query(cluster.url(), 'SELECT n FROM kept')).toEqual([{ n: 7 }])
    } finally {
      await cluster.stop()
    }
  })

  it('a database that was taken over is stopped like any other', async () => {
    const before = await startKilledService()
    const cluster = await startCluster({ dataDir })
    await cluster.stop()
    expect(findProcess(before.pid)).toBeUndefined()
  })

  it('the next one recovers if the database was killed with it', async () => {
    const before = await startKilledService()
    process.kill(before.pid, 'SIGKILL')
    const cluster = await startCluster({ dataDir, settings: { fsync: 'off' } })
    try {
      expect(cluster.reused).toBe(false)
      expect(await query(cluster.url(), 'SELECT n FROM kept')).toEqual([{ n: 7 }])
    } finally {
      await cluster.stop()
    }
  })

  it('the next one recovers, at whatever point of the first start it was killed', async () => {
    for (const ms of [100, 250, 400, 600]) {
      dataDir = join(root, `at-${ms}`)
      const child = service.run(SERVICE, dataDir)
      await sleep(ms)
      await kill(child)
      const cluster: Cluster = await startCluster({ dataDir, settings: { fsync: 'off' } })
      try {
        expect(await query(cluster.url(), 'SELECT 1 AS one')).toEqual([{ one: 1 }])
      } finally {
        await cluster.stop()
      }
    }
  })
})
