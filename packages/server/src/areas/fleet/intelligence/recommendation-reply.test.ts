import { forecastByRules, recommendByRules } from '@touchstone/protocol/intelligence'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { analysisOf, RECOMMENDATION_REPLY, THREE, THREE_TOOLS } from './intelligence.fixture.ts'
import { forecastInput } from './item.ts'
import { type Floor, readRecommendation, recommendationDocument } from './recommendation-reply.ts'
import { viewTeam } from './team-view.ts'

function floorOf(toolsByAction = THREE_TOOLS): Floor {
  const analysis = analysisOf(THREE)
  const forecast = forecastByRules(forecastInput(analysis))
  const draft = recommendByRules({
    teamName: 'Three',
    cards: THREE,
    memberCount: 3,
    toolsByAction,
    analysis: forecastInput(analysis),
    overallRiskLevel: forecast.overallRiskLevel,
  })
  return { draft, forecast, view: viewTeam(analysis) }
}
const floor = floorOf()
const { policy: POLICY } = RECOMMENDATION_REPLY
const withPolicy = (more: object) => ({ ...RECOMMENDATION_REPLY, policy: { ...POLICY, ...more } })
const read = (json: unknown, of = floor) => readRecommendation(json, of)
const policyOf = (json: unknown, of = floor) => {
  const outcome = read(json, of)
  if (!outcome.ok) throw new Error(outcome.faults.join())
  return outcome.value.policy
}

describe('readRecommendation', () => {
  it('adds the rules of the model to the floor', () => {
    const outcome = read(RECOMMENDATION_REPLY)
    if (!outcome.ok) throw new Error(outcome.faults.join())
    const { policy, reasoningChain, confidenceE4 } = outcome.value
    expect(policy.meta).toEqual(floor.draft.policy.meta)
    expect(policy.forbidden).toEqual([
      ...floor.draft.policy.forbidden,
      { pattern: 'mcp__mail__*', reason: 'agent-c must not mail.', severity: 'high' },
    ])
    expect(policy.escalation_triggers.map(({ condition }) => condition)).toEqual([
      "tool_matches('search') or tool_matches('*__search')",
      'tool_new',
    ])
    expect(policy.capability_mappings).toMatchObject({
      archive: { tools: ['archive'] },
      search: { tools: ['*__search', 'search'] },
    })
    expect(policy.defaults.grace_period_hours).toBe(0)
    expect(reasoningChain).toMatchObject([
      { rationale: '"data_hoarding" is about data.', faultLinesAddressed: ['fl-a993f0dd10ab'] },
      { faultLinesAddressed: [] },
    ])
    expect(confidenceE4).toBe(7500)
  })

  it('ignores rules that would weaken the floor', () => {
    const policy = policyOf(
      withPolicy({
        capability_mappings: [{ capability: 'search', tools: ['mcp__shell__*', '*'] }],
        forbidden: [{ pattern: 'send_report', reason: 'fine now', severity: 'low' }],
        escalation_triggers: [
          {
            condition: "tool_matches('search')  or tool_matches('*__search')",
            action: 'warn',
            reason: 'fine now',
            severity: 'low',
          },
        ],
        defaults: {
          unmapped_tool_action: 'allow',
          unmapped_severity: 'low',
          fail_open: true,
          enforcement_mode: 'off',
          grace_period_hours: 8760,
        },
      }),
    )
    expect(policy).toEqual({
      ...floor.draft.policy,
      ...policy,
      defaults: floor.draft.policy.defaults,
    })
    expect(policy.capability_mappings).toEqual(floor.draft.policy.capability_mappings)
    expect(policy.forbidden).toEqual(floor.draft.policy.forbidden)
    expect(policy.escalation_triggers).toMatchObject(floor.draft.policy.escalation_triggers)
  })

  it('accepts mappings in the form of a policy', () => {
    const mappings = { archive: { tools: ['archive', 'unknown'], card_actions: ['everything'] } }
    expect(
      policyOf(withPolicy({ capability_mappings: mappings })).capability_mappings,
    ).toMatchObject({ archive: { tools: ['archive'], card_actions: ['archive'] } })
  })

  it('removes no tool from a capability that was not shown in full', () => {
    const tools = [`mcp__${'x'.repeat(70)}`]
    const long = floorOf(new Map([['archive', tools]]))
    expect(JSON.stringify(recommendationDocument(long))).not.toContain('"archive"')
    expect(policyOf(RECOMMENDATION_REPLY, long).capability_mappings['archive']?.tools).toContain(
      tools[0],
    )
  })

  it.each([
    [
      'a rule that forbids what is mapped',
      { forbidden: [{ pattern: '*', reason: 'all', severity: 'critical' }] },
      'the policy is not valid with what you add to capability_mappings: conflicting rules',
    ],
    [
      'an invalid condition',
      {
        escalation_triggers: [
          { condition: 'please(', action: 'deny', reason: 'r', severity: 'low' },
        ],
      },
      'the policy is not valid with what you add to escalation_triggers: invalid condition',
    ],
    [
      'a pattern with a space',
      { forbidden: [{ pattern: 'rm -rf', reason: 'r', severity: 'low' }] },
      'the policy is not valid with what you add to forbidden: pattern',
    ],
  ])('rejects a policy with %s', (_, more, fault) => {
    expect(read(withPolicy(more))).toEqual({ ok: false, kind: 'policy', faults: [fault] })
  })

  it.each([
    ['no policy', { ...RECOMMENDATION_REPLY, policy: null }],
    ['no steps', { ...RECOMMENDATION_REPLY, reasoning_chain: [] }],
    [
      'an invented fault line',
      {
        ...RECOMMENDATION_REPLY,
        reasoning_chain: [{ action: 'a', rationale: 'b', fault_lines_addressed: ['F77'] }],
      },
    ],
    ['a missing severity', withPolicy({ forbidden: [{ pattern: 'a', reason: 'b' }] })],
    ['a confidence above 1', { ...RECOMMENDATION_REPLY, confidence: 2 }],
  ])('rejects a reply with %s', (_, json) => {
    expect(read(json)).toMatchObject({ ok: false, kind: 'reply' })
  })

  it('never quotes the reply in its faults', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 6 }), (secret) => {
        const text = `zq${secret}(qz`
        const trigger = { action: 'deny', reason: text, severity: 'low', condition: text }
        const outcome = read(
          withPolicy({
            forbidden: [{ pattern: `*${text}`, reason: text, severity: 'critical' }],
            escalation_triggers: [trigger, trigger],
            capability_mappings: { [text]: { tools: [text] } },
          }),
        )
        expect(outcome.ok).toBe(false)
        expect(JSON.stringify(outcome)).not.toContain('zq')
      }),
    )
  })
})

describe('recommendationDocument', () => {
  it('contains the floor and the forecast, with aliases only', () => {
    const document = recommendationDocument(floor)
    expect(document).toMatchObject({
      forecast: { overall_risk_level: 'critical' },
      floor: {
        capability_mappings: [
          { capability: 'archive', tools: ['*__archive', 'archive'] },
          { capability: 'search' },
          { capability: 'summarize' },
        ],
        forbidden: ['*__delete_records', '*__send_report', 'delete_records', 'send_report'],
        defaults: { enforcement_mode: 'enforce' },
      },
    })
    expect(JSON.stringify(document)).not.toMatch(/agent-|fl-/)
  })
})
