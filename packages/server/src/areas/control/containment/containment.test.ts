import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  autoPauseReason,
  CONTAINMENT_ACTIONS,
  CONTAINMENT_STATUSES,
  moveFrom,
  runAtThreshold,
} from './containment.ts'

describe('moves', () => {
  it('are exactly those of the table', () => {
    const allowed = CONTAINMENT_ACTIONS.flatMap((action) =>
      CONTAINMENT_STATUSES.flatMap((status) => {
        const move = moveFrom(status, action)
        return move === undefined ? [] : [`${action}: ${status} to ${move.to}, ${move.event}`]
      }),
    )
    expect(allowed).toEqual([
      'pause: active to paused, agent.paused',
      'auto_pause: active to paused, agent.paused',
      'resume: paused to active, agent.resumed',
      'kill: active to killed, agent.killed',
      'kill: paused to killed, agent.killed',
      'reactivate: killed to active, agent.resumed',
    ])
  })
})

const V = 'boundary_violation'
const verdicts = fc.array(fc.constantFrom('clear', 'review_needed', V), { maxLength: 30 })

describe('a run of violations', () => {
  it.each([
    [0, [V, V], 3, undefined],
    [0, [V, V, V], 3, 3],
    [2, [V], 3, 3],
    [2, ['clear', V, V], 3, undefined],
    [2, ['review_needed', V], 3, undefined],
    [0, [V, V, V, 'clear'], 3, 3],
    [0, [V, V, V, V, V], 3, 3],
    // The threshold was set after the violations.
    [6, [V], 2, 7],
    [6, ['clear'], 2, undefined],
  ])('of %d before %j and a threshold of %d gives %s', (before, added, threshold, run) => {
    expect(runAtThreshold(before, added, threshold)).toBe(run)
  })

  it('is the same whether checkpoints arrive one by one or as a batch', () => {
    const thresholds = fc.integer({ min: 2, max: 6 })
    fc.assert(
      fc.property(verdicts, thresholds, fc.nat(30), (all, threshold, cut) => {
        const first = all.slice(0, cut)
        const tail = first.length - (first.findLastIndex((verdict) => verdict !== V) + 1)
        const apart =
          runAtThreshold(0, first, threshold) ?? runAtThreshold(tail, all.slice(cut), threshold)
        expect(apart).toBe(runAtThreshold(0, all, threshold))
      }),
    )
  })

  it('is reported with its length', () => {
    expect(autoPauseReason(3)).toBe('Auto-contained: 3 consecutive boundary violations')
  })
})
