import { randomUUID } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { testDatabase } from '#harness/database.ts'
import { holdTransaction } from '#harness/held-transaction.ts'
import { DAY_MS, later } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import { createTestLedger, decisionOf } from './decisions.fixture.ts'
import { createDecisionUse } from './use-service.ts'

const ORG = `org-${randomUUID()}`
const clock = testClock()
const now = clock.now()

let db: Db
let url: string

beforeAll(async () => {
  const database = await testDatabase()
  db = database.db
  url = database.connectionString
  const { ledger } = createTestLedger(db, clock)
  for (const days of [1, 20]) {
    const decidedAt = later(now, -days * DAY_MS)
    await ledger.record(decisionOf({ orgId: ORG, tool: `days-${days}`, decidedAt }))
  }
})

const query = {
  orgId: ORG,
  agentId: 'agent-1',
  range: { start: later(now, -30 * DAY_MS), end: now },
  flaggedSessions: [],
  groupsMax: 10,
}
const useWith = (historyDays: number | null, statementMsMax?: number) =>
  createDecisionUse({ db, clock, plans: { historyDays: async () => historyDays } }, statementMsMax)

it('counts only what the plan shows', async () => {
  const toolsOf = async (days: number | null) =>
    (await useWith(days).count(query)).map(({ tool }) => tool).sort()
  expect(await toolsOf(null)).toEqual(['days-1', 'days-20'])
  expect(await toolsOf(7)).toEqual(['days-1'])
})

it('says so if it takes too long', async () => {
  const held = await holdTransaction(url, [['lock table decision in access exclusive mode']])
  await expect(useWith(null, 50).count(query)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('shorter period'),
  })
  await held.rollback()
})
