import { describe, expect, it } from 'vitest'
import { DAY_MS, later } from '../../../kernel/clock.ts'
import { toDecisionId } from '../../../kernel/ids.ts'
import { decisionOf } from './decisions.fixture.ts'
import { answerReport, isBypass, type ReportedOutcome } from './outcome.ts'

const decidedAt = new Date('2026-03-01T12:00:00Z')
const decision = {
  ...decisionOf({ decidedAt, askedBy: 'key-1' }),
  decisionId: toDecisionId('dec-019f0000-0000-7000-8000-000000000000'),
}
const REPORTED: ReportedOutcome = {
  status: 'executed',
  durationMs: 12.3456789,
  error: null,
  resultHash: null,
}
const asker = { id: 'key-1', agentId: undefined }
const soon = later(decidedAt, 1000)

describe('a reported outcome', () => {
  it('is new to a decision without one', () => {
    expect(
      answerReport({ decision, outcome: null, isAnsweredInClient: false }, REPORTED, asker, soon),
    ).toEqual({
      kind: 'new',
      outcome: { ...REPORTED, reportedAt: soon, bypassed: false },
    })
  })

  it('is a duplicate if it is the same, at any time and in single precision', () => {
    const outcome = { ...REPORTED, durationMs: 12.345679, reportedAt: soon, bypassed: false }
    const muchLater = later(decidedAt, 2 * DAY_MS)
    expect(
      answerReport({ decision, outcome, isAnsweredInClient: false }, REPORTED, asker, muchLater)
        .kind,
    ).toBe('duplicate')
  })

  it.each([
    { status: 'failed' as const },
    { durationMs: null },
    { error: 'x' },
    { resultHash: 'ab'.repeat(32) },
  ])('conflicts with another one: %o', (other) => {
    const outcome = { ...REPORTED, reportedAt: soon, bypassed: false }
    const reported = { ...REPORTED, ...other }
    expect(
      answerReport({ decision, outcome, isAnsweredInClient: false }, reported, asker, soon).kind,
    ).toBe('conflict')
  })

  it('is accepted for 24 hours', () => {
    const at = (ms: number) =>
      answerReport(
        { decision, outcome: null, isAnsweredInClient: false },
        REPORTED,
        asker,
        later(decidedAt, ms),
      ).kind
    expect([at(DAY_MS), at(DAY_MS + 1)]).toEqual(['new', 'late'])
  })

  it('is accepted only from the credential that asked and from keys of the agent', () => {
    const found = { decision, outcome: null, isAnsweredInClient: false }
    const by = (agentId: string | undefined) =>
      answerReport(found, REPORTED, { id: 'key-2', agentId }, soon).kind
    expect([by(undefined), by('agent-2'), by('agent-1')]).toEqual(['not_found', 'not_found', 'new'])
    expect(answerReport(undefined, REPORTED, asker, soon).kind).toBe('not_found')
  })
})

describe('a bypass', () => {
  it('is a call that was made although it was refused by a client that enforces', () => {
    const bypasses = (['allow', 'warn', 'escalate', 'block'] as const).flatMap((decision) =>
      (['executed', 'failed', 'not_executed'] as const).flatMap((status) =>
        [true, false].flatMap((enforced) =>
          isBypass({ decision, enforced, isAnsweredInClient: false }, status)
            ? [`${decision} ${status} ${enforced}`]
            : [],
        ),
      ),
    )
    expect(bypasses).toEqual([
      'escalate executed true',
      'escalate failed true',
      'block executed true',
      'block failed true',
    ])
  })

  it('is no escalated call that the user of the client could answer there', () => {
    const of = (decision: 'escalate' | 'block') =>
      isBypass({ decision, enforced: true, isAnsweredInClient: true }, 'executed')
    expect([of('escalate'), of('block')]).toEqual([false, true])
  })
})
