import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '#harness/runs.ts'
import { compilePolicy } from './compile-policy.ts'
import { evaluatePolicy } from './evaluate-policy.ts'
import { isToolName } from './glob.ts'
import { mergedOf } from './policy.fixture.ts'
import type { PolicyDocument } from './policy.ts'
import { policyRelation, relatePolicies } from './policy-relation.ts'

type Sparse = Partial<PolicyDocument>

const rule = (pattern: string, severity: 'low' | 'medium' | 'high' | 'critical' = 'high') => ({
  pattern,
  reason: 'r',
  severity,
})
const mapping = (...tools: string[]) => ({ tools, card_actions: ['act'] })
const blocking = { defaults: { unmapped_tool_action: 'block' } } as const

const relation = (draft: Sparse, current: Sparse) =>
  policyRelation({ draft: mergedOf(draft), current: mergedOf(current) })

/** Uses the evaluation itself, as an audit would. */
function blocker(policy: Sparse): (tool: string) => boolean {
  const compiled = compilePolicy({ policy: mergedOf(policy) })
  return (tool) =>
    evaluatePolicy(compiled, {
      tools: [tool],
      context: 'audit',
      nowMs: 0,
      firstSeenMs: new Map(),
    }).verdict === 'fail'
}

/** Few letters, so that patterns overlap; `c` stands for all letters that no pattern names. */
const pattern = fc
  .array(fc.constantFrom('a', 'b', '🔧', '*', '?', '*'), { minLength: 1, maxLength: 4 })
  .map((letters) => letters.join(''))
const policy = fc
  .record({
    forbidden: fc.uniqueArray(pattern, { maxLength: 3 }),
    severity: fc.constantFrom('medium', 'high', 'critical'),
    tools: fc.uniqueArray(pattern, { maxLength: 4 }),
    action: fc.constantFrom('allow', 'warn', 'block', 'block'),
  })
  .map(({ forbidden, severity, tools, action }): Sparse => {
    return {
      forbidden: forbidden.map((text) => rule(text, severity as 'medium')),
      capability_mappings: tools.length > 0 ? { cap: mapping(...tools) } : {},
      defaults: { unmapped_tool_action: action as 'block' },
    }
  })

/** Nearly all differences of two such policies show in a name of this length. */
const LENGTH_MAX = 5
const NAMES = namesUpTo(LENGTH_MAX)

function namesUpTo(length: number): string[] {
  const all: string[] = []
  let last = ['']
  for (let i = 0; i < length; i++) {
    last = last.flatMap((name) => ['a', 'b', '🔧', 'c'].map((letter) => name + letter))
    all.push(...last)
  }
  return all
}

const isShort = (name: string | null) => name !== null && [...name].length <= LENGTH_MAX

function nameOf(newlyBlocked: string | null, newlyAllowed: string | null): string {
  if (newlyBlocked !== null) return newlyAllowed === null ? 'stricter' : 'incomparable'
  return newlyAllowed === null ? 'equal' : 'looser'
}

describe('the relation of two policies', () => {
  it.each<[string, Sparse, Sparse, object]>([
    ['nothing to nothing', {}, {}, { relation: 'equal' }],
    [
      'an additional rule',
      { forbidden: [rule('a*'), rule('b?')] },
      { forbidden: [rule('a*')] },
      { relation: 'stricter', newlyBlocked: 'bx', newlyAllowed: null },
    ],
    [
      'a rule that is already covered',
      { forbidden: [rule('mcp__*'), rule('mcp__admin__*')] },
      { forbidden: [rule('mcp__*')] },
      { relation: 'equal' },
    ],
    [
      'a rule that no longer blocks',
      { forbidden: [rule('x', 'medium')] },
      { forbidden: [rule('x')] },
      { relation: 'looser', newlyAllowed: 'x' },
    ],
    [
      'a replaced rule',
      { forbidden: [rule('read')] },
      { forbidden: [rule('write')] },
      { relation: 'incomparable', newlyBlocked: 'read', newlyAllowed: 'write' },
    ],
    [
      'the same names by different patterns',
      { forbidden: [rule('a'), rule('a?*')] },
      { forbidden: [rule('a*')] },
      { relation: 'equal' },
    ],
    [
      'one mapped tool less if unmapped tools are blocked',
      { ...blocking, capability_mappings: { web: mapping('fetch') } },
      { ...blocking, capability_mappings: { web: mapping('fetch', 'search') } },
      { relation: 'stricter', newlyBlocked: 'search' },
    ],
    [
      'one mapped tool less if unmapped tools are allowed',
      { capability_mappings: { web: mapping('fetch') } },
      { capability_mappings: { web: mapping('fetch', 'search') } },
      { relation: 'equal', unweighed: ['card'] },
    ],
    [
      'a star that does not cover some names',
      { forbidden: [rule('?*a')] },
      { forbidden: [rule('*a')] },
      { relation: 'looser', newlyAllowed: 'a' },
    ],
  ])('%s', (_what, draft, current, expected) => {
    expect(relation(draft, current)).toMatchObject({ reason: null, ...expected })
  })

  it('matches an exhaustive search of short names, and its names are real differences', () => {
    fc.assert(
      fc.property(policy, policy, (draft, current) => {
        const found = relation(draft, current)
        const [ours, theirs] = [blocker(draft), blocker(current)]
        const blocked = NAMES.some((name) => ours(name) && !theirs(name))
        const allowed = NAMES.some((name) => theirs(name) && !ours(name))
        const { newlyBlocked, newlyAllowed } = found
        expect([isShort(newlyBlocked), isShort(newlyAllowed)]).toEqual([blocked, allowed])
        if (newlyBlocked !== null) {
          expect([isToolName(newlyBlocked), ours(newlyBlocked), theirs(newlyBlocked)]).toEqual([
            true,
            true,
            false,
          ])
        }
        if (newlyAllowed !== null) {
          expect([isToolName(newlyAllowed), ours(newlyAllowed), theirs(newlyAllowed)]).toEqual([
            true,
            false,
            true,
          ])
        }
        expect(found.relation).toBe(nameOf(newlyBlocked, newlyAllowed))
      }),
      runs(200),
    )
  })

  it('is reversed if the two policies are swapped', () => {
    const turned = { equal: 'equal', stricter: 'looser', looser: 'stricter' } as const
    fc.assert(
      fc.property(policy, policy, (one, other) => {
        const there = relation(one, other)
        const back = relation(other, one)
        const name = there.relation
        expect(back.relation).toBe(name === null || name === 'incomparable' ? name : turned[name])
        expect([back.newlyBlocked, back.newlyAllowed]).toEqual([
          there.newlyAllowed,
          there.newlyBlocked,
        ])
      }),
    )
  })

  it('considers valid names only, of up to 256 characters', () => {
    const longest = { forbidden: [rule('?'.repeat(256))] }
    expect(relation(longest, {})).toMatchObject({
      relation: 'stricter',
      newlyBlocked: 'x'.repeat(256),
    })
    const halves = { forbidden: [rule(`${'a'.repeat(200)}*${'b'.repeat(56)}`)] }
    const withMore = {
      forbidden: [...halves.forbidden, rule(`${'a'.repeat(200)}?*${'b'.repeat(56)}`)],
    }
    expect(relation(withMore, halves).relation).toBe('equal')
    expect(
      relation({ forbidden: [rule(`${'a'.repeat(200)}?*${'b'.repeat(56)}`)] }, {}),
    ).toMatchObject({
      relation: 'equal',
    })
  })

  it('lists what differs besides names', () => {
    const trigger = { condition: 'tool_new', action: 'deny', reason: 'r' } as const
    expect(
      relation(
        {
          escalation_triggers: [trigger],
          defaults: { enforcement_mode: 'enforce', grace_period_hours: 1 },
          capability_mappings: { web: mapping('fetch') },
        },
        {},
      ),
    ).toMatchObject({
      relation: 'equal',
      unweighed: ['card', 'deny_triggers', 'enforcement_mode', 'grace_period_hours'],
      mayLoosen: [],
    })
  })
})

describe('the cost of a relation', () => {
  // Each pattern can be at any of its positions independently: two to the thirtieth states.
  const current = {
    forbidden: Array.from({ length: 30 }, (_, i) => {
      const letter = String.fromCharCode(97 + (i % 26))
      return rule(`*${letter}*${'?'.repeat(i)}${letter}*z`)
    }),
  }
  const draft = { forbidden: [...current.forbidden, rule('*a*q*a*z')] }

  it('is limited: results found so far are reported, and nothing is guessed', () => {
    const found = policyRelationWithin(20_000, draft, current)
    expect(found).toEqual({
      relation: null,
      reason: expect.stringContaining('too long'),
      newlyBlocked: null,
      newlyAllowed: null,
      unweighed: [],
      mayLoosen: [],
    })
    const stricter = { forbidden: [...draft.forbidden, rule('q')] }
    expect(policyRelationWithin(20_000, stricter, current)).toMatchObject({
      relation: null,
      newlyBlocked: 'q',
    })
  })

  it('never changes the result with fewer steps, except to undetermined', () => {
    fc.assert(
      fc.property(policy, policy, fc.integer({ min: 0, max: 60 }), (draft, current, steps) => {
        const whole = relation(draft, current)
        const part = policyRelationWithin(steps, draft, current)
        expect([null, whole.relation]).toContain(part.relation)
        expect([null, whole.newlyBlocked]).toContain(part.newlyBlocked)
        expect([null, whole.newlyAllowed]).toContain(part.newlyAllowed)
        expect(part.relation === null).toBe(part.reason !== null)
      }),
    )
  })

  it('is small for a change to a policy of maximum size', () => {
    const tools = Array.from({ length: 4000 }, (_, i) => `mcp__server${i % 90}__tool_${i}`)
    const caps = Array.from({ length: 20 }, (_, i) => [
      `cap${i}`,
      mapping(...tools.slice(200 * i, 200 * i + 200)),
    ])
    const words = Array.from({ length: 200 }, (_, i) => rule(`*word${i}*`))
    const large = { ...blocking, forbidden: words, capability_mappings: Object.fromEntries(caps) }
    const more = { ...large, forbidden: [...words, rule('mcp__server7__*')] }
    expect(policyRelationWithin(200_000, more, large)).toMatchObject({
      relation: 'stricter',
      newlyAllowed: null,
    })
  })

  it('can be spread over time slices', () => {
    const steps = relatePolicies({ draft: mergedOf(draft), current: mergedOf(current) }, 100_000)
    expect([...steps].length).toBeGreaterThanOrEqual(5)
  })
})

function policyRelationWithin(stepsMax: number, draft: Sparse, current: Sparse) {
  const steps = relatePolicies({ draft: mergedOf(draft), current: mergedOf(current) }, stepsMax)
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}
