import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decideIntegrityDrift, type KnownAlert, type SessionCheckpoint } from './integrity-drift.ts'

const LETTERS = { c: 'clear', r: 'review_needed', b: 'boundary_violation' } as const
const session = (letters: string, categories: readonly string[] = []): SessionCheckpoint[] =>
  [...letters].map((letter, index) => ({
    checkpointId: `ic-${index}`,
    verdict: LETTERS[letter as keyof typeof LETTERS],
    categories: letter === 'c' ? [] : categories,
  }))
const decide = (letters: string, latest?: KnownAlert, similarity = 0.4) =>
  decideIntegrityDrift(session(letters), similarity, latest)

describe('decideIntegrityDrift', () => {
  it('opens at the fifth of the example, medium', () => {
    for (const letters of ['', 'c', 'cc', 'ccr', 'ccrr']) {
      expect(decide(letters)).toEqual({ kind: 'none' })
    }
    expect(decide('ccrrb', undefined, 2 / 5)).toEqual({
      kind: 'open',
      drift: {
        severity: 'medium',
        similarity: 0.4,
        threshold: 3,
        sustained: 3,
        direction: 'unknown',
        checkpointIds: ['ic-2', 'ic-3', 'ic-4'],
        message: '3 consecutive checkpoints of the session were not clear.',
      },
    })
  })

  it.each([
    [0.7, 'low'],
    [0.69, 'medium'],
    [0.4, 'medium'],
    [0.39, 'high'],
    [0, 'high'],
  ])('at %d is %s', (similarity, severity) => {
    expect(decide('rrr', undefined, similarity)).toMatchObject({ drift: { severity } })
  })

  it('updates one alert while its streak lasts, and stays silent once acknowledged', () => {
    const ids = ['ic-1', 'ic-2', 'ic-3']
    expect(decide('crrrr', { status: 'open', ids })).toMatchObject({
      kind: 'update',
      drift: { sustained: 4, checkpointIds: [...ids, 'ic-4'] },
    })
    expect(decide('crrrr', { status: 'resolved', ids })).toEqual({ kind: 'none' })
  })

  it('opens a new alert for a new streak', () => {
    const latest: KnownAlert = { status: 'resolved', ids: ['ic-0', 'ic-1', 'ic-2'] }
    expect(decide('rrrcrr', latest)).toEqual({ kind: 'none' })
    expect(decide('rrrcrrr', latest)).toMatchObject({ kind: 'open', drift: { sustained: 3 } })
    expect(decide('rrrcrrr', { ...latest, status: 'open' })).toMatchObject({ kind: 'open' })
  })

  it('recovers at the third clear one, if there is anything to recover from', () => {
    const latest: KnownAlert = { status: 'open', ids: ['ic-0', 'ic-1', 'ic-2'] }
    expect(decide('rrrcc', latest)).toEqual({ kind: 'none' })
    expect(decide('rrrccc', latest)).toEqual({ kind: 'recover' })
    expect(decide('rrrccrc', latest)).toEqual({ kind: 'none' })
    expect(decide('rrrccc', { ...latest, status: 'resolved' })).toEqual({ kind: 'none' })
    expect(decide('ccc')).toEqual({ kind: 'none' })
  })

  it.each([
    [['prompt_injection'], 'injection_pattern'],
    [['output_injection_compliance'], 'injection_pattern'],
    [['value_misalignment'], 'value_erosion'],
    [['output_misalignment'], 'value_erosion'],
    [['autonomy_violation'], 'autonomy_creep'],
    [['deceptive_reasoning'], 'deception_pattern'],
    [['reasoning_corruption'], 'reasoning_degradation'],
    [['undeclared_intent'], 'intent_drift'],
    [['undeclared_intent', 'autonomy_violation'], 'unknown'],
    [['undeclared_intent', 'autonomy_violation', 'autonomy_violation'], 'autonomy_creep'],
    [['value_misalignment', 'output_misalignment'], 'unknown'],
    [[], 'unknown'],
  ])('%j points to %s', (categories, direction) => {
    expect(decideIntegrityDrift(session('crrr', categories), 0.1)).toMatchObject({
      drift: { direction },
    })
  })

  it('opens exactly when the last three were not clear and no alert knows them', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[crb]{0,12}$/), (letters) => {
        expect(decide(letters).kind === 'open').toBe(/[rb]{3}$/.test(letters))
      }),
    )
  })
})
