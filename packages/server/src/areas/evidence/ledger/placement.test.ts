import { VERDICTS, type Verdict } from '@touchstone/protocol/analysis'
import { hashCanonical } from '@touchstone/protocol/crypto'
import { NO_HASHES } from '@touchstone/protocol/evidence'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { submissionOf } from '../intake/submission.fixture.ts'
import {
  analysedOf,
  concernOf,
  emptyHead,
  examinationOf,
  secondsLater,
} from './checkpoint.fixture.ts'
import {
  type AnalysedSubmission,
  type PlacementRules,
  place,
  type Surroundings,
} from './placement.ts'
import { newSession } from './session.ts'

const RULES: PlacementRules = { antiGaming: 'exclude', now: secondsLater(20_000) }
const nothing = (): Surroundings => ({
  head: emptyHead(),
  session: newSession('agent-demo', 's1'),
  window: [],
  recent: NO_HASHES,
})

const atSecond = (
  second: number,
  verdict: Verdict = 'clear',
  changes: object = {},
): AnalysedSubmission => {
  const timestamp = secondsLater(second)
  return analysedOf({
    checkpointId: `ic-${second}`,
    submission: submissionOf({ timestamp: timestamp.toISOString() }, timestamp),
    examination: examinationOf(verdict, { reasoningSummary: `at ${second}`, ...changes }),
  })
}

function placeAll(all: readonly AnalysedSubmission[], rules = RULES) {
  let around = nothing()
  return all.map((analysed) => {
    const placed = place(analysed, around, [], rules)
    around = placed.after
    return placed
  })
}

describe('placing a checkpoint', () => {
  it('takes provider and model from the submission, then the agent, then unknown', () => {
    const of = (submission: object, agent: AnalysedSubmission['agent']) => {
      const analysed = analysedOf({ submission: submissionOf(submission), agent })
      const { provider, model } = place(analysed, nothing(), [], RULES).checkpoint
      return [provider, model]
    }
    const agent = { provider: 'acme', model: 'a-1' }
    expect(of({ provider: 'other' }, agent)).toEqual(['other', 'a-1'])
    expect(of({ model: 'b-2' }, { provider: null, model: null })).toEqual(['unknown', 'b-2'])
  })

  it('takes the violation type from a linked trace with a violation', () => {
    const placed = (trace: AnalysedSubmission['trace']) =>
      place(
        { ...analysedOf({ submission: submissionOf({ traceId: 'tr-1' }), trace }), ...violating },
        nothing(),
        [],
        RULES,
      ).checkpoint
    const violating = { examination: examinationOf('review_needed') }
    expect(placed({ violations: ['CARD_EXPIRED', 'X'], policyFailed: true })).toMatchObject({
      violationType: 'CARD_EXPIRED',
      linkedTraceId: 'tr-1',
    })
    expect(placed({ violations: [], policyFailed: true }).violationType).toBe('POLICY_VIOLATION')
    expect(placed({ violations: [], policyFailed: false }).violationType).toBe('FORBIDDEN_ACTION')
    expect(placed(undefined)).toMatchObject({ linkedTraceId: 'tr-1' })
  })

  it('commits to the window before it, or to the one that the analyser was shown', () => {
    const [first, second] = placeAll([atSecond(0, 'review_needed'), atSecond(7)])
    const context = [
      { checkpoint_id: 'ic-0', verdict: 'review_needed', reasoning_summary: 'at 0' },
    ] as const
    expect(first?.checkpoint.hashes.context).toBe(hashCanonical([]))
    expect(second?.checkpoint.hashes.context).toBe(hashCanonical(context))
    const shown = { ...atSecond(8), windowShown: [] }
    const blind = place(shown, second?.after ?? nothing(), [], RULES)
    expect(blind.checkpoint.hashes.context).toBe(hashCanonical([]))
  })

  it('gives a synthetic checkpoint a position and nothing else', () => {
    const failed = { syntheticReason: 'analysis_failed', concerns: [] }
    const [, synthetic, after] = placeAll([
      atSecond(0),
      atSecond(5, 'boundary_violation', failed),
      atSecond(11),
    ])
    expect(synthetic).toMatchObject({
      checkpoint: { windowPosition: null, flags: [], excluded: false },
      drift: undefined,
      summary: { size: 1, verdicts: { clear: 1, review_needed: 0, boundary_violation: 0 } },
      after: { head: { length: 2, counts: { verdicts: { boundary_violation: 0 } } } },
    })
    expect(after?.checkpoint.windowPosition).toEqual({ index: 1, window_size: 2 })
    expect(after?.after.session).toMatchObject({ checkpointCount: 3, windowPositions: [0, 2] })
  })

  it('excludes flagged checkpoints only if they are clear', () => {
    const twins = [1, 2, 3].map(secondsLater)
    const placed = (verdict: Verdict, rules = RULES) =>
      place(atSecond(10, verdict), nothing(), twins, rules)
    expect(placed('clear')).toMatchObject({
      checkpoint: { flags: ['identical_content'], excluded: true },
      after: { head: { counts: { excluded: 1, verdicts: { clear: 0 } } } },
    })
    expect(placed('review_needed')).toMatchObject({
      checkpoint: { flags: ['identical_content'], excluded: false },
      after: { head: { counts: { excluded: 0, verdicts: { review_needed: 1 } } } },
    })
    expect(placed('clear', { ...RULES, antiGaming: 'record' })).toMatchObject({
      checkpoint: { flags: ['identical_content'], excluded: false },
      after: { head: { counts: { excluded: 0, verdicts: { clear: 1 } } } },
    })
  })

  it('detects uniform timing over the last ten, without synthetic checkpoints', () => {
    const below = { syntheticReason: 'below_evidence_threshold' }
    const all = Array.from({ length: 11 }, (_, i) => atSecond(i * 10))
    const mixed = [...all.slice(0, 5), atSecond(43, 'clear', below), ...all.slice(5)]
    const flags = placeAll(mixed).map(({ checkpoint }) => checkpoint.flags)
    expect(flags.slice(0, -1).every((one) => one.length === 0)).toBe(true)
    expect(flags.at(-1)).toEqual(['uniform_timing'])
  })

  it('reproduces the drift example: medium at the fifth, with two of five clear', () => {
    const verdicts = [
      'clear',
      'clear',
      'review_needed',
      'review_needed',
      'boundary_violation',
    ] as const
    const placed = placeAll(verdicts.map((verdict, i) => atSecond(i * i, verdict)))
    expect(placed.slice(0, 4).every((one) => one.drift === undefined)).toBe(true)
    expect(placed[4]?.drift).toMatchObject({
      kind: 'streak',
      streak: { firstId: 'ic-4', count: 3, categories: { autonomy_violation: 3 } },
    })
    expect(placed[4]?.summary.integrityRatio).toBe(0.4)
  })

  it('counts each concern of a streak, not each checkpoint', () => {
    const two = { concerns: [concernOf(), concernOf({ category: 'value_misalignment' })] }
    const placed = placeAll([0, 3, 5].map((second) => atSecond(second, 'review_needed', two)))
    expect(placed[2]?.drift).toMatchObject({
      streak: { categories: { autonomy_violation: 3, value_misalignment: 3 } },
    })
  })
})

describe('any sequence of checkpoints', () => {
  it('has the window of its definition at every step', () => {
    const given = fc.array(
      fc.record({
        second: fc.nat({ max: 9000 }),
        verdict: fc.constantFrom(...VERDICTS),
        synthetic: fc.boolean(),
      }),
      { maxLength: 30 },
    )
    fc.assert(
      fc.property(given, (sequence) => {
        const all = sequence.map(({ second, verdict, synthetic }, i) => ({
          ...atSecond(
            second,
            verdict,
            synthetic ? { syntheticReason: 'below_evidence_threshold' } : {},
          ),
          checkpointId: `ic-${i}`,
        }))
        const placed = placeAll(all)
        for (const [i, { checkpoint, summary, after }] of placed.entries()) {
          const before = sequence
            .slice(0, i)
            .filter((one) => !one.synthetic)
            .slice(-10)
            .filter((one) => one.second >= (sequence[i]?.second ?? 0) - 3600)
          const analysed = sequence[i]?.synthetic === false
          const size = analysed ? Math.min(10, before.length + 1) : before.length
          expect(summary.size).toBe(size)
          expect(checkpoint.windowPosition).toEqual(
            analysed ? { index: size - 1, window_size: size } : null,
          )
          expect(after.head.length).toBe(i + 1)
        }
      }),
    )
  })
})
