import { describe, expect, it } from 'vitest'
import { testDatabase } from '#harness/database.ts'
import { eventually } from '#harness/eventually.ts'
import { startTcpProxy } from '#harness/tcp-proxy.ts'
import { transact } from './db.ts'
import { createNotices } from './notices.ts'

const database = await testDatabase()
const proxy = await startTcpProxy(database.connectionString)

async function listen() {
  const heard: string[] = []
  let resets = 0
  const errors: unknown[] = []
  const notices = createNotices({
    connectionString: proxy.url,
    onError: (err) => void errors.push(err),
  })
  notices.on('colour', (key) => void heard.push(key))
  notices.onReset(() => {
    resets += 1
  })
  await notices.start()
  const tell = (key: string) => transact(database.db, (tx) => notices.publish(tx, 'colour', key))
  return { notices, heard, tell, resets: () => resets }
}

describe('notices between nodes', () => {
  it('arrive after commit, and never after rollback', async () => {
    const { notices, heard, tell } = await listen()
    await tell('red')
    await eventually(() => expect(heard).toEqual(['red']))
    await expect(
      transact(database.db, async (tx) => {
        await notices.publish(tx, 'colour', 'blue')
        throw new Error('no')
      }),
    ).rejects.toThrow('no')
    await tell('green')
    await eventually(() => expect(heard).toEqual(['red', 'green']))
    await notices.stop()
  })

  it('reset listeners repeatedly while the connection is down, and arrive again afterwards', async () => {
    const { notices, heard, tell, resets } = await listen()
    proxy.disconnect()
    await eventually(() => expect(resets()).toBeGreaterThan(2))
    proxy.reconnect()
    await eventually(async () => {
      await tell('red')
      expect(heard).toContain('red')
    })
    await notices.stop()
  })

  it('are not live until the connection has proved itself again', async () => {
    const { notices } = await listen()
    await eventually(() => expect(notices.isLive()).toBe(true))
    proxy.blackhole()
    await eventually(() => expect(notices.isLive()).toBe(false))
    await eventually(() => expect(notices.isLive()).toBe(true))
    await notices.stop()
  })

  it('reset listeners while the connection does not respond, which is then replaced', async () => {
    const { notices, heard, tell, resets } = await listen()
    proxy.blackhole()
    await eventually(() => expect(resets()).toBeGreaterThan(2))
    await eventually(async () => {
      await tell('red')
      expect(heard).toContain('red')
    })
    await notices.stop()
  })
})
