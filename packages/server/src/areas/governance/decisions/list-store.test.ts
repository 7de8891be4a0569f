import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { testDatabase } from '#harness/database.ts'
import { runs } from '#harness/runs.ts'
import { later, MINUTE_MS } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { DecisionFilter } from './decision-filter.ts'
import type { StoredDecision } from './decision-record.ts'
import { createTestLedger, decisionOf } from './decisions.fixture.ts'
import { listDecisions } from './list-store.ts'

const ORG = `org-${randomUUID()}`
const ROWS = 1500
const START = testClock().now()

let db: Db
/** All decisions, newest first. */
let everything: StoredDecision[]

/** 1,500 decisions of several hundred kinds, some frequent and some rare. */
beforeAll(async () => {
  db = (await testDatabase()).db
  const { ledger } = createTestLedger(db)
  const made = Array.from({ length: ROWS }, (_, n) =>
    decisionOf({
      orgId: ORG,
      agentId: `agent-${n % 7}`,
      tool: n % 3 === 0 ? 'search' : `tool_${n % 101}`,
      decision: n % 97 === 0 ? 'block' : 'allow',
      source: n % 400 === 0 ? 'hook' : 'api',
      policyId: n % 250 === 3 ? 'pol-rare' : 'pol-1',
      sessionId: n % 5 === 0 ? null : `session-${n % 11}`,
      callId: `call-${n % 300}`,
      escalationId: n % 97 === 0 ? `esc-${n % 4}` : null,
      decidedAt: later(START, n * MINUTE_MS),
    }),
  )
  await Promise.all(made.map((one) => ledger.record(one)))
  everything = await listDecisions(db, { orgId: ORG }, { before: undefined, limit: ROWS + 1 })
}, 60_000)

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 })

const filters: fc.Arbitrary<Partial<DecisionFilter>> = fc.record({
  agentId: maybe(fc.constantFrom('agent-0', 'agent-3', 'agent-none')),
  tool: maybe(fc.constantFrom('search', 'tool_7', 'tool_*', 'tool_1*', 'none')),
  decisions: maybe(fc.constantFrom(['block'] as const, ['allow', 'block'] as const)),
  source: maybe(fc.constantFrom('hook' as const, 'api' as const)),
  policyId: maybe(fc.constantFrom('pol-rare', 'pol-1')),
  sessionId: maybe(fc.constantFrom('session-1', 'session-none')),
  callId: maybe(fc.constantFrom('call-5', 'call-97')),
  escalationId: maybe(fc.constantFrom('esc-1', 'esc-none')),
  outcome: maybe(fc.constantFrom('none' as const, 'executed' as const)),
  from: maybe(fc.integer({ min: 0, max: ROWS }).map((n) => later(START, n * MINUTE_MS))),
  to: maybe(fc.integer({ min: 0, max: ROWS }).map((n) => later(START, n * MINUTE_MS))),
})

function matches(one: StoredDecision, filter: Partial<DecisionFilter>): boolean {
  const { agentId, tool, decisions, source, policyId, from, to } = filter
  const { sessionId, callId, escalationId, outcome } = filter
  const isTool = tool?.endsWith('*') ? one.tool.startsWith(tool.slice(0, -1)) : one.tool === tool
  return [
    agentId === undefined || one.agentId === agentId,
    tool === undefined || isTool,
    decisions === undefined || decisions.includes(one.decision),
    source === undefined || one.source === source,
    policyId === undefined || one.policyId === policyId,
    sessionId === undefined || one.sessionId === sessionId,
    callId === undefined || one.callId === callId,
    escalationId === undefined || one.escalationId === escalationId,
    outcome === undefined || outcome === 'none',
    from === undefined || one.decidedAt >= from,
    to === undefined || one.decidedAt < to,
  ].every(Boolean)
}

describe('the list of decisions', () => {
  it('has everything, newest first', () => {
    expect(everything).toHaveLength(ROWS)
    const ids = everything.map(({ decisionId }) => decisionId)
    expect(ids).toEqual([...ids].sort().reverse())
  })

  it('has exactly what matches any filters, page after page', async () => {
    const run = async (filter: Partial<DecisionFilter>, limit: number, skipped: number) => {
      const wanted = everything.filter((one) => matches(one, filter))
      const before = wanted[skipped]?.decisionId
      const found = await listDecisions(db, { orgId: ORG, ...filter }, { before, limit })
      const rest = before === undefined ? wanted : wanted.slice(skipped + 1)
      expect(found.map(({ decisionId }) => decisionId)).toEqual(
        rest.slice(0, limit).map(({ decisionId }) => decisionId),
      )
      expect(found).toEqual(rest.slice(0, limit))
    }
    const limits = fc.integer({ min: 1, max: 60 })
    await fc.assert(fc.asyncProperty(filters, limits, fc.nat(120), run), runs(1000))
  })

  it('shows nothing of other organisations', async () => {
    for (const filter of [{}, { agentId: 'agent-0' }, { sessionId: 'session-1' }]) {
      const page = { before: undefined, limit: 10 }
      expect(await listDecisions(db, { orgId: 'org-other', ...filter }, page)).toEqual([])
    }
  })
})
