import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { testDatabase } from '#harness/database.ts'
import { later } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import { toAgentId } from '../../../kernel/ids.ts'
import { ACKNOWLEDGED, anAlert, aTraceAlert, DETECTED_AT } from './alert.fixture.ts'
import type { Alert } from './alert.ts'
import { createAlertStore } from './store.ts'

const ALL = { kind: undefined, status: undefined }
const PAGE = { page: 1, perPage: 20 }

let db: Db
let store: ReturnType<typeof createAlertStore>

beforeEach(async () => {
  db = (await testDatabase()).db
  store = createAlertStore(db)
})

const save = async (...alerts: Alert[]) => {
  for (const alert of alerts) await store.insert(alert)
}
const idsOf = (alerts: readonly Alert[]) => alerts.map((alert) => alert.alertId)

describe('the alert store', () => {
  it('finds an inserted alert by its id alone', async () => {
    const resolved = aTraceAlert(ACKNOWLEDGED)
    await save(anAlert(), resolved)
    expect(await store.find('ida-1')).toEqual(anAlert())
    expect(await store.lock('da-1')).toEqual(resolved)
    expect(await store.find('ida-unknown')).toBeUndefined()
    expect(await store.lock('ida-unknown')).toBeUndefined()
  })

  it('changes one alert and no other', async () => {
    const other = anAlert({ alertId: 'ida-2', streakId: 'ic-9' })
    await save(anAlert(), other)
    const changed = anAlert({ sustained: 4, evidenceIds: ['ic-2'], similarity: 0.1 })
    await store.update(changed)
    expect(await store.find('ida-1')).toEqual(changed)
    expect(await store.find('ida-2')).toEqual(other)
  })

  it('lists an agent’s alerts newest first, filtered by kind and status', async () => {
    await save(
      anAlert({ alertId: 'ida-old', streakId: 'ic-9', detectedAt: later(DETECTED_AT, -1) }),
      anAlert(ACKNOWLEDGED),
      aTraceAlert({ detectedAt: later(DETECTED_AT, 1) }),
      anAlert({ alertId: 'ida-other', agentId: 'agent-2' }),
    )
    const list = async (filter: object, page = PAGE) => {
      const found = await store.list('agent-1', { ...ALL, ...filter }, page)
      return [found.total, ...idsOf(found.items)]
    }
    expect(await list({})).toEqual([3, 'da-1', 'ida-1', 'ida-old'])
    expect(await list({}, { page: 2, perPage: 2 })).toEqual([3, 'ida-old'])
    expect(await list({ kind: 'integrity' })).toEqual([2, 'ida-1', 'ida-old'])
    expect(await list({ status: 'open' })).toEqual([2, 'da-1', 'ida-old'])
    expect(await list({ status: 'resolved' })).toEqual([1, 'ida-1'])
    expect(await list({ kind: 'trace', status: 'resolved' })).toEqual([0])
  })

  it('finds the open alerts of a session or a card', async () => {
    await save(
      anAlert({ alertId: 'ida-2', streakId: 'ic-9', detectedAt: later(DETECTED_AT, 1) }),
      anAlert(),
      anAlert({ alertId: 'ida-3', streakId: 'ic-8', ...ACKNOWLEDGED }),
      aTraceAlert(),
      aTraceAlert({ alertId: 'da-2', cardId: 'ac-2' }),
    )
    const session = { agentId: 'agent-1', kind: 'integrity', sessionId: 's1' } as const
    const card = { agentId: 'agent-1', kind: 'trace', cardId: 'ac-2' } as const
    expect(idsOf(await store.lockOpen(session))).toEqual(['ida-1', 'ida-2'])
    expect(idsOf(await store.lockOpen(card))).toEqual(['da-2'])
    expect(await store.hasOpen(session)).toBe(true)
    expect(await store.hasOpen({ ...session, sessionId: 's2' })).toBe(false)
    expect(await store.hasOpen({ ...session, agentId: 'agent-2' })).toBe(false)
  })

  it('finds the alerts of a streak, by its start or by a shared trace', async () => {
    await save(
      anAlert(ACKNOWLEDGED),
      anAlert({ alertId: 'ida-2', agentId: 'agent-2' }),
      aTraceAlert(),
      aTraceAlert({ alertId: 'da-2', detectedAt: later(DETECTED_AT, 1), ...ACKNOWLEDGED }),
      aTraceAlert({ alertId: 'da-3', cardId: 'ac-2' }),
    )
    expect(idsOf(await store.lockOfStreak('agent-1', 'ic-1'))).toEqual(['ida-1'])
    expect(await store.lockOfStreak('agent-1', 'ic-2')).toEqual([])
    const sharing = await store.lockSharing('agent-1', 'ac-1', ['tr-3', 'tr-4'])
    expect(idsOf(sharing)).toEqual(['da-2', 'da-1'])
    expect(await store.lockSharing('agent-1', 'ac-1', ['tr-4'])).toEqual([])
    expect(await store.lockSharing('agent-1', 'ac-1', ['ic-1'])).toEqual([])
  })

  it('deletes the alerts of an erased agent only', async () => {
    await save(anAlert(), aTraceAlert(), anAlert({ alertId: 'ida-2', agentId: 'agent-2' }))
    await store.deleteOfAgent(toAgentId('agent-1'))
    const left = await sql`select alert_id from drift_alert`.execute(db)
    expect(left.rows).toEqual([{ alert_id: 'ida-2' }])
  })
})

describe('in the database', () => {
  it('a streak has at most one alert', async () => {
    await save(anAlert())
    await expect(save(anAlert({ alertId: 'ida-2' }))).rejects.toThrow('drift_alert_by_streak')
    await expect(save(anAlert({ streakId: 'ic-9' }))).rejects.toThrow('drift_alert')
  })

  it.each<[string, Partial<Alert>]>([
    ['resolved at no time', { resolution: 'recovered' }],
    ['recovered and yet acknowledged', { ...ACKNOWLEDGED, resolution: 'recovered' }],
    ['acknowledged by nobody', { ...ACKNOWLEDGED, acknowledgedBy: null }],
    ['of checkpoints without a start', { streakId: null }],
    ['of checkpoints with a baseline', { baselineIds: ['tr-a'] }],
    ['of more than 500', { evidenceIds: Array.from({ length: 501 }, (_, n) => `ic-${n}`) }],
  ])('no alert is %s', async (_what, changes) => {
    await expect(save(anAlert(changes))).rejects.toThrow('check constraint')
  })
})
