import { sha256Hex } from '@touchstone/protocol/crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { givenSubmissionOf, START, submissionOf } from './submission.fixture.ts'
import {
  isSameSubmission,
  type KnownSubmission,
  readSubmission,
  type Submission,
} from './submission.ts'

const DAY_MS = 86_400_000
const at = (offsetMs: number) => new Date(START.getTime() + offsetMs).toISOString()
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

describe('a submission', () => {
  it('is refused without a non-empty text', () => {
    for (const texts of [{}, { thinking: '' }, { output: '' }, { thinking: '', output: '' }]) {
      const given = givenSubmissionOf({ thinking: undefined, output: undefined, ...texts })
      expect(readSubmission(given, START)).toMatchObject({ ok: false, code: 'required' })
    }
  })

  it('hashes absent thinking as the empty string and absent output as null', () => {
    const spoken = submissionOf({ thinking: undefined, output: 'said' })
    expect(spoken).toMatchObject({ thinkingHash: EMPTY, outputHash: sha256Hex('said') })
    const thought = submissionOf({ thinking: 'alpha', output: '' })
    expect(thought).toMatchObject({ thinkingHash: sha256Hex('alpha'), outputHash: null })
    expect(thought.output).toBeUndefined()
  })

  it('is hashed without Unicode normalisation', () => {
    const composed = submissionOf({ thinking: '\u00e9 \r\n' })
    expect(composed.thinkingHash).toBe(sha256Hex('\u00e9 \r\n'))
    expect(composed.thinkingHash).not.toBe(submissionOf({ thinking: 'e\u0301 \r\n' }).thinkingHash)
  })

  it.each([
    ['now + 5 min', 300_000, true],
    ['a millisecond past it', 300_001, false],
    ['90 days ago', -90 * DAY_MS, true],
    ['a millisecond before that', -90 * DAY_MS - 1, false],
  ])('accepts a timestamp %s (%d ms): %s', (_what, offset, ok) => {
    expect(readSubmission(givenSubmissionOf({ timestamp: at(offset) }), START).ok).toBe(ok)
  })

  it('is refused with a date that does not exist', () => {
    const given = givenSubmissionOf({ timestamp: '2026-02-30T25:61:00Z' })
    expect(readSubmission(given, START)).toMatchObject({ ok: false, code: 'pattern' })
  })

  it('defaults its timestamp to the time of receipt', () => {
    expect(submissionOf().timestamp).toEqual(START)
    const zoned = submissionOf({ timestamp: '2026-03-01T01:30:00+02:00' })
    expect(zoned.timestamp.toISOString()).toBe('2026-02-28T23:30:00.000Z')
  })

  it('defaults to the session of its hour', () => {
    const submission = submissionOf({ sessionId: undefined, timestamp: '2026-03-01T00:01:00Z' })
    expect(submission).toMatchObject({ sessionId: 'sess-fe45a8e1-492312', sessionNamed: true })
    const earlier = submissionOf({ sessionId: undefined, timestamp: '2026-02-28T23:59:59.999Z' })
    expect(earlier.sessionId).toBe('sess-fe45a8e1-492311')
    expect(submissionOf({ sessionId: undefined }).sessionNamed).toBe(false)
  })
})

const storedAs = (submission: Submission): KnownSubmission => ({
  ...submission,
  checkpointId: 'ic-1',
})

describe('the same submission', () => {
  const known = storedAs(submissionOf({ output: 'said' }))
  const same = (changes: object, now = START) =>
    isSameSubmission(submissionOf({ output: 'said', ...changes }, now), known)

  it('has the same agent, session and texts, whatever its other fields', () => {
    expect(same({})).toBe(true)
    expect(same({ timestamp: at(-5000), model: 'other', actions: ['x'], traceId: 'tr-1' })).toBe(
      true,
    )
    expect(same({ agentId: 'agent-other' })).toBe(false)
    expect(same({ sessionId: 's2' })).toBe(false)
    expect(same({ thinking: 'beta' })).toBe(false)
    expect(same({ output: undefined })).toBe(false)
  })

  it('is recognised an hour later if its session was never named', () => {
    const first = submissionOf({ sessionId: undefined })
    const later = submissionOf({ sessionId: undefined }, new Date(START.getTime() + 3_600_000))
    expect(later.sessionId).not.toBe(first.sessionId)
    expect(isSameSubmission(later, storedAs(first))).toBe(true)
  })

  it('depends only on agent, session and texts', () => {
    const part = fc.constantFrom('aaa', 'bbb')
    const given = fc.record({
      agentId: part,
      sessionId: part,
      thinking: part,
      output: fc.option(part, { nil: undefined }),
      model: part,
    })
    fc.assert(
      fc.property(given, given, (one, other) => {
        const equal =
          one.agentId === other.agentId &&
          one.sessionId === other.sessionId &&
          one.thinking === other.thinking &&
          one.output === other.output
        expect(isSameSubmission(submissionOf(one), storedAs(submissionOf(other)))).toBe(equal)
      }),
    )
  })
})
