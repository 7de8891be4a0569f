import { NO_ENTRY_HASH } from '@touchstone/protocol/control'
import { type KyselyPlugin, sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { testDatabase, testNotices } from '#harness/database.ts'
import { eventually } from '#harness/eventually.ts'
import { testLogQueue } from '#harness/log-queue.ts'
import { type AuditEntry, SYSTEM_ACTOR } from '../../../audit.ts'
import type { Database } from '../../../database/database.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import type { NewEvent } from '../../../kernel/events.ts'
import { toAgentId } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import { type ContainmentService, createContainmentService, type ManualAction } from './service.ts'

const clock = testClock()
const ORG = { orgId: 'org-1', accountId: 'ba-1' }

let database: Database
let db: Db
let here: ContainmentService
let there: ContainmentService
let agentId = ''
let count = 0
let reads = 0
const entries: AuditEntry[] = []
const emitted: NewEvent[] = []
const statuses = new Map<string, string>()
const thresholds = new Map<string, number | null>()
const chains = new Map<string, string[]>()

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

const lock = async (tx: Db, id: string) =>
  void (await sql`select pg_advisory_xact_lock(hashtextextended(${id}, 0))`.execute(tx))

async function node(): Promise<ContainmentService> {
  return createContainmentService({
    db,
    clock,
    log: testLogQueue(),
    notices: await testNotices(database),
    audit: { record: async (_tx, entry) => void entries.push(entry) },
    events: {
      emit: async (_tx, event) => void emitted.push(event),
      emitAll: async (_tx, events) => void emitted.push(...events),
      purge: async () => 0,
    },
    agents: {
      findControl: async (_db, id) => ({
        orgId: 'org-1',
        agentId: id,
        autoContainmentThreshold: thresholds.get(id) ?? null,
      }),
      async lockControl(tx, agent) {
        if (agent.orgId !== 'org-1') throw new Problem('agent_not_found', 'No such agent.')
        await lock(tx, agent.agentId)
        return { autoContainmentThreshold: thresholds.get(agent.agentId) ?? null }
      },
      async lockControls(tx, ids) {
        for (const id of ids) await lock(tx, id)
      },
      setStatus: async (_tx, id, status) => void statuses.set(id, status),
      setAutoContainment: async (_tx, id, threshold) => void thresholds.set(id, threshold),
    },
    checkpoints: {
      chainLength: async (_tx, id) => (chains.get(id) ?? []).length,
      async violationsBefore(_tx, { agentId: id, from, before }) {
        const seen = (chains.get(id) ?? []).slice(from, before)
        return seen.length - (seen.findLastIndex((verdict) => verdict !== V) + 1)
      },
    },
  })
}

const V = 'boundary_violation'
const by = (action: ManualAction, reason: string | null = null) => ({
  action,
  reason,
  actor: { ...SYSTEM_ACTOR, type: 'user', id: 'user-1' } as const,
})
const move = (action: ManualAction, service = here) => service.move(ORG, agentId, by(action))
const logOf = async () => (await here.get({ orgId: 'org-1', agentId })).log
const statusIn = async (service: ContainmentService) => (await service.stateOf(agentId)).status

describe('a move', () => {
  it('is logged, published, audited and shown with the agent', async () => {
    const state = await here.move(ORG, agentId, by('pause', 'Investigating'))
    const containedAt = clock.now()
    expect(state).toEqual({
      status: 'paused',
      containedAt,
      containedBy: 'user-1',
      reason: 'Investigating',
    })
    expect(emitted.at(-1)).toEqual({
      type: 'agent.paused',
      orgId: 'org-1',
      accountId: 'ba-1',
      data: {
        agent_id: agentId,
        org_id: 'org-1',
        action: 'pause',
        actor: 'user-1',
        reason: 'Investigating',
        previous_status: 'active',
        new_status: 'paused',
      },
    })
    expect(entries.at(-1)).toMatchObject({
      orgId: 'org-1',
      action: 'agent.paused',
      target: { type: 'agent', id: agentId },
      changes: { status: { from: 'active', to: 'paused' } },
    })
    expect(JSON.stringify(entries.at(-1))).not.toContain('Investigating')
    expect(statuses.get(agentId)).toBe('paused')
  })

  it('that the status does not allow is refused and writes nothing', async () => {
    await move('kill')
    const before = emitted.length
    for (const action of ['pause', 'resume', 'kill'] as const) {
      await expect(move(action)).rejects.toMatchObject({ code: 'invalid_request' })
    }
    expect(await logOf()).toHaveLength(1)
    expect(emitted).toHaveLength(before)
  })

  it('to the same status succeeds for one of many concurrent requests, on whichever node', async () => {
    const tries = Array.from({ length: 8 }, (_, n) => move('pause', n % 2 === 0 ? here : there))
    const outcomes = await Promise.allSettled(tries)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await logOf()).toHaveLength(1)
  })

  it('racing another one leaves one unbroken log, in either order', async () => {
    const actions = ['pause', 'kill', 'pause', 'kill', 'resume', 'reactivate'] as const
    await Promise.allSettled(actions.map((action, n) => move(action, n % 2 === 0 ? here : there)))
    const log = (await logOf()).toReversed()
    expect(log.length).toBeGreaterThan(0)
    let [status, hash] = ['active', NO_ENTRY_HASH]
    for (const entry of log) {
      expect([entry.previousStatus, entry.prevHash]).toEqual([status, hash])
      ;[status, hash] = [entry.newStatus, entry.entryHash]
    }
    expect((await here.get({ orgId: 'org-1', agentId })).state.status).toBe(status)
  })

  it("of another organisation's agent is answered like an unknown agent", async () => {
    const foreign = here.move({ ...ORG, orgId: 'org-2' }, agentId, by('pause'))
    await expect(foreign).rejects.toMatchObject({ code: 'agent_not_found' })
    const reading = here.get({ orgId: 'org-2', agentId })
    await expect(reading).rejects.toMatchObject({ code: 'agent_not_found' })
  })
})

describe('the containment state', () => {
  it('is current immediately on this node and soon on others', async () => {
    expect([await statusIn(here), await statusIn(there)]).toEqual(['active', 'active'])
    await move('pause')
    expect(await statusIn(here)).toBe('paused')
    await eventually(async () => expect(await statusIn(there)).toBe('paused'))
    await move('resume')
    expect(await statusIn(here)).toBe('active')
    await eventually(async () => expect(await statusIn(there)).toBe('active'))
  })

  it('needs no query when cached', async () => {
    await eventually(async () => {
      await here.stateOf(agentId)
      const before = reads
      await here.stateOf(agentId)
      expect(reads - before).toBe(0)
    })
  })

  it('is checked in the calling transaction, and refused with all details', async () => {
    const assertFree = () => transact(db, (tx) => here.assertFree(tx, { orgId: 'org-1', agentId }))
    await assertFree()
    await move('kill')
    await expect(assertFree()).rejects.toMatchObject({
      code: 'forbidden',
      message: 'Agent is killed',
      fields: {
        type: 'containment_error',
        reason: 'agent_killed',
        agent_id: agentId,
        containment_status: 'killed',
        contained_at: clock.now().toISOString(),
      },
    })
  })

  it('is erased with the agent', async () => {
    await move('pause')
    await transact(db, (tx) => here.erase(tx, toAgentId(agentId)))
    expect(await logOf()).toEqual([])
    await eventually(async () => expect(await statusIn(there)).toBe('active'))
  })
})

/** Stores checkpoints with these verdicts the way ingestion does. */
async function ingest(verdicts: readonly string[], analysed = true): Promise<void> {
  const chain = chains.get(agentId) ?? []
  const agent = { agentId, autoContainmentThreshold: thresholds.get(agentId) ?? null }
  const stored = verdicts.map((verdict, n) => ({
    agent,
    verdict,
    analysed,
    org: ORG,
    position: chain.length + n,
  }))
  await transact(db, async (tx) => {
    await here.watcher.prepare(tx, stored)
    chains.set(agentId, [...chain, ...verdicts])
    await here.watcher.follow(tx, stored)
  })
  here.watcher.settled(stored)
}
const policy = (threshold: number | null) =>
  here.setThreshold({ orgId: 'org-1', agentId }, threshold, SYSTEM_ACTOR)

describe('a threshold', () => {
  it('is set, audited if it changes, and removed', async () => {
    await policy(3)
    await policy(3)
    await policy(null)
    const own = entries.filter(({ target }) => target.id === agentId)
    expect(own.map(({ action, changes }) => [action, changes])).toEqual([
      ['agent.containment_policy_changed', { auto_containment_threshold: { from: null, to: 3 } }],
      ['agent.containment_policy_changed', { auto_containment_threshold: { from: 3, to: null } }],
    ])
  })

  it('pauses the agent automatically, once, with the length of the run', async () => {
    await policy(3)
    await ingest([V, V])
    expect(await statusIn(here)).toBe('active')
    await ingest([V, V])
    expect(await here.stateOf(agentId)).toMatchObject({
      status: 'paused',
      containedBy: 'system',
      reason: 'Auto-contained: 3 consecutive boundary violations',
    })
    expect(emitted.at(-1)).toMatchObject({ type: 'agent.paused', data: { action: 'auto_pause' } })
    await ingest([V])
    expect(await logOf()).toHaveLength(1)
  })

  it('counts from the last time the agent was resumed or reactivated', async () => {
    await policy(2)
    await ingest([V, V])
    await move('resume')
    await ingest([V])
    expect(await statusIn(here)).toBe('active')
    await ingest([V])
    expect(await statusIn(here)).toBe('paused')
  })

  it('ignores unanalysed checkpoints and agents without a threshold', async () => {
    await ingest([V, V, V])
    await policy(2)
    await ingest([V, V], false)
    expect(await statusIn(here)).toBe('active')
  })

  it('needs no query for agents without one, nor without a violation', async () => {
    const stored = (verdict: string, autoContainmentThreshold: number | null) => [
      {
        agent: { agentId, autoContainmentThreshold },
        verdict,
        analysed: true,
        org: ORG,
        position: 0,
      },
    ]
    const before = reads
    for (const none of [stored(V, null), stored('review_needed', 2)]) {
      await here.watcher.prepare(db, none)
      await here.watcher.follow(db, none)
    }
    expect(reads - before).toBe(0)
  })
})
