import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { testDatabase } from '#harness/database.ts'
import { later } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { toAgentId } from '../../../kernel/ids.ts'
import { createTraceStore, type StoredTrace } from './store.ts'
import { countToolUse } from './tool-history-store.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')

let db: Db

beforeAll(async () => {
  db = (await testDatabase()).db
})

function stored(traceId: string, agentId: string, orgId: string): StoredTrace {
  return {
    trace: {
      trace_id: traceId,
      agent_id: agentId,
      card_id: 'ac-1',
      timestamp: NOW.toISOString(),
      action: { type: 'execute', name: 'search', category: 'bounded' },
      decision: { selected: 'a', selection_reasoning: 'It fits.', values_applied: [] },
      context: { session_id: 's' },
    },
    orgId,
    sessionId: 's',
    provenance: 'reported',
    verification: {
      verified: true,
      violations: [],
      violation_details: [],
      warnings: [],
      similarity_score: 1,
      recommended_action: 'proceed',
      card_id: 'ac-1',
      verified_at: NOW.toISOString(),
      algorithm_version: '1.2.0',
    },
    policy: null,
    inputHash: 'h',
    createdAt: NOW,
    keepUntil: NOW,
  }
}

async function save(traceId: string, agentId: string, orgId = 'org-1'): Promise<void> {
  await createTraceStore(db).claimId({ orgId, agentId }, traceId)
  await createTraceStore(db).insert(stored(traceId, agentId, orgId))
}

describe('the trace store', () => {
  it('returns stored traces from any partition', async () => {
    const agents = Array.from({ length: 40 }, (_, n) => `agent-${n}`)
    for (const agent of agents) await save(`tr-${agent}`, agent)
    const parts = await sql<{ count: number }>`
      select count(distinct tableoid) as count from trace`.execute(db)
    expect(parts.rows[0]?.count).toBeGreaterThan(8)
    for (const agent of agents) {
      const found = await createTraceStore(db).find({ agentId: agent, traceId: `tr-${agent}` })
      expect(found).toEqual(stored(`tr-${agent}`, agent, 'org-1'))
    }
  })

  it('lets an id be claimed once in each organisation', async () => {
    const store = createTraceStore(db)
    const claim = (orgId: string, agentId: string) => store.claimId({ orgId, agentId }, 'tr-once')
    expect(await claim('org-1', 'agent-a')).toBe(true)
    expect(await claim('org-1', 'agent-b')).toBe(false)
    expect(await claim('org-2', 'agent-c')).toBe(true)
    expect(await claim('org-2', 'agent-c')).toBe(false)
  })

  it('iterates over the organisations', async () => {
    await save('tr-a', 'agent-a', 'org-a')
    await save('tr-b', 'agent-b', 'org-b')
    const store = createTraceStore(db)
    expect(await store.nextOrg('')).toBe('org-1')
    expect(await store.nextOrg('org-1')).toBe('org-a')
    expect(await store.nextOrg('org-a')).toBe('org-b')
    expect(await store.nextOrg('org-b')).toBeUndefined()
  })

  it('finds a trace only in the given organisations', async () => {
    await save('tr-twin', 'agent-here', 'org-here')
    await save('tr-twin', 'agent-there', 'org-there')
    const found = async (...orgIds: string[]) =>
      (await createTraceStore(db).findInOrgs(orgIds, 'tr-twin')).map(({ orgId }) => orgId).sort()
    expect(await found('org-here')).toEqual(['org-here'])
    expect(await found('org-here', 'org-there', 'org-1')).toEqual(['org-here', 'org-there'])
    expect(await found('org-1')).toEqual([])
    expect(await found()).toEqual([])
  })

  it('deletes expired traces in bounded steps and keeps their ids reserved', async () => {
    for (const n of [1, 2, 3]) await save(`tr-old-${n}`, `agent-old-${n}`, 'org-old')
    const expiry = { storedBefore: later(NOW, 1), now: NOW }
    const purge = (rowsMax: number) =>
      transact(db, (tx) => createTraceStore(tx).deleteExpired('org-old', expiry, rowsMax))
    expect(await purge(2)).toBe(2)
    expect(await purge(2)).toBe(1)
    expect(await purge(2)).toBe(0)
    const store = createTraceStore(db)
    expect(await store.find({ agentId: 'agent-old-1', traceId: 'tr-old-1' })).toBeUndefined()
    const owner = { orgId: 'org-old', agentId: 'agent-old-1' }
    expect(await store.claimId(owner, 'tr-old-1')).toBe(false)
  })

  it('deletes everything of an erased agent', async () => {
    await save('tr-gone', 'agent-gone')
    await transact(db, (tx) => createTraceStore(tx).deleteOfAgent(toAgentId('agent-gone')))
    const left = await sql<{ count: number }>`
      select (select count(*) from trace where agent_id = 'agent-gone')
        + (select count(*) from trace_owner where agent_id = 'agent-gone') as count`.execute(db)
    expect(left.rows).toEqual([{ count: 0 }])
  })
})

describe('the last traces of a card', () => {
  const agentId = 'agent-card'
  const insert = async (
    traceId: string,
    changes: Partial<StoredTrace['trace']>,
    heldAgainst = 'ac-1',
  ) => {
    const one = stored(traceId, agentId, 'org-1')
    const verification = { ...one.verification, card_id: heldAgainst }
    await createTraceStore(db).insert({ ...one, verification, trace: { ...one.trace, ...changes } })
  }
  const latest = (cardId: string, countMax: number) =>
    createTraceStore(db).listLatestIds({ agentId, cardId, countMax })

  it('are those verified against it, by time and then by code points of their ids', async () => {
    await insert('tr-b', {})
    await insert('tr-B', {})
    await insert('tr-late', { timestamp: later(NOW, 1).toISOString(), card_id: 'ac-made-up' })
    await insert('tr-early', { timestamp: later(NOW, -1).toISOString() })
    await insert('tr-else', {}, 'ac-2')
    expect(await latest('ac-1', 500)).toEqual(['tr-early', 'tr-B', 'tr-b', 'tr-late'])
    expect(await latest('ac-1', 2)).toEqual(['tr-b', 'tr-late'])
    expect(await latest('ac-2', 500)).toEqual(['tr-else'])
    expect(await latest('ac-3', 500)).toEqual([])
  })

  it('return their behaviour in the order requested, omitting missing ones', async () => {
    const flagged = (...flags: string[]) => ({ option_id: 'o', description: 'd', flags })
    await insert('tr-full', {
      decision: {
        selected: 'a',
        selection_reasoning: 'It fits.',
        values_applied: ['honesty'],
        confidence: 0,
        alternatives_considered: [
          flagged('f', 'g'),
          { option_id: 'o', description: 'd' },
          flagged('f'),
        ],
      },
      escalation: { evaluated: true, required: false, reason: 'r', escalation_status: 'denied' },
    })
    const shared = {
      sessionId: 's',
      action: { type: 'execute', category: 'bounded', name: 'search' },
    }
    const asked = ['tr-full', 'tr-unknown', 'tr-else']
    expect(await createTraceStore(db).listBehaviour(agentId, asked)).toEqual([
      {
        ...shared,
        traceId: 'tr-full',
        valuesApplied: ['honesty'],
        confidence: 0,
        escalation: { required: false, status: 'denied' },
        flags: ['f', 'g'],
      },
      {
        ...shared,
        traceId: 'tr-else',
        valuesApplied: [],
        confidence: undefined,
        escalation: undefined,
        flags: [],
      },
    ])
  })
})

describe('in the database', () => {
  beforeAll(async () => {
    // Enough to fill every partition.
    for (let n = 0; n < 100; n += 1) await save(`tr-guarded-${n}`, `guarded-${n}`)
  })

  it.each([
    'update trace set verified = true',
    'delete from trace',
    'truncate trace',
    'update trace_0 set verified = true',
    'delete from trace_0',
    'truncate trace_0',
    'truncate trace_15',
    'update trace_owner set agent_id = $$x$$',
    'delete from trace_owner',
    'truncate trace_owner',
  ])('traces are insert-only: %s is rejected', async (statement) => {
    await expect(sql.raw(statement).execute(db)).rejects.toThrow('never changed')
  })
})

describe('the count of used tools', () => {
  const START = later(NOW, 10)
  const uses = async (more: Partial<Parameters<typeof countToolUse>[1]> = {}) =>
    transact(db, (tx) =>
      countToolUse(tx, {
        statementMsMax: 60_000,
        agentId: 'counted',
        range: { start: START, end: later(START, 100) },
        flaggedSessions: [],
        tracesMax: 100,
        groupsMax: 100,
        ...more,
      }),
    )

  beforeAll(async () => {
    const add = async (n: number, more: Partial<StoredTrace>, tools?: string[]) => {
      const base = stored(`tr-use-${n}`, 'counted', 'org-1')
      const timestamp = later(START, n).toISOString()
      const trace = { ...base.trace, timestamp, ...(tools === undefined ? {} : { tools }) }
      await createTraceStore(db).insert({ ...base, ...more, trace })
    }
    const failed = { verdict: 'fail', violations: 1, warnings: 0, tools: [] } as const
    const policy = { ...failed, policy_id: null, policy_version: null }
    await add(-1, {}, ['early'])
    await add(0, {}, ['read', 'read', 'write'])
    await add(1, {}, ['read'])
    await add(2, { sessionId: 'bad' }, ['read'])
    await add(3, { policy }, ['read'])
    await add(4, {})
    await add(5, {}, [])
    await add(100, {}, ['late'])
  })

  it('is by tool and all that tells what the traces prove', async () => {
    const { traces, uses: found } = await uses({ flaggedSessions: ['bad'] })
    expect(traces).toBe(6)
    const seen = { actionName: 'search', verified: true, verdict: null, sessionFlagged: false }
    const at = (n: number) => later(START, n)
    const once = (n: number) => ({ count: 1, first: at(n), last: at(n), newestId: `tr-use-${n}` })
    expect(found).toHaveLength(5)
    expect(found).toEqual(
      expect.arrayContaining([
        { ...seen, tool: 'read', count: 2, first: at(0), last: at(1), newestId: 'tr-use-1' },
        { ...seen, tool: 'write', ...once(0) },
        { ...seen, tool: 'read', sessionFlagged: true, ...once(2) },
        { ...seen, tool: 'read', verdict: 'fail', ...once(3) },
        // Without a list of tools, an executed action is the tool.
        { ...seen, tool: 'search', ...once(4) },
      ]),
    )
  })

  it('is of the newest traces only, and of as many groups as asked for', async () => {
    const newest = await uses({ tracesMax: 3 })
    expect(newest.traces).toBe(3)
    expect(newest.uses.map(({ tool }) => tool).sort()).toEqual(['read', 'search'])
    expect((await uses({ groupsMax: 1 })).uses).toHaveLength(1)
  })
})
