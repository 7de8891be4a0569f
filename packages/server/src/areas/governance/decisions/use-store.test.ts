import { randomUUID } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { testDatabase } from '#harness/database.ts'
import { later, MINUTE_MS } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import type { DecisionRecord } from './decision-record.ts'
import { createTestLedger, decisionOf } from './decisions.fixture.ts'
import { countDecisionUse } from './use-store.ts'

const ORG = `org-${randomUUID()}`
const START = testClock().now()
const RANGE = { start: START, end: later(START, 60 * MINUTE_MS) }

let db: Db
const records: DecisionRecord[] = []

/** Two agents, one of them with several kinds of the same tool, before, in and after the range. */
beforeAll(async () => {
  db = (await testDatabase()).db
  const { ledger } = createTestLedger(db, testClock())
  for (let n = -30; n < 90; n += 1) {
    records.push(
      decisionOf({
        orgId: ORG,
        agentId: n % 5 === 0 ? 'other' : 'agent',
        tool: `tool-${Math.abs(n) % 3}`,
        policyVersion: 1 + (Math.abs(n) % 4),
        sessionId: n % 2 === 0 ? null : `session-${Math.abs(n) % 7}`,
        ...(n % 11 === 0 && {
          decision: 'warn',
          verdict: 'warn',
          reasons: [
            { code: 'limit', source: 'policy', tool: 't', message: `m${n}`, severity: null },
            { code: 'escalation', source: 'policy', tool: 't', message: 'm', severity: 'high' },
          ],
        }),
        decidedAt: later(START, n * MINUTE_MS),
      }),
    )
  }
  await Promise.all(records.map((one) => ledger.record(one)))
})

const count = (flaggedSessions: string[], groupsMax = 100, agentId = 'agent') =>
  transact(db, (tx) =>
    countDecisionUse(tx, {
      orgId: ORG,
      agentId,
      range: RANGE,
      flaggedSessions,
      testSession: 'session-test',
      groupsMax,
      statementMsMax: 20_000,
    }),
  )

it.each([[[]], [['session-1', 'session-3', 'session-none']]])(
  'counts the decisions of an agent and period by tool and all that tells what they prove, flagged: %j',
  async (flagged: string[]) => {
    const uses = await count(flagged)
    const expected = new Map<string, DecisionRecord[]>()
    for (const one of records) {
      if (one.agentId !== 'agent' || one.decidedAt < RANGE.start || one.decidedAt >= RANGE.end)
        continue
      const isFlagged = one.sessionId !== null && flagged.includes(one.sessionId)
      const key = `${one.tool} ${one.decision} ${isFlagged}`
      expected.set(key, [...(expected.get(key) ?? []), one])
    }
    const found = new Map(
      uses.map((use) => [`${use.tool} ${use.decision} ${use.sessionFlagged}`, use]),
    )
    expect([...found.keys()].sort()).toEqual([...expected.keys()].sort())
    for (const [key, of] of expected) {
      expect(found.get(key)).toMatchObject({
        count: of.length,
        first: of[0]?.decidedAt,
        last: of.at(-1)?.decidedAt,
        newestId: of.at(-1)?.decisionId,
        outcome: null,
        bypassed: false,
        enforced: true,
        reasons: key.includes('warn')
          ? [
              { code: 'escalation', severity: 'high' },
              { code: 'limit', severity: null },
            ]
          : [],
      })
    }
  },
)

it('returns at most as many groups as asked for, and none of an agent without decisions', async () => {
  expect(await count([], 2)).toHaveLength(2)
  expect(await count([], 100, 'nobody')).toEqual([])
})
