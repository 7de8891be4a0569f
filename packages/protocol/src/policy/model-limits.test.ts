import { describe, expect, it } from 'vitest'
import { compilePolicy } from './compile-policy.ts'
import { lintPolicy } from './lint-policy.ts'
import { policyOf } from './policy.fixture.ts'
import { policyDifference } from './policy-difference.ts'
import { resolvePolicy } from './resolve-policy.ts'
import type { ModelLimit } from './session-rules.ts'
import { validatePolicy } from './validate-policy.ts'

const META = { schema_version: '1.1', name: 'test', scope: 'agent' as const }
const limitOf = (given: Partial<ModelLimit> = {}): ModelLimit => ({
  name: 'daily',
  models: ['claude-*'],
  max_tokens: 1000,
  per: 'day',
  action: 'block',
  ...given,
})

function errorsOf(limit: object, schema_version = '1.1') {
  const meta = { ...META, schema_version }
  const outcome = validatePolicy({ meta, model_limits: [limit] })
  return outcome.errors.map(({ path, code }) => `${path} ${code}`)
}

describe('model_limits of a document', () => {
  it('block by default; duplicates are dropped', () => {
    const { action: _, ...given } = limitOf({ models: ['a', 'a'] })
    expect(validatePolicy({ meta: META, model_limits: [given] })).toMatchObject({
      valid: true,
      policy: { model_limits: [{ ...given, models: ['a'], action: 'block' }] },
    })
  })

  it('are not added to a document that has none', () => {
    const outcome = validatePolicy({ meta: META })
    expect(outcome).toMatchObject({ valid: true })
    expect(JSON.stringify(outcome)).not.toContain('model_limits')
  })

  it.each([
    [{ ...limitOf(), max_tokens: undefined }, '/model_limits/0 required'],
    [limitOf({ max_tokens: 0 }), '/model_limits/0/max_tokens pattern'],
    [limitOf({ max_turns: 1.5 }), '/model_limits/0/max_turns type'],
    [limitOf({ models: [] }), '/model_limits/0/models required'],
    [{ ...limitOf(), per: 'minute' }, '/model_limits/0/per enum'],
    [{ ...limitOf(), action: 'escalate' }, '/model_limits/0/action enum'],
    [limitOf({ name: 'a b' }), '/model_limits/0/name pattern'],
    [{ ...limitOf(), tools: ['x'] }, '/model_limits/0/tools unknown_field'],
  ])('reject %j', (limit, error) => {
    expect(errorsOf(limit)).toEqual([error])
  })

  it('are unknown in version 1.0', () => {
    expect(errorsOf(limitOf(), '1.0')).toEqual(['/model_limits unknown_field'])
  })

  it('share their names with limits and flows', () => {
    const limit = { name: 'daily', tools: ['x'], max: 1, per: 'day', reason: 'Few calls' }
    const outcome = validatePolicy({ meta: META, limits: [limit], model_limits: [limitOf()] })
    expect(outcome.errors).toMatchObject([{ path: '/model_limits/0/name', code: 'duplicate_name' }])
  })
})

describe('model_limits of layers', () => {
  it('all apply, each named with its layer', () => {
    const org = policyOf({ model_limits: [limitOf()] })
    const agent = policyOf({ model_limits: [limitOf({ max_tokens: 10 })] })
    const policy = resolvePolicy({ org, agent })?.policy
    const limits = policy === undefined ? [] : compilePolicy({ policy }).modelLimits
    expect(limits.map(({ rule, max_tokens }) => [rule, max_tokens])).toEqual([
      ['org/daily', 1000],
      ['agent/daily', 10],
    ])
    expect(limits[0]?.matches('claude-opus')).toBe(true)
    expect(limits[0]?.matches('gpt-5')).toBe(false)
  })
})

describe('the linter', () => {
  const warningsOf = (...model_limits: ModelLimit[]) =>
    lintPolicy(policyOf({ model_limits })).map(({ path, code }) => `${path} ${code}`)

  it('finds a budget that another one covers', () => {
    const wider = limitOf({ name: 'all', models: ['*'], max_tokens: 500 })
    expect(warningsOf(limitOf(), wider)).toEqual(['/model_limits/0 unreachable_limit'])
    expect(warningsOf(limitOf(), limitOf({ name: 'same' }))).toEqual([
      '/model_limits/1 unreachable_limit',
    ])
  })

  it('accepts budgets that differ in period, unit or models', () => {
    const turns = { name: 'turns', models: ['claude-*'], max_turns: 5, per: 'day' } as const
    expect(
      warningsOf(limitOf(), limitOf({ name: 'hourly', per: 'hour', max_tokens: 9 }), {
        ...turns,
        action: 'block',
      }),
    ).toEqual([])
  })
})

describe('the difference of two policies', () => {
  const differenceOf = (draft: ModelLimit[], current: ModelLimit[]) =>
    policyDifference({
      draft: policyOf({ model_limits: draft }),
      current: policyOf({ model_limits: current }),
    })
  const [high, low] = [limitOf(), limitOf({ max_tokens: 10 })]

  it.each([
    ['raised', [high], [low], ['model_limits']],
    ['removed', [], [low], ['model_limits']],
    ['lowered', [low], [high], []],
    ['added', [low], [], []],
  ])('tells whether a budget that is %s may loosen the policy', (_, draft, current, mayLoosen) => {
    expect(differenceOf(draft, current)).toEqual({ unweighed: ['model_limits'], mayLoosen })
  })
})
