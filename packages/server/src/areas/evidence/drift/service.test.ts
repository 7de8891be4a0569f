import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { type TestClock, testClock } from '#harness/clock.ts'
import { testDatabase } from '#harness/database.ts'
import { personActor } from '../../../audit.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { createEvents } from '../../../kernel/events.ts'
import { toAgentId } from '../../../kernel/ids.ts'
import type { Alert } from './alert.ts'
import { createDriftService, type DriftDeps, type DriftService } from './service.ts'
import { createAlertStore } from './store.ts'
import type { DriftTrace } from './trace-drift.ts'

const ORG = { orgId: 'org-1', accountId: 'ba-1' }
const ACTOR = personActor('user-1', { ip: null, requestId: null })
const SESSION = { agentId: 'agent-1', sessionId: 's1' }

let db: Db
let clock: TestClock
let audited: object[]
let noted: object[]
/** The agent's traces under its card, newest last. */
let history: DriftTrace[]
let drift: DriftService

beforeEach(async () => {
  db = (await testDatabase()).db
  clock = testClock()
  audited = []
  noted = []
  history = []
  drift = service()
})

const TRACES: DriftDeps['traces'] = {
  listLatestIds: async (_tx, { countMax }) => history.slice(-countMax).map((t) => t.traceId),
  listBehaviour: async (_tx, _agentId, ids) => history.filter((t) => ids.includes(t.traceId)),
}

function service(changes: Partial<DriftDeps> = {}): DriftService {
  return createDriftService({
    db,
    clock,
    audit: { record: async (_tx, entry) => void audited.push(entry) },
    events: createEvents({ db, clock, onEmit: () => undefined }),
    agents: { assertOpen: async () => undefined },
    traces: TRACES,
    sessions: { noteTraceDrift: async (_tx, session) => void noted.push(session) },
    ...changes,
  })
}

async function alerts(): Promise<Alert[]> {
  const filter = { kind: undefined, status: undefined }
  return (await drift.list('agent-1', filter, { page: 1, perPage: 100 })).items
}

async function events() {
  const found = await sql<{ type: string; org_id: string; account_id: string; data: unknown }>`
    select type, org_id, account_id, data from event order by created_at, type`.execute(db)
  return found.rows
}

async function eventTypes(): Promise<string[]> {
  return (await events()).map((event) => event.type)
}

const ids = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => `ic-${from + n}`)

/** A streak of non-clear checkpoints of the session, from one number to another. */
const observe = (from: number, to: number, similarity = 0.4) =>
  transact(db, (tx) =>
    drift.observeStreak(tx, ORG, {
      ...SESSION,
      cardId: 'ac-1',
      firstId: `ic-${from}`,
      checkpointIds: ids(from, to),
      sustained: to - from + 1,
      similarity,
      categories: { autonomy_violation: 2, undeclared_intent: 1 },
    }),
  )
const recover = () => transact(db, (tx) => drift.recoverSession(tx, ORG, SESSION))
const hasOpen = () => drift.hasOpen(db, SESSION.agentId, SESSION.sessionId)
const acknowledge = async (alert: Alert | undefined) => {
  if (alert === undefined) throw new Error('there is no alert')
  return drift.acknowledge(ORG, alert, ACTOR)
}

describe('a session with a streak of non-clear checkpoints', () => {
  it('opens an alert at the third in a row and emits one event', async () => {
    await observe(3, 4)
    expect(await alerts()).toEqual([])
    expect(await hasOpen()).toBe(false)
    await observe(3, 5)
    expect(await alerts()).toEqual([
      {
        alertId: expect.stringMatching(/^ida-[0-9a-f-]{36}$/),
        agentId: 'agent-1',
        orgId: 'org-1',
        kind: 'integrity',
        sessionId: 's1',
        cardId: 'ac-1',
        severity: 'medium',
        direction: 'autonomy_creep',
        similarity: 0.4,
        sustained: 3,
        evidenceIds: ['ic-3', 'ic-4', 'ic-5'],
        baselineIds: [],
        followedIds: [],
        streakId: 'ic-3',
        detectedAt: clock.now(),
        resolution: null,
        resolvedAt: null,
        acknowledgedBy: null,
      },
    ])
    expect(await hasOpen()).toBe(true)
    expect(await events()).toMatchObject([
      { type: 'drift.detected', org_id: 'org-1', account_id: 'ba-1', data: { session_id: 's1' } },
    ])
  })

  it('updates ids, count and similarity without another event; the rest stays', async () => {
    await observe(3, 5)
    const [opened] = await alerts()
    clock.advance(1000)
    await observe(3, 6, 0.1)
    expect(await alerts()).toEqual([
      { ...opened, evidenceIds: ids(3, 6), sustained: 4, similarity: 0.1 },
    ])
    expect(await eventTypes()).toEqual(['drift.detected'])
  })

  it('raises no alert for the rest of an acknowledged streak, but for the next one', async () => {
    await observe(3, 5)
    const resolved = await acknowledge((await alerts())[0])
    await observe(3, 6)
    expect(await alerts()).toEqual([resolved])
    expect(await hasOpen()).toBe(false)
    await observe(8, 10)
    expect(await alerts()).toHaveLength(2)
    expect(await hasOpen()).toBe(true)
  })

  it('resolves every open alert on recovery, with one event each', async () => {
    await observe(1, 3)
    await observe(5, 7)
    await acknowledge((await alerts()).find((alert) => alert.streakId === 'ic-1'))
    await observe(9, 11)
    clock.advance(1000)
    await recover()
    await recover()
    const recovered = (await alerts()).filter((alert) => alert.resolution === 'recovered')
    expect(recovered.map((alert) => alert.streakId).sort()).toEqual(['ic-5', 'ic-9'])
    for (const alert of recovered) {
      expect(alert).toMatchObject({ resolvedAt: clock.now(), acknowledgedBy: null })
    }
    expect(await hasOpen()).toBe(false)
    const said = (await events()).filter((event) => event.type === 'drift.resolved')
    const common = { agent_id: 'agent-1', org_id: 'org-1', resolution: 'recovered' }
    expect(said.slice(1)).toMatchObject([
      { data: { ...common, acknowledged_by: null } },
      { data: { ...common, acknowledged_by: null } },
    ])
  })
})

const trace = (traceId: string, name: string, type: string): DriftTrace => ({
  traceId,
  sessionId: `s-${traceId}`,
  action: { type, category: type, name },
  valuesApplied: [],
  confidence: undefined,
  escalation: undefined,
  flags: [],
})

/** Stores traces in order: `u`sual or e`x`traordinary ones. */
async function act(letters: string): Promise<void> {
  for (const letter of letters) {
    const id = `${letter}${history.length}`
    history.push(letter === 'u' ? trace(id, 'search', 'a') : trace(id, 'purchase', 'b'))
    await follow()
  }
}
const follow = (cardId = 'ac-1', by = drift) =>
  transact(db, (tx) => by.followTrace(tx, ORG, { agentId: 'agent-1', cardId, declaredValues: [] }))

describe('an agent whose traces deviate from its baseline', () => {
  it('gets one alert for the streak, in the session of its third trace', async () => {
    await act('uuuxx')
    expect(await alerts()).toEqual([])
    await act('x')
    const [opened] = await alerts()
    expect(opened).toMatchObject({
      alertId: expect.stringMatching(/^da-[0-9a-f-]{36}$/),
      kind: 'trace',
      sessionId: 's-x5',
      cardId: 'ac-1',
      severity: 'high',
      similarity: 0,
      sustained: 3,
      evidenceIds: ['x3', 'x4', 'x5'],
      baselineIds: ['u0', 'u1', 'u2'],
    })
    await act('x')
    expect(await alerts()).toEqual([
      { ...opened, sustained: 4, evidenceIds: ['x3', 'x4', 'x5', 'x6'] },
    ])
    expect(noted).toEqual([{ agentId: 'agent-1', sessionId: 's-x5' }])
    expect(await eventTypes()).toEqual(['drift.detected'])
  })

  it('recovers after three usual traces and can drift again', async () => {
    await act('uuuxxxuu')
    expect((await alerts())[0]?.resolution).toBeNull()
    await act('u')
    expect((await alerts())[0]?.resolution).toBe('recovered')
    expect(await eventTypes()).toEqual(['drift.detected', 'drift.resolved'])
    await act('uxxx')
    expect(await alerts()).toHaveLength(2)
  })

  it('gets no new alert while an acknowledged streak lasts', async () => {
    await act('uuuxxx')
    const resolved = await acknowledge((await alerts())[0])
    await act('xx')
    const followedIds = ['x3', 'x4', 'x5', 'x6', 'x7']
    expect(await alerts()).toEqual([{ ...resolved, followedIds }])
  })

  it('is compared for each card separately', async () => {
    await act('uuuxxx')
    history.splice(3)
    history.push(...['u7', 'u8', 'u9'].map((id) => trace(id, 'search', 'a')))
    await follow('ac-2')
    expect((await alerts())[0]?.resolution).toBeNull()
  })

  it('is not compared with traces that retention deletes meanwhile', async () => {
    await act('uuuxx')
    history.push(trace('x5', 'purchase', 'b'))
    drift = service({
      traces: {
        ...TRACES,
        listBehaviour: async (_tx, _agentId, wanted) =>
          history.slice(3).filter((one) => wanted.includes(one.traceId)),
      },
    })
    await follow()
    expect(await alerts()).toEqual([])
  })

  it('reports for each check how many traces were compared and alerts opened', async () => {
    await act('uuuxx')
    expect(await follow()).toEqual({ tracesAnalyzed: 5, alertsOpened: 0 })
    history.push(trace('x5', 'purchase', 'b'))
    expect(await follow()).toEqual({ tracesAnalyzed: 6, alertsOpened: 1 })
    expect(await follow()).toEqual({ tracesAnalyzed: 6, alertsOpened: 0 })
  })

  it('reads only a few traces each time through a long streak', async () => {
    const counts: number[] = []
    drift = service({
      traces: {
        ...TRACES,
        async listBehaviour(tx, agentId, wanted) {
          counts.push(wanted.length)
          return TRACES.listBehaviour(tx, agentId, wanted)
        },
      },
    })
    await act(`${'u'.repeat(40)}${'x'.repeat(30)}`)
    counts.splice(0)
    await act('x')
    // The baseline with the last three, and the traces before the streak.
    expect(counts).toEqual([13, 3])
    expect(await alerts()).toMatchObject([{ sustained: 31, evidenceIds: { length: 31 } }])
    await acknowledge((await alerts())[0])
    await act('x'.repeat(20))
    expect(counts.slice(-4)).toEqual([13, 3, 13, 3])
    expect(await alerts()).toMatchObject([{ sustained: 31, evidenceIds: { length: 31 } }])
  })

  it('is not compared while the card is locked, and catches up the next time', async () => {
    await act('uuuxx')
    history.push(trace('x5', 'purchase', 'b'))
    await transact(db, async (tx) => {
      expect(await createAlertStore(tx).lockCard('agent-1', 'ac-1')).toBe(true)
      expect(await follow()).toEqual({ tracesAnalyzed: 0, alertsOpened: 0 })
    })
    expect(await alerts()).toEqual([])
    await act('x')
    expect(await alerts()).toMatchObject([{ sustained: 4 }])
  })

  it('gets one alert if a trace arrives while another is compared', async () => {
    await act('uuuxx')
    history.push(trace('x5', 'purchase', 'b'))
    const plain = drift
    let second: Promise<unknown> | undefined
    const noteTraceDrift = async (_tx: Db, session: object) => {
      noted.push(session)
      // The first alert is written but not committed.
      second = follow('ac-1', plain)
      await untilItWaits(second)
    }
    drift = service({ sessions: { noteTraceDrift } })
    await follow()
    await second
    expect(await alerts()).toHaveLength(1)
    expect(noted).toHaveLength(1)
    expect(await eventTypes()).toEqual(['drift.detected'])
  })
})

/** Or has already finished, as it would without a lock. */
async function untilItWaits(work: Promise<unknown>): Promise<void> {
  let through = false
  void work.then(() => {
    through = true
  })
  const waits = async () => {
    const found = await sql`select from pg_locks where locktype = 'advisory' and not granted
      and database = (select oid from pg_database where datname = current_database())`.execute(db)
    return found.rows.length > 0
  }
  while (!(through || (await waits())));
}

describe('acknowledging', () => {
  beforeEach(() => observe(1, 3))

  it('records the person in the alert, the event and the audit log', async () => {
    const [open] = await alerts()
    clock.advance(1000)
    const resolved = await acknowledge(open)
    expect(resolved).toEqual({
      ...open,
      resolution: 'acknowledged',
      resolvedAt: clock.now(),
      acknowledgedBy: 'user-1',
    })
    expect(await alerts()).toEqual([resolved])
    expect((await events()).at(-1)).toMatchObject({
      type: 'drift.resolved',
      data: { resolution: 'acknowledged', acknowledged_by: 'user-1' },
    })
    expect(audited).toMatchObject([
      { orgId: 'org-1', action: 'drift.acknowledged', target: { id: open?.alertId } },
    ])
  })

  it('succeeds once, even if two do it concurrently', async () => {
    const [open] = await alerts()
    const both = await Promise.allSettled([acknowledge(open), acknowledge(open)])
    expect(both.map((one) => one.status).sort()).toEqual(['fulfilled', 'rejected'])
    await expect(acknowledge(open)).rejects.toMatchObject({ code: 'conflict' })
    expect(audited).toHaveLength(1)
    expect(await eventTypes()).toEqual(['drift.detected', 'drift.resolved'])
  })

  it('is rejected for an archived agent and for a missing alert', async () => {
    const [open] = await alerts()
    const agents = { assertOpen: () => Promise.reject(new Error('archived')) }
    drift = service({ agents })
    await expect(acknowledge(open)).rejects.toThrow('archived')
    drift = service()
    await transact(db, (tx) => drift.erase(tx, toAgentId('agent-1')))
    await expect(acknowledge(open)).rejects.toMatchObject({ code: 'not_found' })
    expect(await alerts()).toEqual([])
  })
})
