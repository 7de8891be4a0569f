import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runPolicyTests } from './run-policy-tests.ts'

const META = { schema_version: '1.0', name: 'p', scope: 'agent' }
const POLICY = {
  meta: META,
  capability_mappings: { files: { tools: ['read_*'], card_actions: ['read'] } },
  forbidden: [{ pattern: '*delete*', reason: 'Nothing is deleted', severity: 'high' }],
}
const READS = { name: 'reads', tools: ['read_a'], verdict: 'pass' }
const DELETES = { name: 'deletes', tools: ['read_a', 'delete_a'], verdict: 'fail' }

const run = (test: object, file: object = {}) => {
  const outcome = runPolicyTests({ policy: POLICY, cases: [test], ...file })
  if (!outcome.valid) throw new Error(JSON.stringify(outcome.errors))
  return outcome.results[0]
}
const faults = (file: unknown) => {
  const outcome = runPolicyTests(file)
  return outcome.valid ? [] : outcome.errors.map(({ path, code }) => [path, code])
}

describe('a file of policy tests', () => {
  it('counts passed and failed cases', () => {
    const cases = [READS, DELETES, { ...READS, verdict: 'fail' }]
    const outcome = runPolicyTests({ policy: POLICY, cases })
    expect(outcome).toMatchObject({ valid: true, passed: 2, failed: 1 })
  })

  it('merges layers like the service', () => {
    const org = { ...POLICY, meta: { ...META, scope: 'org' }, capability_mappings: {} }
    const agent = { meta: META, defaults: { unmapped_tool_action: 'block' } }
    const file = { policy: undefined, layers: { org, agent } }
    expect(run({ ...READS, verdict: 'fail' }, file)).toMatchObject({ passed: true })
  })

  it('checks tools against the card of the case, or of the file, or none', () => {
    const empty = { autonomy_envelope: { bounded_actions: [] } }
    const granting = { autonomy_envelope: { bounded_actions: ['read'] }, values: {} }
    expect(run(READS)?.passed).toBe(true)
    expect(run(READS, { card: empty })?.passed).toBe(false)
    expect(run({ ...READS, card: granting }, { card: empty })?.passed).toBe(true)
    expect(run({ ...READS, card: null }, { card: empty })?.passed).toBe(true)
  })

  it('supports times, arguments and transactions', () => {
    const policy = {
      ...POLICY,
      defaults: { unmapped_tool_action: 'block', grace_period_hours: 1 },
      escalation_triggers: [{ condition: 'hour == 3 or args.n > 1', action: 'deny', reason: 'r' }],
    }
    const verdicts = (test: object) =>
      run({ ...READS, ...test }, { policy, now: '2026-01-01T05:00:00Z' })?.evaluation.verdict
    expect(verdicts({})).toBe('pass')
    expect(verdicts({ now: '2026-01-01T03:00:00Z' })).toBe('fail')
    expect(verdicts({ args: { n: 2 } })).toBe('fail')
    const other = { tools: ['x'], context: 'gateway' }
    expect(verdicts(other)).toBe('warn')
    expect(verdicts({ ...other, first_seen: { x: '2026-01-01T04:00:00Z' } })).toBe('fail')
    expect(verdicts({ transaction: { tools: ['read_b'] } })).toBe('fail')
    expect(verdicts({ transaction: { tools: ['read_a'] } })).toBe('pass')
    expect(verdicts({ transaction: { tools: ['read_a'], status: 'expired' } })).toBe('fail')
  })
})

describe('a difference', () => {
  it('in the verdict explains the actual verdict', () => {
    expect(run({ ...DELETES, verdict: 'pass' })?.differences).toEqual([
      'expected pass, but the verdict is fail: forbidden on "delete_a" by "*delete*" (high), "Nothing is deleted"',
    ])
    expect(run({ ...READS, tools: ['x'] })?.differences).toEqual([
      'expected pass, but the verdict is warn: unmapped_tool on "x", "No capability maps this tool"',
    ])
    expect(run({ ...READS, verdict: 'warn' })?.differences).toEqual([
      'expected warn, but the verdict is pass',
    ])
  })

  it('in violations names missing and unexpected ones', () => {
    const violations = [{ tool: 'delete_b' }]
    expect(run({ ...DELETES, violations })?.differences).toEqual([
      'missing violation: {"tool":"delete_b"}',
      'unexpected violation: forbidden on "delete_a" by "*delete*" (high)',
    ])
    expect(run({ ...DELETES, violations: [{ severity: 'high' }] })?.passed).toBe(true)
    expect(run({ ...DELETES, violations: [] })?.passed).toBe(false)
  })

  it('does not arise from a vague expectation that matches the violation of a specific one', () => {
    const test = { ...DELETES, tools: ['delete_a', 'delete_b'] }
    const violations = [{ type: 'forbidden' }, { type: 'forbidden', tool: 'delete_a' }]
    expect(run({ ...test, violations })?.passed).toBe(true)
  })
})

describe('faults of a file', () => {
  it.each<[string, unknown, [string, string][]]>([
    ['no object', [], [['', 'type']]],
    ['no policy', { cases: [READS] }, [['', 'required']]],
    ['both', { policy: POLICY, layers: { agent: POLICY }, cases: [READS] }, [['', 'required']]],
    ['no layer', { layers: {}, cases: [READS] }, [['/layers', 'required']]],
    ['no cases', { policy: POLICY, cases: [] }, [['/cases', 'required']]],
    [
      'a misspelt field',
      { policy: POLICY, case: [READS], cases: [READS] },
      [['/case', 'unknown_field']],
    ],
    [
      'a policy that is not valid',
      { policy: { ...POLICY, forbidden: [{ pattern: 'a b' }] }, cases: [READS] },
      [
        ['/policy/forbidden/0/pattern', 'pattern'],
        ['/policy/forbidden/0/reason', 'required'],
        ['/policy/forbidden/0/severity', 'required'],
      ],
    ],
    [
      'a layer in the wrong place',
      { layers: { org: POLICY }, cases: [READS] },
      [['/layers/org/meta/scope', 'scope_mismatch']],
    ],
    [
      'cases without useful contents',
      {
        policy: POLICY,
        cases: [
          { ...READS, verdict: 'ok', tools: ['a b', 1] },
          { ...READS, violation: [], now: 'today', context: 'ci' },
          { ...READS, violations: [{ tol: 'x' }, { blocking: 'yes' }], card: {} },
          { ...READS, transaction: { status: 'open' }, first_seen: { a: 3 }, args: [] },
        ],
      },
      [
        ['/cases/0/verdict', 'enum'],
        ['/cases/0/tools/0', 'pattern'],
        ['/cases/0/tools/1', 'type'],
        ['/cases/1/violation', 'unknown_field'],
        ['/cases/1/context', 'enum'],
        ['/cases/1/now', 'pattern'],
        ['/cases/2/card/autonomy_envelope', 'required'],
        ['/cases/2/violations/0/tol', 'unknown_field'],

        ['/cases/2/violations/1/blocking', 'type'],
        ['/cases/3/args', 'type'],
        ['/cases/3/first_seen/a', 'type'],
        ['/cases/3/transaction/status', 'enum'],
        ['/cases/3/transaction/tools', 'required'],
      ],
    ],
  ])('are reported with their path: %s', (_what, file, expected) => {
    expect(faults(file)).toEqual(expected)
  })

  it('never raise an exception, whatever was parsed', () => {
    const file = fc.record({
      policy: fc.oneof(fc.constant(POLICY), fc.jsonValue()),
      layers: fc.option(fc.jsonValue(), { nil: undefined }),
      card: fc.option(fc.jsonValue(), { nil: undefined }),
      cases: fc.array(
        fc.oneof(fc.jsonValue(), fc.record({ name: fc.string(), tools: fc.jsonValue() })),
      ),
    })
    fc.assert(
      fc.property(fc.oneof(file, fc.jsonValue()), (input) => {
        const outcome = runPolicyTests(input)
        if (!outcome.valid) expect(outcome.errors.length).toBeGreaterThan(0)
      }),
    )
  })
})
