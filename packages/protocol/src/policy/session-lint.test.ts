import { describe, expect, it } from 'vitest'
import { lintPolicy } from './lint-policy.ts'
import { policyOf } from './policy.fixture.ts'
import type { PolicyRules } from './policy.ts'
import { policyDifference } from './policy-difference.ts'
import type { PolicyFlow, PolicyLimit } from './session-rules.ts'

const limit = (given: Partial<PolicyLimit> = {}): PolicyLimit => ({
  name: 'few',
  tools: ['pay'],
  max: 3,
  per: 'minute',
  action: 'block',
  reason: 'Too many',
  ...given,
})
const flow = (given: Partial<PolicyFlow> = {}): PolicyFlow => ({
  name: 'leak',
  from: ['web_*'],
  to: ['send'],
  action: 'escalate',
  reason: 'No leaks',
  ...given,
})
const warningsOf = (parts: Parameters<typeof policyOf>[0]) =>
  lintPolicy(policyOf(parts)).map(({ path, code }) => `${path} ${code}`)

describe('warnings about rules over a session', () => {
  it('are given for tools that are always blocked', () => {
    const forbidden = [{ pattern: 'web_*', reason: 'No web', severity: 'high' as const }]
    expect(
      warningsOf({ forbidden, flows: [flow()], limits: [limit({ tools: ['web_get'] })] }),
    ).toEqual(['/limits/0/tools unreachable_limit', '/flows/0/from unreachable_flow'])
  })

  it('are given for tools that no capability maps, if those are blocked', () => {
    const capability_mappings = { desk: { tools: ['desk_*', 'pay'], card_actions: ['a'] } }
    const defaults = { unmapped_tool_action: 'block' as const }
    const rules = { flows: [flow({ to: ['*_send'] })], limits: [limit()] }
    expect(warningsOf({ capability_mappings, defaults, ...rules })).toEqual([
      '/flows/0/from unreachable_flow',
    ])
    expect(warningsOf({ capability_mappings, ...rules })).toEqual([])
  })

  it('are given for a limit that a lower one always reaches first', () => {
    const limits = [
      limit({ max: 5 }),
      limit({ name: 'fewer', tools: ['p*'] }),
      limit({ name: 'soft', max: 1, action: 'warn' }),
    ]
    expect(warningsOf({ limits })).toEqual(['/limits/0/max unreachable_limit'])
    expect(warningsOf({ limits: [limit(), limit({ name: 'same' })] })).toEqual([
      '/limits/1/max unreachable_limit',
    ])
  })

  it('are given for an answer in the client that several people must give', () => {
    const defaults = { approval: { local: true, required: 2 } }
    expect(warningsOf({ defaults })).toEqual(['/defaults/approval/local ineffective_local'])
  })
})

describe('a change of rules over a session', () => {
  const compare = (current: Partial<PolicyRules>, draft: Partial<PolicyRules>) => {
    const { unweighed, mayLoosen } = policyDifference({
      current: policyOf(current),
      draft: policyOf(draft),
    })
    return { unweighed, mayLoosen }
  }
  const tightens = (aspect: string) => ({ unweighed: [aspect], mayLoosen: [] })
  const loosens = (aspect: string) => ({ unweighed: [aspect], mayLoosen: [aspect] })

  it('may loosen if a limit is raised, softened, narrowed or removed', () => {
    const of = (given: Partial<PolicyLimit>) => ({ limits: [limit(given)] })
    expect(compare(of({}), of({ max: 4 }))).toEqual(loosens('limits'))
    expect(compare(of({}), of({ action: 'warn' }))).toEqual(loosens('limits'))
    expect(compare(of({ tools: ['p*'] }), of({ tools: ['pay'] }))).toEqual(loosens('limits'))
    expect(compare(of({}), {})).toEqual(loosens('limits'))
    expect(compare(of({}), of({ max: 2, tools: ['*'] }))).toEqual(tightens('limits'))
    expect(compare({}, of({}))).toEqual(tightens('limits'))
  })

  it('may loosen if a flow is softened, narrowed or removed', () => {
    const of = (given: Partial<PolicyFlow>) => ({ flows: [flow(given)] })
    expect(compare(of({ action: 'block' }), of({}))).toMatchObject({ mayLoosen: ['flows'] })
    expect(compare(of({}), of({ from: ['web_get'] }))).toEqual(loosens('flows'))
    const stricter = of({ action: 'block', to: ['send', 'post'] })
    expect(compare(of({}), stricter)).toEqual(tightens('flows'))
  })

  it('may loosen if more identical calls are let through', () => {
    const of = (max_identical_calls: number | null) => ({ defaults: { max_identical_calls } })
    expect(compare(of(2), of(3))).toEqual(loosens('max_identical_calls'))
    expect(compare(of(2), of(null))).toEqual(loosens('max_identical_calls'))
    expect(compare({}, of(2))).toEqual(tightens('max_identical_calls'))
  })

  it('may loosen if an approval is easier to get', () => {
    const of = (required: number) => ({ defaults: { approval: { required } } })
    expect(compare(of(2), {})).toEqual(loosens('approval'))
    expect(compare({}, of(2))).toEqual(tightens('approval'))
  })
})
