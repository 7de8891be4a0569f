import { VERDICTS } from '@touchstone/protocol/analysis'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { emptyHead, secondsLater } from './checkpoint.fixture.ts'
import { countIn, type Head, scoringSetSize, withSession } from './head.ts'
import { type Arrived, advance, isScored, isStable, newSession, type Session } from './session.ts'

const NOW = secondsLater(100_000)

const arrivedOf = (position: number, changes: Partial<Arrived> = {}): Arrived => ({
  checkpointId: `ic-${position}`,
  position,
  timestamp: secondsLater(position),
  verdict: 'clear',
  synthetic: false,
  excluded: false,
  categories: [],
  ...changes,
})

/** The head after all of them, each in its session. */
function count(all: readonly (Arrived & { sessionId: string })[]) {
  const sessions = new Map<string, Session>()
  let head: Head = emptyHead()
  for (const { sessionId, ...arrived } of all) {
    const before = sessions.get(sessionId) ?? newSession('agent-demo', sessionId)
    const after = advance(before, arrived).session
    head = countIn(head, arrived, { before, after }, NOW)
    sessions.set(sessionId, after)
  }
  return { head, sessions: [...sessions.values()] }
}

const one = (arrived: Arrived) => count([{ ...arrived, sessionId: 's1' }]).head

describe('the counts of an agent', () => {
  it('change only by the session for a synthetic checkpoint', () => {
    const head = one(arrivedOf(0, { synthetic: true, verdict: 'boundary_violation' }))
    const empty = emptyHead()
    expect(head).toEqual({ ...empty, counts: { ...empty.counts, sessions: 1 } })
  })

  it('leave an excluded checkpoint out of the scoring set and the latest verdict', () => {
    const head = one(arrivedOf(0, { excluded: true }))
    expect(scoringSetSize(head.counts)).toBe(0)
    expect(head).toMatchObject({
      latestVerdict: null,
      leafAt: NOW,
      recentAt: [secondsLater(0)],
      counts: { excluded: 1 },
    })
  })

  it('do not advance chain and tree, which sealing does', () => {
    const { length, chainHash, leafCount, edge } = one(arrivedOf(0))
    expect({ length, chainHash, leafCount, edge }).toEqual({
      length: 0,
      chainHash: null,
      leafCount: 0,
      edge: [],
    })
  })

  it('include an unstable session only once it is long enough', () => {
    const before = newSession('agent-demo', 's1')
    const drifted = { ...before, traceDrift: true }
    const short = withSession(emptyHead().counts, { before, after: drifted })
    expect(short).toMatchObject({ sessions: 0, sessionsScored: 0, sessionsUnstable: 0 })
    const long = { ...drifted, checkpointCount: 3, scoredCount: 3 }
    expect(withSession(short, { before: drifted, after: long })).toMatchObject({
      sessions: 1,
      sessionsScored: 1,
      sessionsUnstable: 1,
    })
  })

  it('equal a recount after any sequence over any sessions', () => {
    const sequence = fc.array(
      fc.record({
        sessionId: fc.constantFrom('s1', 's2', 's3'),
        verdict: fc.constantFrom(...VERDICTS),
        synthetic: fc.boolean(),
        excluded: fc.boolean(),
      }),
      { maxLength: 60 },
    )
    fc.assert(
      fc.property(sequence, (given) => {
        const all = given.map((changes, i) => ({ ...arrivedOf(i), ...changes }))
        const { head, sessions } = count(all)
        const analysed = all.filter((each) => !each.synthetic)
        const scored = analysed.filter((each) => !each.excluded)
        const of = (verdict: string) => scored.filter((each) => each.verdict === verdict).length
        expect(head.counts).toEqual({
          verdicts: {
            clear: of('clear'),
            review_needed: of('review_needed'),
            boundary_violation: of('boundary_violation'),
          },
          excluded: analysed.length - scored.length,
          sessions: new Set(all.map((each) => each.sessionId)).size,
          sessionsScored: sessions.filter(isScored).length,
          sessionsUnstable: sessions.filter((each) => isScored(each) && !isStable(each)).length,
        })
        expect(scoringSetSize(head.counts)).toBe(scored.length)
        expect(head.recentAt).toEqual(analysed.slice(-10).map((each) => each.timestamp))
        expect(head.latestVerdict).toBe(scored.at(-1)?.verdict ?? null)
        expect(head.leafAt).toEqual(analysed.length === 0 ? null : NOW)
      }),
    )
  })
})
