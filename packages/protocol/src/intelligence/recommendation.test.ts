import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AlignmentCard } from '../cards/card.ts'
import { cardOf } from '../risk/cards.fixture.ts'
import { findFaultLines } from './fault-lines.ts'
import { forecastByRules } from './forecast.ts'
import {
  isUseful,
  judgeDraft,
  type RecommendationInput,
  recommendByRules,
} from './recommendation.ts'
import { THREE, TWO } from './team.fixture.ts'

const inputOf = (
  cards: readonly AlignmentCard[],
  more: Partial<RecommendationInput> = {},
): RecommendationInput => {
  const analysis = { ...findFaultLines(cards), memberCount: cards.length }
  const { overallRiskLevel } = forecastByRules(analysis)
  return {
    teamName: 'Research',
    cards,
    memberCount: cards.length,
    toolsByAction: new Map(),
    analysis,
    overallRiskLevel,
    ...more,
  }
}
/** The tools that the policies of the team of three map to its actions. */
const TOOLS = new Map([
  ['archive', ['mcp__files__archive']],
  ['search', ['search', 'mcp__web__find']],
])
const recommend = (input: RecommendationInput) => judgeDraft(recommendByRules(input), input)

describe('recommendByRules', () => {
  it('gives the policy of the team of three', () => {
    expect(recommend(inputOf(THREE, { toolsByAction: TOOLS }))).toEqual({
      policy: {
        meta: { schema_version: '1.0', name: 'Recommended policy for Research', scope: 'team' },
        capability_mappings: {
          archive: { tools: ['mcp__files__archive'], card_actions: ['archive'] },
          search: { tools: ['mcp__web__find', 'search'], card_actions: ['search'] },
        },
        forbidden: [
          ['*__delete_records', 'agent-a'],
          ['*__send_report', 'agent-c'],
          ['delete_records', 'agent-a'],
          ['send_report', 'agent-c'],
        ].map(([pattern, by]) => ({
          pattern,
          reason: `Forbidden by the card of ${by}`,
          severity: 'high',
        })),
        escalation_triggers: [
          {
            condition: "tool_matches('search') or tool_matches('*__search')",
            action: 'escalate',
            reason: 'Fault lines on data_hoarding, privacy, accuracy, speed',
          },
        ],
        defaults: {
          unmapped_tool_action: 'block',
          unmapped_severity: 'critical',
          fail_open: false,
          enforcement_mode: 'enforce',
          grace_period_hours: 24,
        },
      },
      reasoningChain: [
        {
          action: 'Forbid actions that members must not take',
          rationale: 'Cards forbid delete_records, send_report.',
          faultLinesAddressed: [],
        },
        {
          action: 'Map permitted actions to tools',
          rationale:
            'Members may take the actions archive, search, with the tools that their policies map to them.',
          faultLinesAddressed: [],
        },
        {
          action: 'Require approval for search',
          rationale:
            'Members that disagree on data_hoarding, privacy, accuracy, speed may all take the action search.',
          faultLinesAddressed: [
            'fl-a993f0dd10ab',
            'fl-0a6d77717c6d',
            'fl-554ae4c2ddfa',
            'fl-266acd3d70bf',
          ],
        },
        {
          action: 'Set the defaults',
          rationale:
            'The forecast level is critical, so unmapped tools get the action block and the policy mode is enforce.',
          faultLinesAddressed: [],
        },
        {
          action: 'Set the scope to the team',
          rationale: 'The scope is the team. The policy takes effect only when somebody stores it.',
          faultLinesAddressed: [],
        },
      ],
      confidenceE4: 6000,
      riskBefore: 'critical',
      riskAfter: 'high',
      faultLinesResolved: 4,
      validation: { valid: true, errors: [] },
    })
  })

  it('gives the policy of the team of two', () => {
    const toolsByAction = new Map([['run', ['mcp__jobs__run']]])
    const { policy, ...rest } = recommend(inputOf(TWO, { toolsByAction }))
    expect(Object.keys(policy.capability_mappings)).toEqual(['run'])
    expect(policy.escalation_triggers).toHaveLength(1)
    expect(policy.defaults).toMatchObject({
      unmapped_tool_action: 'warn',
      unmapped_severity: 'medium',
      enforcement_mode: 'warn',
    })
    expect(rest).toMatchObject({
      riskBefore: 'medium',
      riskAfter: 'medium',
      faultLinesResolved: 1,
      validation: { valid: true },
    })
  })

  it('maps the tools that policies map to an action, except forbidden ones', () => {
    const toolsByAction = new Map([
      ['search', ['mcp__web__find', 'mcp__db__delete_records', 'search']],
    ])
    const { policy } = recommend(inputOf(THREE, { toolsByAction }))
    expect(policy.capability_mappings['search']?.tools).toEqual(['mcp__web__find', 'search'])
  })

  it('warns about unmapped tools, however high the risk, if no policy maps any', () => {
    const { policy } = recommend(inputOf(THREE))
    expect(policy.capability_mappings).toEqual({})
    expect(policy.defaults).toMatchObject({
      unmapped_tool_action: 'warn',
      unmapped_severity: 'critical',
    })
  })

  it('is not useful if it resolves nothing', () => {
    const card = cardOf('a', { declared: 'care', bounded: 'run' })
    const useless = recommend(inputOf([card]))
    expect(useless.faultLinesResolved).toBe(0)
    expect(isUseful(useless)).toBe(false)
    expect(isUseful(recommend(inputOf(THREE)))).toBe(true)
  })

  it('gives a capability only tools that a mapping of a member gave it', () => {
    const word = fc.constantFrom('read', 'send', 'drop', 'pay', 'run', 'mcp__web__read', '*__pay')
    const member = fc.record({
      bounded: fc.array(word, { maxLength: 4 }),
      forbidden: fc.array(word, { maxLength: 2 }),
      mapped: fc.array(fc.tuple(word, word), { maxLength: 5 }),
    })
    fc.assert(
      fc.property(fc.array(member, { minLength: 1, maxLength: 5 }), (members) => {
        const cards = members.map(({ bounded, forbidden }, at) =>
          cardOf(`agent-${at}`, {
            declared: at % 2 === 0 ? 'care' : 'speed',
            bounded: bounded.join(' '),
            forbidden: forbidden.join(' '),
          }),
        )
        const toolsByAction = new Map<string, string[]>()
        for (const [action, tool] of members.flatMap(({ mapped }) => mapped)) {
          toolsByAction.set(action, [...(toolsByAction.get(action) ?? []), tool])
        }
        const { policy } = recommend(inputOf(cards, { toolsByAction }))
        for (const [action, { tools }] of Object.entries(policy.capability_mappings)) {
          for (const tool of tools) expect(toolsByAction.get(action)).toContain(tool)
        }
      }),
    )
  })

  it('drops a mapping if all of its tools are forbidden', () => {
    const card = cardOf('a', { declared: 'care', bounded: 'my__drop run', forbidden: 'drop' })
    const toolsByAction = new Map([
      ['my__drop', ['my__drop']],
      ['run', ['run']],
    ])
    const { policy, validation } = recommend(inputOf([card], { toolsByAction }))
    expect(Object.keys(policy.capability_mappings)).toEqual(['run'])
    expect(validation.valid).toBe(true)
  })

  it('lists actions that no policy can name, and ignores explanations of actions', () => {
    const card = {
      ...cardOf('a', { declared: 'care', bounded: '' }),
      autonomy_envelope: {
        bounded_actions: ['read: with care', "x') or tool_matches('*"],
        forbidden_actions: ['drop all tables'],
      },
    }
    const toolsByAction = new Map([['read', ['mcp__files__read']]])
    const { policy, reasoningChain, validation } = recommend(inputOf([card], { toolsByAction }))
    expect(validation.valid).toBe(true)
    expect(Object.keys(policy.capability_mappings)).toEqual(['read'])
    expect(policy.forbidden).toEqual([])
    expect(reasoningChain[0]?.rationale).toContain('"drop all tables"')
    expect(reasoningChain[1]?.rationale).toContain("tool_matches('*")
  })

  it("compares the rules' forecasts before and after, whatever a model predicted", () => {
    const draft = recommendByRules(inputOf(THREE))
    const judged = judgeDraft(draft, inputOf(THREE, { overallRiskLevel: 'low' }))
    expect(judged).toMatchObject({ riskBefore: 'critical', riskAfter: 'high' })
  })

  it('stays valid at every limit', () => {
    const many = (prefix: string, count: number) =>
      Array.from({ length: count }, (_, at) => `${prefix}${String(at).padStart(3, '0')}`).join(' ')
    const cards = Array.from({ length: 4 }, (_, at) =>
      cardOf(`agent-${'x'.repeat(110)}-${at}`, {
        declared: `care own${at}`,
        bounded: `${many('all', 120)} ${many(`only${at}_`, 80)}`,
        forbidden: many(`not${at}_`, 150),
      }),
    )
    const actions = cards.flatMap((card) => card.autonomy_envelope.bounded_actions)
    const toolsByAction = new Map(actions.map((action) => [action, [`tool_${action}`]]))
    toolsByAction.set('all000', many('tool', 300).split(' '))
    const teamName = '🦊'.repeat(200)
    const { policy, reasoningChain, validation } = recommend(
      inputOf(cards, { toolsByAction, teamName, overallRiskLevel: 'critical' }),
    )
    expect(validation).toEqual({ valid: true, errors: [] })
    expect(policy.forbidden).toHaveLength(500)
    expect(Object.keys(policy.capability_mappings)).toHaveLength(200)
    expect(policy.capability_mappings['all000']?.tools).toHaveLength(200)
    expect(policy.escalation_triggers).toHaveLength(100)
    expect([...policy.meta.name]).toHaveLength(120)
    expect(reasoningChain[0]?.rationale).toContain('350 more did not fit into one policy.')
    for (const { rationale } of reasoningChain) expect(rationale.length).toBeLessThan(501)
  })
})
