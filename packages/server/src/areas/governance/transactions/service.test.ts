import { resolvePolicy } from '@touchstone/protocol/policy'
import { type KyselyPlugin, sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { testDatabase, testNotices } from '#harness/database.ts'
import { type AuditEntry, SYSTEM_ACTOR } from '../../../audit.ts'
import type { Database } from '../../../database/database.ts'
import { DAY_MS, HOUR_MS } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { toAgentId } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import {
  createTransactionService,
  type NewTransaction,
  type TransactionDeps,
  type TransactionService,
} from './service.ts'
import type { TeamLayer } from './team-layers.ts'
import { rulesOf } from './transaction.fixture.ts'

const clock = testClock()
const ORG = 'org-1'
const REFUND = 'mcp__payment__refund'

let database: Database
let db: Db
let here: TransactionService
let there: TransactionService
const entries: AuditEntry[] = []
const archived = new Set<string>()
const paused = new Set<string>()
let teamsOfAgent: TeamLayer[] = []
let resolved: ReturnType<typeof resolvePolicy>
let reads = 0

const readCounter: KyselyPlugin = {
  transformQuery({ node: query }) {
    reads += 1
    return query
  },
  transformResult: async ({ result }) => result,
}

beforeAll(async () => {
  database = await testDatabase()
  db = database.db
  here = await node()
  there = await node()
})

async function node(given: Partial<TransactionDeps> = {}): Promise<TransactionService> {
  return createTransactionService({
    db,
    clock,
    notices: await testNotices(database),
    audit: { record: async (_tx, entry) => void entries.push(entry) },
    agents: {
      describe: async (_tx, agentIds) =>
        agentIds
          .filter((agentId) => agentId.startsWith('agent'))
          .map((agentId) => ({ agentId, orgId: ORG, archived: archived.has(agentId) })),
    },
    policies: { resolve: async () => resolved },
    teams: { layersOf: async () => teamsOfAgent },
    containment: {
      async assertFree(_tx, { agentId }) {
        if (paused.has(agentId)) throw new Problem('forbidden', 'Agent is paused')
      },
    },
    ...given,
  })
}

const requestOf = (given: Partial<NewTransaction> = {}): NewTransaction => ({
  agentId: 'agent-1',
  description: 'Refund 1182',
  actionType: 'financial_operation',
  tools: [REFUND],
  durationHours: 1,
  teamId: undefined,
  policy: undefined,
  ...given,
})
const create = (given: Partial<NewTransaction> = {}, service = here) =>
  service.create(ORG, requestOf(given), SYSTEM_ACTOR)
const begin = async (given: Partial<NewTransaction> = {}) => (await create(given)).transactionId
const call = (service: TransactionService, id: string, agentId = 'agent-1', orgId = ORG) =>
  service.forCall(orgId, agentId, id)
const statusOn = async (service: TransactionService, id: string) =>
  (await call(service, id))?.status

describe('a new transaction', () => {
  it('lists each tool once and expires after the given duration', async () => {
    const created = await create({ tools: ['b', 'a', 'b'], durationHours: 0.5 })
    expect(created).toMatchObject({ tools: ['b', 'a'], status: 'active', teamIds: [] })
    expect(created.expiresAt.getTime() - created.createdAt.getTime()).toBe(HOUR_MS / 2)
    expect(created.mergedPolicy.meta.name).toBe(`transaction:${created.transactionId}`)
    expect(await here.find(created.transactionId)).toEqual(created)
  })

  it('merges the resolved policy, the policies of its teams and its own', async () => {
    const mapping = (tools: string[], card_actions: string[]) => ({ pay: { tools, card_actions } })
    const agent = rulesOf({ capability_mappings: mapping(['mcp__payment__*'], ['pay', 'look']) })
    const meta = { schema_version: '1.0', name: 'pay', scope: 'agent' } as const
    resolved = resolvePolicy({ agent: { meta, ...agent } })
    const hours = (grace_period_hours: number) => ({ defaults: { grace_period_hours } })
    teamsOfAgent = [
      { teamId: 'team-b', policy: rulesOf(hours(5)) },
      { teamId: 'team-a', policy: rulesOf(hours(10)) },
    ]
    const policy = { capability_mappings: mapping(['*'], ['pay']) }
    const created = await create({ policy })
    expect(created.teamIds).toEqual(['team-a', 'team-b'])
    expect(created.mergedPolicy.capability_mappings).toEqual(mapping([REFUND], ['pay']))
    expect(created.mergedPolicy.defaults.grace_period_hours).toBe(5)
    const one = await create({ policy, teamId: 'team-a' })
    expect(one.teamIds).toEqual(['team-a'])
    expect(one.mergedPolicy.defaults.grace_period_hours).toBe(10)
    await expect(create({ teamId: 'team-c' })).rejects.toMatchObject({ code: 'not_found' })
    resolved = undefined
    teamsOfAgent = []
  })

  it('has no teams if the agent is in none', async () => {
    expect((await create()).teamIds).toEqual([])
    await expect(create({ teamId: 'team-a' })).rejects.toMatchObject({ code: 'not_found' })
  })

  it('is refused for unknown, foreign, archived and contained agents', async () => {
    await expect(create({ agentId: 'nobody' })).rejects.toMatchObject({ code: 'not_found' })
    const foreign = here.create('org-2', requestOf(), SYSTEM_ACTOR)
    await expect(foreign).rejects.toMatchObject({ code: 'not_found' })
    archived.add('agent-old')
    await expect(create({ agentId: 'agent-old' })).rejects.toMatchObject({ code: 'conflict' })
    paused.add('agent-paused')
    await expect(create({ agentId: 'agent-paused' })).rejects.toMatchObject({ code: 'forbidden' })
  })

  it('that was refused leaves no rows', async () => {
    const refused = create({ agentId: 'agent-none', tools: ['a*'] })
    await expect(refused).rejects.toMatchObject({ code: 'validation_error' })
    const rows = await sql`
      select from agent_transaction where agent_id = 'agent-none'`.execute(db)
    expect(rows.rows).toEqual([])
  })
})

describe('a transaction', () => {
  it('is completed by one of many concurrent calls', async () => {
    const id = await begin()
    const tries = Array.from({ length: 8 }, (_, n) =>
      (n % 2 === 0 ? here : there).complete(id, SYSTEM_ACTOR),
    )
    const outcomes = await Promise.allSettled(tries)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
    for (const { reason } of refused) expect(reason).toMatchObject({ code: 'conflict' })
  })

  it('is gone after a concurrent completion and removal', async () => {
    const id = await begin()
    const [completed, removed] = await Promise.allSettled([
      here.complete(id, SYSTEM_ACTOR),
      there.remove(id, SYSTEM_ACTOR),
    ])
    expect(removed.status).toBe('fulfilled')
    if (completed.status === 'rejected') {
      expect(completed.reason).toMatchObject({ code: 'not_found' })
    }
    expect(await here.find(id)).toBeUndefined()
  })

  it('is written with audit entries that leave out its description', async () => {
    const id = await begin()
    await here.complete(id, SYSTEM_ACTOR)
    await here.remove(id, SYSTEM_ACTOR)
    const own = entries.filter(({ target }) => target.id === id)
    expect(own.map(({ action, changes }) => [action, changes])).toEqual([
      ['transaction.created', { status: { from: null, to: 'active' } }],
      ['transaction.completed', { status: { from: 'active', to: 'completed' } }],
      ['transaction.deleted', { status: { from: 'completed', to: null } }],
    ])
    expect(JSON.stringify(own)).not.toContain('1182')
  })

  it('is purged seven days after it expires or is completed', async () => {
    const started = clock.now()
    const done = await begin({ durationHours: 24 })
    const expiring = await begin({ durationHours: 1 })
    const long = await begin({ durationHours: 24 })
    await here.complete(done, SYSTEM_ACTOR)
    const left = async () => {
      await here.purge()
      const found = await Promise.all([done, expiring, long].map((id) => here.find(id)))
      return found.map((transaction) => transaction !== undefined)
    }
    clock.advance(7 * DAY_MS - 1)
    expect(await left()).toEqual([true, true, true])
    clock.advance(1)
    expect(await left()).toEqual([false, true, true])
    clock.advance(HOUR_MS)
    expect(await left()).toEqual([false, false, true])
    clock.advance(23 * HOUR_MS)
    expect(await left()).toEqual([false, false, false])
    clock.set(started.toISOString())
  })
})

describe('a call that names a transaction', () => {
  it('gets its tools, action type and layers', async () => {
    const policy = { defaults: { fail_open: true } }
    const id = await begin({ policy })
    expect(await call(here, id)).toEqual({
      transactionId: id,
      actionType: 'financial_operation',
      status: 'active',
      tools: [REFUND],
      layers: [rulesOf(policy)],
      layerNames: [`transaction:${id}`],
    })
    expect((await call(here, await begin()))?.layers).toEqual([])
  })

  it('cannot find that of another agent or organisation, cached or not', async () => {
    const id = await begin()
    for (const service of [here, there]) {
      expect(await call(service, id, 'agent-2')).toBeUndefined()
      expect(await call(service, id)).toBeDefined()
      expect(await call(service, id, 'agent-2')).toBeUndefined()
      expect(await call(service, id, 'agent-1', 'org-2')).toBeUndefined()
    }
    expect(await call(here, 'txn-none')).toBeUndefined()
  })

  it('gets the status expired exactly at the end', async () => {
    const id = await begin()
    expect(await statusOn(here, id)).toBe('active')
    clock.advance(HOUR_MS - 1)
    expect(await statusOn(here, id)).toBe('active')
    clock.advance(1)
    expect(await statusOn(here, id)).toBe('expired')
  })

  it('needs no query once it is cached', async () => {
    const id = await begin()
    const counting = await node({ db: db.withPlugin(readCounter) })
    // Polled, because notifications of earlier changes may still arrive and cause another read.
    const readsOf = async () => {
      const readsBefore = reads
      expect(await statusOn(counting, id)).toBe('active')
      return reads - readsBefore
    }
    expect(await readsOf()).toBe(1)
    await expect.poll(readsOf).toBe(0)
  })

  it('does not cache a transaction that changed during the read', async () => {
    const id = await begin()
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
    const slow = await node({ db: db.withPlugin(afterReading) })
    meanwhile = () => slow.complete(id, SYSTEM_ACTOR)
    expect(await statusOn(slow, id)).toBe('active')
    expect(await statusOn(slow, id)).toBe('completed')
  })

  it('sees a completion immediately on this node and soon on another', async () => {
    const id = await begin()
    expect([await statusOn(here, id), await statusOn(there, id)]).toEqual(['active', 'active'])
    await here.complete(id, SYSTEM_ACTOR)
    expect(await statusOn(here, id)).toBe('completed')
    await expect.poll(() => statusOn(there, id)).toBe('completed')
  })

  it('sees a removal immediately on this node and soon on another', async () => {
    const id = await begin()
    expect([await statusOn(here, id), await statusOn(there, id)]).toEqual(['active', 'active'])
    await here.remove(id, SYSTEM_ACTOR)
    expect(await call(here, id)).toBeUndefined()
    await expect.poll(() => call(there, id)).toBeUndefined()
  })

  it('sees the erasure of its agent on every node', async () => {
    const id = await begin({ agentId: 'agent-erased' })
    const other = await begin()
    for (const service of [here, there])
      expect(await call(service, id, 'agent-erased')).toBeDefined()
    await transact(db, (tx) => here.erase(tx, toAgentId('agent-erased')))
    for (const service of [here, there]) {
      await expect.poll(() => call(service, id, 'agent-erased')).toBeUndefined()
      expect(await statusOn(service, other)).toBe('active')
    }
  })

  it('gets the current policies of its teams, without teams joined since', async () => {
    teamsOfAgent = [{ teamId: 'team-a', policy: undefined }]
    const id = await begin()
    expect((await call(here, id))?.layers).toEqual([])
    const policy = rulesOf({ defaults: { fail_open: true } })
    const later = rulesOf({ defaults: { fail_open: false } })
    teamsOfAgent = [
      { teamId: 'team-a', policy },
      { teamId: 'team-b', policy: later },
    ]
    expect((await call(here, id))?.layers).toEqual([policy])
    teamsOfAgent = []
  })
})
