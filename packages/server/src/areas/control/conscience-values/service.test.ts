import { type KyselyPlugin, sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { testDatabase, testNotices } from '#harness/database.ts'
import { eventually } from '#harness/eventually.ts'
import { type AuditEntry, SYSTEM_ACTOR } from '../../../audit.ts'
import type { Database } from '../../../database/database.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import type { NewEvent } from '../../../kernel/events.ts'
import { toOrgId } from '../../../kernel/ids.ts'
import { VALUES_MAX, type ValueFields } from './conscience-set.ts'
import { type ConscienceService, createConscienceService } from './service.ts'

const clock = testClock()
const PAGE = { page: 1, perPage: 20 }

let database: Database
let db: Db
let here: ConscienceService
let there: ConscienceService
const entries: AuditEntry[] = []
const emitted: NewEvent[] = []
let orgId = ''
let count = 0

beforeAll(async () => {
  database = await testDatabase()
  db = database.db
  here = await node()
  there = await node()
})

async function node(given: { db?: Db } = {}): Promise<ConscienceService> {
  return createConscienceService({
    db,
    clock,
    notices: await testNotices(database),
    audit: { record: async (_tx, entry) => void entries.push(entry) },
    events: {
      emit: async (_tx, event) => void emitted.push(event),
      emitAll: async (_tx, events) => void emitted.push(...events),
      purge: async () => 0,
    },
    cards: { findValues: async () => undefined },
    ...given,
  })
}

function newOrg() {
  count += 1
  orgId = `org-${count}`
  return author()
}
const author = () => ({ orgId, accountId: 'ba-1', actor: SYSTEM_ACTOR })
const fields = (given: Partial<ValueFields> = {}): ValueFields => ({
  name: 'quiet',
  description: 'Never send mail.',
  type: 'BOUNDARY',
  severity: 'advisory',
  isActive: true,
  ...given,
})
const namesIn = async (service: ConscienceService, org = orgId) =>
  (await service.inForce(db, org)).values.map(({ name }) => name)
const logOf = async () => (await here.log(orgId, PAGE)).items
const told = () => emitted.filter((event) => event.orgId === orgId)

describe('conscience values', () => {
  it('are at most twenty, however many are created concurrently and on whichever node', async () => {
    const by = newOrg()
    const tries = Array.from({ length: VALUES_MAX + 6 }, (_, n) =>
      (n % 2 === 0 ? here : there).add(by, fields({ name: `v${n}` })),
    )
    const outcomes = await Promise.allSettled(tries)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(VALUES_MAX)
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({ code: 'invalid_request' })
    }
    const { values } = await here.get(orgId)
    expect(values.map(({ sortOrder }) => sortOrder)).toEqual([...Array(VALUES_MAX).keys()])
  })

  it('give a name to one of many concurrent writers', async () => {
    const by = newOrg()
    const tries = ['quiet', 'Quiet', 'QUIET', 'qUiet'].map((name) => here.add(by, fields({ name })))
    const outcomes = await Promise.allSettled(tries)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('log, audit and publish each change, in the order of changes whatever the clock says', async () => {
    const by = newOrg()
    const [one, two] = [
      await here.add(by, fields()),
      await here.add(by, fields({ name: 'second', severity: 'mandatory' })),
    ]
    await here.change(by, one.id, { isActive: false })
    await here.reorder(by, [two.id, one.id])
    await here.setMode(by, { mode: 'replace' })
    await here.remove(by, one.id)
    const actions = ['create', 'create', 'deactivate', 'reorder', 'mode_change', 'delete']
    expect((await logOf()).map(({ action }) => action).reverse()).toEqual(actions)
    expect(told().map(({ data }) => data)).toMatchObject(
      actions.map((action) => ({ org_id: orgId, action, actor: 'system' })),
    )
    expect(entries.filter((entry) => entry.orgId === orgId).map(({ action }) => action)).toEqual(
      actions.map((action) => `conscience.${action}`),
    )
    const { rows } = await sql`
      select revision from conscience_setting where org_id = ${orgId}`.execute(db)
    expect(rows).toEqual([{ revision: actions.length }])
  })

  it('log and publish nothing for a change without effect or a refused one', async () => {
    const by = newOrg()
    const { id } = await here.add(by, fields())
    await here.change(by, id, { name: 'quiet', isActive: true })
    await here.reorder(by, [id])
    await here.setMode(by, { mode: 'augment', enabled: true })
    await expect(here.remove(by, 'cv-none')).rejects.toMatchObject({ code: 'not_found' })
    await expect(here.add(by, fields())).rejects.toMatchObject({ code: 'conflict' })
    await expect(here.reorder(by, [])).rejects.toMatchObject({ code: 'invalid_request' })
    expect(await logOf()).toHaveLength(1)
    expect(told()).toHaveLength(1)
  })

  it('of another organisation are not found', async () => {
    const { id } = await here.add(newOrg(), fields())
    const other = newOrg()
    await expect(here.remove(other, id)).rejects.toMatchObject({ code: 'not_found' })
    const changed = here.change(other, id, { name: 'x' })
    await expect(changed).rejects.toMatchObject({ code: 'not_found' })
  })

  it('have an append-only log', async () => {
    await here.add(newOrg(), fields())
    await expect(sql`update conscience_log set actor = 'x'`.execute(db)).rejects.toThrow()
    await expect(sql`delete from conscience_log`.execute(db)).rejects.toThrow()
    await expect(sql`truncate conscience_log`.execute(db)).rejects.toThrow()
  })

  it('are erased with their organisation, and only that one', async () => {
    const stays = newOrg()
    await here.add(stays, fields())
    const gone = newOrg()
    await here.add(gone, fields())
    await transact(db, (tx) => here.eraseOrg(tx, toOrgId(gone.orgId)))
    expect((await here.get(gone.orgId)).values).toEqual([])
    expect((await here.log(gone.orgId, PAGE)).total).toBe(0)
    await eventually(async () => expect(await namesIn(there, gone.orgId)).toEqual([]))
    expect((await here.get(stays.orgId)).values).toHaveLength(1)
  })
})

describe('values in force', () => {
  it('are the active ones in order, if values are enabled', async () => {
    const by = newOrg()
    expect(await here.inForce(db, orgId)).toEqual({
      revision: 0,
      values: [],
      replacesBase: false,
    })
    const one = await here.add(by, fields({ name: 'one', severity: 'mandatory' }))
    const two = await here.add(by, fields({ name: 'two' }))
    const off = await here.add(by, fields({ name: 'off' }))
    await here.change(by, off.id, { isActive: false })
    await here.reorder(by, [two.id, off.id, one.id])
    await here.setMode(by, { mode: 'replace' })
    const value = { type: 'BOUNDARY', content: 'Never send mail.' }
    expect(await here.inForce(db, orgId)).toEqual({
      revision: 6,
      values: [
        { ...value, name: 'two', severity: 'advisory' },
        { ...value, name: 'one', severity: 'mandatory' },
      ],
      replacesBase: true,
    })
    await here.setMode(by, { enabled: false })
    expect(await here.inForce(db, orgId)).toMatchObject({ values: [], replacesBase: false })
  })

  it('reflect a change immediately on this node and soon on others', async () => {
    const by = newOrg()
    expect([await namesIn(here), await namesIn(there)]).toEqual([[], []])
    const { id } = await here.add(by, fields())
    expect(await namesIn(here)).toEqual(['quiet'])
    await eventually(async () => expect(await namesIn(there)).toEqual(['quiet']))
    await here.remove(by, id)
    expect(await namesIn(here)).toEqual([])
    await eventually(async () => expect(await namesIn(there)).toEqual([]))
  })

  it('need no query when cached, even for an organisation without values', async () => {
    newOrg()
    let reads = 0
    const counting: KyselyPlugin = {
      transformQuery({ node: query }) {
        reads += 1
        return query
      },
      transformResult: async ({ result }) => result,
    }
    const counted = db.withPlugin(counting)
    const readsOf = async () => {
      const readsBefore = reads
      await there.inForce(counted, orgId)
      return reads - readsBefore
    }
    // A late invalidation from an earlier change can cause one more read.
    await eventually(async () => expect(await readsOf()).toBe(0))
  })

  it('are read through the calling transaction, and not cached if they change meanwhile', async () => {
    const by = newOrg()
    const { id } = await here.add(by, fields())
    let meanwhile: (() => Promise<unknown>) | undefined
    const afterReading: KyselyPlugin = {
      transformQuery: ({ node: query }) => query,
      async transformResult({ result }) {
        const change = meanwhile
        meanwhile = undefined
        await change?.()
        return result
      },
    }
    const slow = await node()
    meanwhile = () => slow.remove(by, id)
    expect((await slow.inForce(db.withPlugin(afterReading), orgId)).values).toHaveLength(1)
    expect((await slow.inForce(db, orgId)).values).toEqual([])
  })
})
