import { beforeAll, describe, expect, it } from 'vitest'
import { freshDatabaseUrl } from '#harness/database.ts'
import { EXAMPLE_B, type ScoreWorld, scoreWorld } from '#harness/scores.ts'
import { startTcpProxy } from '#harness/tcp-proxy.ts'

let w: ScoreWorld
let database: Awaited<ReturnType<typeof startTcpProxy>>
let agentId: string

beforeAll(async () => {
  database = await startTcpProxy(await freshDatabaseUrl())
  w = await scoreWorld({}, { databaseUrl: database.url })
  agentId = await w.agentWith(EXAMPLE_B)
  expect((await w.recompute(agentId)).status).toBe(200)
  await untilHeard()
})

/** Resolves after every notice before, of which one invalidates the score. */
async function untilHeard(): Promise<void> {
  const { notices, db } = w.t.app.kernel
  const heard = new Promise<void>((resolve) => notices.on('outage.test', () => resolve()))
  await notices.publish(db, 'outage.test', 'all')
  await heard
}

const read = (path: string) => w.t.call('GET', path)

describe('while the database is away', () => {
  it('scores and badges that were read before are shown, with their age', async () => {
    const paths = [`/v1/reputation/${agentId}`, `/v1/reputation/${agentId}/badge.svg`]
    const before = []
    for (const path of paths) before.push(await read(path))
    database.disconnect()
    for (const [at, path] of paths.entries()) {
      const stale = () => read(path)
      await expect.poll(async () => (await stale()).headers['warning']).toBeDefined()
      const answer = await stale()
      expect(answer).toMatchObject({ status: 200, text: before[at]?.text })
      expect(answer.headers).toMatchObject({
        warning: '110 - "Response is Stale"',
        'x-touchstone-stale': expect.stringMatching(/^\d+$/),
        'cache-control': 'no-store',
      })
    }
    const other = await read(`/v1/reputation/${agentId}/history`)
    expect(other).toMatchObject({ status: 503, body: { error: 'unavailable' } })
    database.reconnect()
    await expect.poll(async () => (await read(paths[0] ?? '')).headers['warning']).toBeUndefined()
  })
})
