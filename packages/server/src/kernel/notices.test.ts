import { describe, expect, it } from 'vitest'
import { testDatabase } from '#harness/database.ts'
import { eventually } from '#harness/eventually.ts'
import { cuttableLine } from '#harness/proxy.ts'
import { transact } from './db.ts'
import { createNotices } from './notices.ts'

const database = await testDatabase()
const line = await cuttableLine(database.connectionString)

async function listen() {
  const heard: string[] = []
  let resets = 0
  const errors: unknown[] = []
  const notices = createNotices({
    connectionString: line.url,
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

describe('a line between nodes', () => {
  it('brings words once their transaction is through, and none without it', async () => {
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

  it('resets again and again while it is cut, and brings words when it is mended', async () => {
    const { notices, heard, tell, resets } = await listen()
    line.cut()
    await eventually(() => expect(resets()).toBeGreaterThan(2))
    line.mend()
    await eventually(async () => {
      await tell('red')
      expect(heard).toContain('red')
    })
    await notices.stop()
  })

  it('resets while it is silent without being cut, and is given up for another', async () => {
    const { notices, heard, tell, resets } = await listen()
    line.silence()
    await eventually(() => expect(resets()).toBeGreaterThan(2))
    await eventually(async () => {
      await tell('red')
      expect(heard).toContain('red')
    })
    await notices.stop()
  })
})
