import { type KyselyPlugin, sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { testDatabase, testNotices } from '#harness/database.ts'
import { eventually } from '#harness/eventually.ts'
import type { Database } from '../../../database/database.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { toAgentId } from '../../../kernel/ids.ts'
import type { Newest } from './hold.ts'
import type { Nudging } from './nudge.ts'
import { createEnforcementService, type EnforcementService } from './service.ts'

const DAY_MS = 24 * 60 * 60_000
const clock = testClock()

let database: Database
let db: Db
let here: EnforcementService
let there: EnforcementService
let agentId = ''
let count = 0
let reads = 0
let finds = 0
let newest: Newest | undefined

const countingReads: KyselyPlugin = {
  transformQuery({ node: query }) {
    reads += 1
    return query
  },
  transformResult: async ({ result }) => result,
}

beforeAll(async () => {
  database = await testDatabase()
  db = database.db.withPlugin(countingReads)
  here = await node()
  there = await node()
})

beforeEach(() => {
  count += 1
  agentId = `agent-${count}`
})

async function node(): Promise<EnforcementService> {
  const notices = await testNotices(database)
  return createEnforcementService({
    db,
    clock,
    notices,
    checkpoints: {
      async findNewest() {
        finds += 1
        return newest
      },
    },
  })
}

type Given = {
  mode?: 'observe' | 'nudge' | 'enforce'
  nudging?: Partial<Nudging>
  verdict?: 'clear' | 'review_needed' | 'boundary_violation'
  sessionId?: string
  position?: number
  notClear?: number
}

const stored = ({ mode = 'nudge', nudging, sessionId = 's-1', ...given }: Given = {}) => {
  const position = given.position ?? 0
  return {
    agent: {
      agentId,
      enforcementMode: mode,
      nudging: { strategy: 'always', rate: 100, threshold: 3, ...nudging } as Nudging,
    },
    verdict: given.verdict ?? 'boundary_violation',
    checkpointId: `ic-${position}`,
    sessionId,
    position,
    notClear: given.notClear ?? 1,
    violationType: 'FORBIDDEN_ACTION',
    severity: 'high',
  }
}

async function ingest(...given: Given[]): Promise<void> {
  const all = given.map(stored)
  await transact(db, (tx) => here.watcher.follow(tx, all))
  here.watcher.settled(all)
}

const take = async (sessionId?: string, service = here) =>
  (await service.takeNudges({ agentId, sessionId, now: clock.now() })).map(
    ({ checkpointId }) => checkpointId,
  )

describe('nudges', () => {
  it('are queued in modes nudge and enforce, for checkpoints that are not clear', async () => {
    await ingest(
      { position: 0 },
      { position: 1, mode: 'enforce', verdict: 'review_needed' },
      { position: 2, mode: 'observe' },
      { position: 3, verdict: 'clear' },
      { position: 4, nudging: { strategy: 'off' } },
      { position: 5, nudging: { strategy: 'threshold' }, notClear: 2 },
      { position: 6, nudging: { strategy: 'threshold' }, notClear: 3 },
    )
    expect(await take()).toEqual(['ic-0', 'ic-1', 'ic-6'])
  })

  it('are delivered five at a time, oldest first, once', async () => {
    await ingest(...Array.from({ length: 7 }, (_, position) => ({ position })))
    expect(await take()).toEqual(['ic-0', 'ic-1', 'ic-2', 'ic-3', 'ic-4'])
    expect(await take()).toEqual(['ic-5', 'ic-6'])
    expect(await take()).toEqual([])
  })

  it('are delivered to their session, or to the agent if no session is named', async () => {
    await ingest({ position: 0, sessionId: 's-1' }, { position: 1, sessionId: 's-2' })
    expect(await take('s-2')).toEqual(['ic-1'])
    expect(await take('s-2')).toEqual([])
    expect(await take()).toEqual(['ic-0'])
  })

  it('are never delivered twice, however many requests race and on whichever node', async () => {
    const positions = Array.from({ length: 40 }, (_, position) => ({ position }))
    await ingest(...positions)
    const told: string[] = []
    while (told.length < 40) {
      const asked = Array.from({ length: 8 }, (_, n) => take(undefined, n % 2 ? here : there))
      const answers = (await Promise.all(asked)).flat()
      told.push(...answers)
    }
    expect(new Set(told).size).toBe(40)
    expect(told).toHaveLength(40)
  })

  it('expire after a day, and are purged then', async () => {
    await ingest({ position: 0 })
    clock.advance(DAY_MS - 1)
    await ingest({ position: 1 })
    clock.advance(1)
    expect(await take()).toEqual(['ic-1'])
    await here.purge(clock.now())
    const left = await sql<{ checkpoint_id: string }>`
      select checkpoint_id from nudge where agent_id = ${agentId}`.execute(db)
    expect(left.rows).toEqual([{ checkpoint_id: 'ic-1' }])
  })

  it('are erased with their agent', async () => {
    await ingest({ position: 0 })
    await transact(db, (tx) => here.erase(tx, toAgentId(agentId)))
    expect(await take()).toEqual([])
  })

  it('are rolled back with their checkpoint', async () => {
    const undone = transact(db, async (tx) => {
      await here.watcher.follow(tx, [stored()])
      throw new Error('rolled back')
    })
    await expect(undone).rejects.toThrow('rolled back')
    expect(await take()).toEqual([])
  })

  it('need no query while none are pending, and reach every node when queued', async () => {
    await eventually(async () => {
      await take(undefined, there)
      const before = reads
      expect(await take(undefined, there)).toEqual([])
      expect(reads - before).toBe(0)
    })
    await ingest({ position: 0 })
    await eventually(async () => expect(await take(undefined, there)).toEqual(['ic-0']))
  })

  it('need no query when checkpoints of observed agents arrive', async () => {
    const before = reads
    await here.watcher.follow(db, [stored({ mode: 'observe' }), stored({ verdict: 'clear' })])
    expect(reads - before).toBe(0)
  })
})

describe('a hold', () => {
  it('follows the newest checkpoint of the session, or for 15 minutes of the agent', async () => {
    newest = { verdict: 'boundary_violation', createdAt: clock.now(), cardGap: false }
    const held = (sessionId?: string) => here.isHeld({ agentId, sessionId, now: clock.now() })
    expect([await held('s-1'), await held()]).toEqual([true, true])
    clock.advance(15 * 60_000 + 1)
    expect([await held('s-1'), await held()]).toEqual([true, false])
    newest = undefined
    expect(await held('s-1')).toBe(false)
  })

  it('is asked for once by the calls of a batch, and again by the next one', async () => {
    const before = finds
    const ask = (sessionId: string) => here.isHeld({ agentId, sessionId, now: clock.now() })
    await Promise.all(['s-1', 's-1', 's-2', 's-1'].map(ask))
    expect(finds - before).toBe(2)
    await new Promise((resolve) => setImmediate(resolve))
    await ask('s-1')
    expect(finds - before).toBe(3)
  })
})
