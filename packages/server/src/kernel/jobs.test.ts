import { describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { testDatabase, testNotices } from '#harness/database.ts'
import { eventually } from '#harness/eventually.ts'
import { MINUTE_MS, SECOND_MS } from './clock.ts'
import { transact } from './db.ts'
import { createJobs } from './jobs.ts'
import { createSchedules } from './schedules.ts'

async function setUp() {
  const database = await testDatabase()
  const notices = await testNotices(database)
  const clock = testClock()
  const errors: unknown[] = []
  const node = (name: string) =>
    createJobs({ db: database.db, clock, notices, node: name, onError: (err) => errors.push(err) })
  return { db: database.db, clock, notices, node, errors }
}

describe('jobs', () => {
  it('runs committed jobs, but not those rolled back', async () => {
    const { db, node } = await setUp()
    const jobs = node('a')
    const seen: unknown[] = []
    jobs.handle('greet', async (payload) => void seen.push(payload))
    await transact(db, (tx) => jobs.enqueue(tx, 'greet', { name: 'kept' }))
    await transact(db, async (tx) => {
      await jobs.enqueue(tx, 'greet', { name: 'lost' })
      throw new Error('undo')
    }).catch(() => undefined)
    await jobs.runDue()
    expect(seen).toEqual([{ name: 'kept' }])
    expect(await jobs.runDue()).toBe(0)
  })

  it('distributes jobs over nodes without running one twice', async () => {
    const { db, node } = await setUp()
    const nodes = [node('a'), node('b'), node('c')]
    const seen: number[] = []
    for (const jobs of nodes) jobs.handle('count', async (n) => void seen.push(Number(n)))
    await transact(db, async (tx) => {
      for (let n = 0; n < 60; n += 1) await nodes[0]?.enqueue(tx, 'count', n)
    })
    while ((await Promise.all(nodes.map((jobs) => jobs.runDue()))).some((ran) => ran > 0));
    expect(seen.sort((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, n) => n))
  })

  it('separates the jobs of different prefixes', async () => {
    const { db, clock, notices } = await setUp()
    const common = { db, clock, notices, node: 'a', onError: () => undefined }
    const [plain, apart] = [createJobs(common), createJobs({ ...common, prefix: 'apart/' })]
    const seen: unknown[] = []
    plain.handle('greet', async (name) => void seen.push(['plain', name]))
    apart.handle('greet', async (name) => void seen.push(['apart', name]))
    await transact(db, async (tx) => {
      await plain.enqueue(tx, 'greet', 1)
      await apart.enqueue(tx, 'greet', 2)
    })
    expect([await plain.runDue(), await plain.runDue(), await apart.runDue()]).toEqual([1, 0, 1])
    expect(seen).toEqual([
      ['plain', 1],
      ['apart', 2],
    ])
  })

  it('retries a failing job with back-off and dead-letters it after the last attempt', async () => {
    const { db, node, clock, errors } = await setUp()
    const jobs = node('a')
    let tries = 0
    const retry = { attemptsMax: 3, delayMs: () => MINUTE_MS }
    jobs.handle(
      'fail',
      async () => {
        tries += 1
        throw new Error('no')
      },
      retry,
    )
    await transact(db, (tx) => jobs.enqueue(tx, 'fail', null))
    for (let round = 0; round < 6; round += 1) {
      await jobs.runDue()
      await jobs.runDue()
      clock.advance(MINUTE_MS)
    }
    expect(tries).toBe(3)
    expect(errors).toHaveLength(3)
  })

  it('takes over the job of a crashed worker', async () => {
    const { db, node, clock } = await setUp()
    const dead = node('dead')
    const alive = node('alive')
    let finish: () => void = () => undefined
    const forever = new Promise<void>((resolve) => {
      finish = resolve
    })
    dead.handle('work', () => forever)
    const done: string[] = []
    alive.handle('work', async () => void done.push('alive'))
    await transact(db, (tx) => dead.enqueue(tx, 'work', null))
    const hanging = dead.runDue()
    await expect.poll(() => alive.runDue()).toBe(0)
    clock.advance(61 * SECOND_MS)
    expect(await alive.runDue()).toBe(1)
    expect(done).toEqual(['alive'])
    finish()
    await hanging
  })
})

describe('worker', () => {
  it('runs other jobs beside a slow one, and stops only after it has finished', async () => {
    const { db, node } = await setUp()
    const jobs = node('a')
    const done: string[] = []
    let finish: () => void = () => undefined
    const held = new Promise<void>((resolve) => {
      finish = resolve
    })
    jobs.handle('slow', () => held.then(() => void done.push('slow')))
    jobs.handle('quick', async (n) => void done.push(String(n)))
    await transact(db, (tx) => jobs.enqueue(tx, 'slow', null))
    jobs.start()
    for (const n of ['1', '2', '3']) {
      await transact(db, (tx) => jobs.enqueue(tx, 'quick', n))
      await eventually(() => expect(done).toContain(n))
    }
    const stopped = jobs.stop()
    finish()
    await stopped
    expect(done).toEqual(['1', '2', '3', 'slow'])
  })
})

describe('schedules', () => {
  it('start with the next fire time, fire once over all nodes and catch up one missed run', async () => {
    const { db, node, clock } = await setUp()
    const fired: string[] = []
    const nodes = ['a', 'b'].map((name) => {
      const jobs = node(name)
      const schedules = createSchedules({ db, clock, jobs, onError: () => undefined })
      schedules.add('hourly', '0 * * * *', async (at) => void fired.push(at.toISOString()))
      return { jobs, schedules }
    })
    const tick = async () => {
      await Promise.all(nodes.map((n) => n.schedules.fireDue()))
      await Promise.all(nodes.map((n) => n.jobs.runDue()))
    }
    await tick()
    await tick()
    clock.advance(59 * MINUTE_MS)
    await tick()
    clock.advance(MINUTE_MS)
    await tick()
    clock.advance(300 * MINUTE_MS)
    await tick()
    expect(fired).toEqual(['2026-03-01T13:00:00.000Z', '2026-03-01T18:00:00.000Z'])
  })
})
