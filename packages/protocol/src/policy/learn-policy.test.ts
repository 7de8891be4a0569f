import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '#harness/runs.ts'
import { compilePolicy } from './compile-policy.ts'
import { evaluatePolicy } from './evaluate-policy.ts'
import { type LearnInput, learnPolicy } from './learn-policy.ts'
import { type CallFinding, IGNORED_CALLS, type Observation } from './observed-call.ts'
import { policyOf } from './policy.fixture.ts'
import type { PolicyCard, PolicyDocument } from './policy.ts'
import { resolvePolicy } from './resolve-policy.ts'
import { validatePolicy } from './validate-policy.ts'

const AT = Date.UTC(2026, 2, 2, 12)

const seen = (tool: string, more: Partial<Observation> = {}): Observation => ({
  tool,
  source: 'decision',
  finding: 'used',
  count: 1,
  firstMs: AT - 1000,
  lastMs: AT,
  example: `dec-${tool}`,
  ...more,
})

const learn = (observations: Observation[], layers: Partial<LearnInput> = {}) =>
  learnPolicy({ meta: { name: 'Learned' }, observations, ...layers })

const orgOf = (sparse: Partial<PolicyDocument>) =>
  policyOf({ ...sparse, meta: { schema_version: '1.0', name: 'org', scope: 'org' } })

/** The answer of the policy that would be in force. */
function answerOf(tool: string, learned: PolicyDocument, { org, card }: Partial<LearnInput> = {}) {
  const policy = resolvePolicy({ org, agent: learned })?.policy
  if (policy === undefined) throw new Error('a learned policy must resolve')
  const call = { tools: [tool], context: 'gateway', nowMs: AT, firstSeenMs: new Map() } as const
  const { violations } = evaluatePolicy(compilePolicy({ policy, card }), call)
  if (violations.some(({ blocking }) => blocking)) return 'block'
  return violations.some(({ action }) => action === 'escalate') ? 'escalate' : 'allow'
}

function policyFrom(observations: Observation[], layers: Partial<LearnInput> = {}): PolicyDocument {
  const { policy } = learn(observations, layers)
  if (policy === undefined) throw new Error('no policy was learned')
  return policy
}

describe('a learned policy', () => {
  it('lists exact names by server, blocks everything else and says what was seen', () => {
    const { policy, rules, ignored } = learn([
      seen('mcp__git__log', { count: 7 }),
      seen('mcp__git__log', { source: 'trace', count: 2, firstMs: AT - 5000, lastMs: AT - 4000 }),
      seen('Read', { count: 3 }),
      seen('rm', { finding: 'refused', count: 4 }),
    ])
    expect(policy).toEqual({
      meta: { schema_version: '1.0', name: 'Learned', scope: 'agent' },
      capability_mappings: {
        git: { tools: ['mcp__git__log'], card_actions: ['git'] },
        tools: { tools: ['Read'], card_actions: ['tools'] },
      },
      forbidden: [],
      escalation_triggers: [],
      defaults: {
        unmapped_tool_action: 'block',
        enforcement_mode: 'enforce',
        grace_period_hours: 0,
        fail_open: false,
      },
    })
    expect(rules).toEqual([
      {
        tool: 'Read',
        effect: 'allow',
        capability: 'tools',
        path: '/capability_mappings/tools/tools/0',
        escalatedBy: null,
        decisions: 3,
        traces: 0,
        firstMs: AT - 1000,
        lastMs: AT,
      },
      {
        tool: 'mcp__git__log',
        effect: 'allow',
        capability: 'git',
        path: '/capability_mappings/git/tools/0',
        escalatedBy: null,
        decisions: 7,
        traces: 2,
        firstMs: AT - 5000,
        lastMs: AT,
      },
    ])
    expect(ignored).toEqual({ refused: 4 })
  })

  it('says which tools it would have stopped, how often, and why', () => {
    const { stopped } = learn([
      seen('Read'),
      seen('rm', { finding: 'refused', count: 4, example: 'dec-1' }),
      seen('rm', { finding: 'no_outcome', count: 2, lastMs: AT + 5, example: 'dec-2' }),
    ])
    expect(stopped).toEqual([
      {
        tool: 'rm',
        effect: 'block',
        reasons: ['No capability maps this tool'],
        decisions: 6,
        traces: 0,
        findings: { refused: 4, no_outcome: 2 },
        lastMs: AT + 5,
        exampleDecision: 'dec-2',
        exampleTrace: null,
      },
    ])
  })

  it('is absent if nothing was used, so that nothing is allowed or blocked by accident', () => {
    expect(learn([])).toMatchObject({ policy: undefined, tooLarge: false, rules: [] })
    expect(learn([seen('rm', { finding: 'refused' })])).toMatchObject({
      policy: undefined,
      ignored: { refused: 1 },
    })
  })

  it.each(['*', 'mcp__*', 'a?'])('does not take the name %s for a pattern', (tool) => {
    const { policy, ignored } = learn([seen(tool), seen('Read')])
    expect(ignored).toEqual({ unusable_name: 1 })
    expect(answerOf('anything', policy as PolicyDocument)).toBe('block')
  })

  it('asks about a tool of which every call was asked about, however it is named', () => {
    const odd = `it's\\"odd"`
    const policy = policyFrom([
      seen('pay', { finding: 'asked' }),
      seen(odd, { finding: 'asked' }),
      seen('read', { finding: 'asked' }),
      seen('read'),
    ])
    expect(answerOf('pay', policy)).toBe('escalate')
    expect(answerOf(odd, policy)).toBe('escalate')
    expect(answerOf('read', policy)).toBe('allow')
  })

  it('keeps a rule of today that has the same condition', () => {
    const agent = policyOf({
      escalation_triggers: [{ condition: "tool  == 'pay'", action: 'warn', reason: 'noted' }],
    })
    const policy = policyFrom([seen('pay', { finding: 'asked' })], { agent })
    expect(validatePolicy(policy)).toMatchObject({ valid: true })
    expect(policy.escalation_triggers.map(({ action }) => action)).toEqual(['warn', 'escalate'])
    expect(answerOf('pay', policy)).toBe('escalate')
  })

  it('stays as it is when it is learned again under itself', () => {
    const org = orgOf({
      capability_mappings: { mail: { tools: ['mail_*'], card_actions: ['send'] } },
    })
    const observations = [seen('read'), seen('pay', { finding: 'asked' })]
    const first = policyFrom(observations, { org })
    let again = first
    for (let time = 0; time < 3; time += 1) {
      const { policy, rules } = learn(observations, { org, agent: again })
      expect(policy).toEqual(first)
      expect(rules.map(({ escalatedBy }) => escalatedBy)).toEqual(['/escalation_triggers/0', null])
      expect(validatePolicy(policy, { scope: 'agent', org })).toMatchObject({ valid: true })
      again = policy as PolicyDocument
    }
  })

  it("does not let the agent's own traces allow what the gateway flagged or asked about", () => {
    const trace = { source: 'trace' } as const
    const { policy, ignored } = learn([
      seen('rm', trace),
      seen('rm', { finding: 'bypassed' }),
      seen('pay', trace),
      seen('pay', { finding: 'asked' }),
      seen('read', trace),
    ])
    expect(ignored).toEqual({ bypassed: 1, contradicted_trace: 1 })
    expect(answerOf('rm', policy as PolicyDocument)).toBe('block')
    expect(answerOf('pay', policy as PolicyDocument)).toBe('escalate')
    expect(answerOf('read', policy as PolicyDocument)).toBe('allow')
  })

  it('keeps forbidden rules, triggers and limits of today', () => {
    const agent = policyOf({
      meta: { schema_version: '1.1', name: 'today', scope: 'agent' },
      forbidden: [{ pattern: 'rm*', reason: 'no', severity: 'critical' }],
      escalation_triggers: [{ condition: "args.to == 'all'", action: 'deny', reason: 'no' }],
      limits: [
        { name: 'few', tools: ['read'], max: 3, per: 'hour', action: 'block', reason: 'enough' },
      ],
      capability_mappings: { files: { tools: ['*'], card_actions: ['read'] } },
    })
    const { policy, ignored } = learn([seen('read'), seen('rm1')], { agent })
    expect(policy).toMatchObject({
      forbidden: agent.forbidden,
      escalation_triggers: agent.escalation_triggers,
      limits: agent.limits,
      capability_mappings: { files: { tools: ['read'], card_actions: ['read'] } },
    })
    expect(ignored).toEqual({ forbidden_now: 1 })
  })

  it('blocks what the policy of the organisation maps and nobody used', () => {
    const org = orgOf({
      capability_mappings: {
        web: { tools: ['mcp__web__*'], card_actions: ['browse'] },
        mail: { tools: ['mcp__mail__*', 'mcp__web__mail'], card_actions: ['send'] },
      },
    })
    const policy = policyFrom([seen('mcp__web__get')], { org })
    expect(policy.capability_mappings).toMatchObject({
      mail: { tools: ['unused-tool'], card_actions: ['send'] },
      web: { tools: ['mcp__web__get'], card_actions: ['browse'] },
    })
    expect(answerOf('mcp__web__get', policy, { org })).toBe('allow')
    for (const tool of ['mcp__web__post', 'mcp__mail__send', 'mcp__web__mail', 'unused-tool']) {
      expect(answerOf(tool, policy, { org })).toBe('block')
    }
  })

  it('gives a new tool the granted action of its traces, else one that the card has to grant', () => {
    const card: PolicyCard = { autonomy_envelope: { bounded_actions: ['browse', 'search'] } }
    const traced = { source: 'trace', action: 'search' } as const
    const { policy, stopped } = learn(
      [
        seen('mcp__web__find', { ...traced, count: 2 }),
        seen('mcp__web__find', { ...traced, action: 'browse' }),
        seen('mcp__web__get', { source: 'trace', action: 'destroy' }),
      ],
      { card },
    )
    expect(policy?.capability_mappings).toEqual({
      search: { tools: ['mcp__web__find'], card_actions: ['search'] },
      web: { tools: ['mcp__web__get'], card_actions: ['web'] },
    })
    expect(stopped).toMatchObject([{ tool: 'mcp__web__get', effect: 'block' }])
  })

  it('splits many tools, and is absent with more than a policy can have', () => {
    const many = (count: number) => Array.from({ length: count }, (_, i) => seen(`tool-${i}`))
    const policy = policyFrom(many(450))
    expect(Object.keys(policy.capability_mappings)).toEqual(['tools', 'tools-2', 'tools-3'])
    expect(validatePolicy(policy)).toMatchObject({ valid: true })
    expect(learn(many(40_001))).toMatchObject({ policy: undefined, tooLarge: true })
  })
})

const letters = fc.constantFrom('a', 'b', '🔧', "'", '\\')
const toolName = fc
  .tuple(
    fc.constantFrom('', 'mcp__s__', 'mcp__t__'),
    fc.array(letters, { minLength: 1, maxLength: 3 }),
  )
  .map(([server, rest]) => server + rest.join(''))
const pattern = fc.tuple(toolName, fc.constantFrom('', '*', '?')).map(([name, end]) => name + end)
const FINDINGS: CallFinding[] = ['used', 'used', 'asked', ...IGNORED_CALLS]
const observation = fc
  .record({
    tool: fc.oneof({ weight: 9, arbitrary: toolName }, { weight: 1, arbitrary: pattern }),
    finding: fc.constantFrom(...FINDINGS),
    source: fc.constantFrom('decision' as const, 'trace' as const),
    count: fc.integer({ min: 1, max: 9 }),
    lastMs: fc.integer({ min: AT, max: AT + 9 }),
    action: fc.constantFrom(undefined, 'act', 'do'),
  })
  .map(({ tool, ...more }) => seen(tool, more))
const severity = fc.constantFrom('low' as const, 'high' as const)
const layer = fc.record({
  capability_mappings: fc.dictionary(
    fc.constantFrom('s', 't', 'tools', 'web', 'constructor'),
    fc.record({
      tools: fc.uniqueArray(pattern, { minLength: 1, maxLength: 3 }),
      card_actions: fc.constantFrom(['act'], ['do'], ['act', 'do']),
    }),
  ),
  forbidden: fc.uniqueArray(fc.record({ pattern, reason: fc.constant('no'), severity }), {
    maxLength: 2,
    selector: (rule) => rule.pattern,
  }),
  defaults: fc.record({
    unmapped_tool_action: fc.constantFrom('allow' as const, 'warn' as const, 'block' as const),
  }),
})
const world = fc.record({
  observations: fc.array(observation, { minLength: 1, maxLength: 12 }),
  org: fc.option(layer.map(orgOf), { nil: undefined }),
  agent: fc.option(
    layer.map((sparse) => policyOf(sparse)),
    { nil: undefined },
  ),
  hasCard: fc.boolean(),
  others: fc.array(fc.oneof(toolName, pattern), { minLength: 1, maxLength: 8 }),
})

describe('of any calls and policies, a learned policy', () => {
  const check = (
    property: (
      of: { learned: PolicyDocument; observations: Observation[]; others: string[] },
      layers: Pick<LearnInput, 'org' | 'agent' | 'card'>,
    ) => void,
  ) =>
    fc.assert(
      fc.property(world, ({ observations, org, agent, hasCard, others }) => {
        const card = hasCard ? { autonomy_envelope: { bounded_actions: ['act'] } } : undefined
        const layers = { org, agent, card }
        const learned = learn(observations, layers).policy
        if (learned !== undefined) property({ learned, observations, others }, layers)
      }),
      runs(3000),
    )

  it('allows each listed tool, unless the card does not grant its action', () => {
    check(({ observations }, layers) => {
      const { policy, rules, stopped } = learn(observations, layers)
      for (const { tool, effect } of rules) {
        const answer = answerOf(tool, policy as PolicyDocument, layers)
        if (layers.card === undefined) expect(answer).toBe(effect)
        else if (answer !== effect) expect(stopped.map((one) => one.tool)).toContain(tool)
      }
    })
  })

  it('lists every tool that was used according to a decision and is not forbidden today', () => {
    check(({ observations }, layers) => {
      const { rules } = learn(observations, layers)
      const blocks = (tool: string) =>
        [layers.org, layers.agent].some((one) =>
          one === undefined
            ? false
            : answerOf(
                tool,
                policyOf({ forbidden: one.forbidden, defaults: { unmapped_tool_action: 'allow' } }),
              ) === 'block',
        )
      for (const { tool, source, finding } of observations) {
        if (source !== 'decision' || finding !== 'used' || /[*?]/.test(tool) || blocks(tool))
          continue
        expect(rules).toContainEqual(expect.objectContaining({ tool, effect: 'allow' }))
      }
    })
  })

  it('blocks every other tool, whatever the organisation maps', () => {
    check(({ learned, observations, others }, layers) => {
      const proven = new Set(
        observations
          .filter(({ finding }) => finding === 'used' || finding === 'asked')
          .map(({ tool }) => tool),
      )
      for (const tool of [...others, ...observations.map((one) => one.tool)]) {
        if (!proven.has(tool)) expect(answerOf(tool, learned, layers)).toBe('block')
      }
    })
  })

  it('is valid, has no pattern, and does not depend on the order of the calls', () => {
    check(({ learned, observations }, layers) => {
      expect(validatePolicy(learned, { scope: 'agent', ...layers })).toMatchObject({ valid: true })
      const tools = Object.values(learned.capability_mappings).flatMap((one) => one.tools)
      expect(tools.filter((tool) => /[*?]/.test(tool))).toEqual([])
      expect(learn(observations.toReversed(), layers)).toEqual(learn(observations, layers))
    })
  })
})
