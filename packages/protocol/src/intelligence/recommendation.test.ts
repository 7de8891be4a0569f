import { describe, expect, it } from 'vitest'
import type { AlignmentCard } from '../cards/card.ts'
import { cardOf } from '../risk/cards.fixture.ts'
import { findFaultLines } from './fault-lines.ts'
import { forecastByRules } from './forecast.ts'
import { judgeDraft, type RecommendationInput, recommendByRules } from './recommendation.ts'
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
const recommend = (input: RecommendationInput) => judgeDraft(recommendByRules(input), input)

describe('recommendByRules', () => {
  it('gives the policy of the team of three', () => {
    expect(recommend(inputOf(THREE))).toEqual({
      policy: {
        meta: { schema_version: '1.0', name: 'Recommended policy for Research', scope: 'team' },
        capability_mappings: {
          archive: { tools: ['*__archive', 'archive'], card_actions: ['archive'] },
          search: { tools: ['*__search', 'search'], card_actions: ['search'] },
          summarize: { tools: ['*__summarize', 'summarize'], card_actions: ['summarize'] },
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
          rationale: 'Members may take the actions archive, search, summarize.',
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
    const { policy, ...rest } = recommend(inputOf(TWO))
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

  it('adds the tools that policies map to an action, except forbidden ones', () => {
    const toolsByAction = new Map([
      ['search', ['mcp__web__find', 'mcp__db__delete_records', 'search']],
    ])
    const { policy } = recommend(inputOf(THREE, { toolsByAction }))
    expect(policy.capability_mappings['search']?.tools).toEqual([
      '*__search',
      'mcp__web__find',
      'search',
    ])
  })

  it('drops a mapping if all of its tools are forbidden', () => {
    const card = cardOf('a', { declared: 'care', bounded: 'my__drop run', forbidden: 'drop' })
    const { policy, validation } = recommend(inputOf([card]))
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
    const { policy, reasoningChain, validation } = recommend(inputOf([card]))
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
    const toolsByAction = new Map([['all000', many('tool', 300).split(' ')]])
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
