import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FORECAST_PROMPT, readForecast } from './forecast-reply.ts'
import { analysisOf, FORECAST_REPLY, THREE } from './intelligence.fixture.ts'
import { viewTeam } from './team-view.ts'

const view = viewTeam(analysisOf(THREE))
const [MODE] = FORECAST_REPLY.failure_modes
const withMode = (more: object) => ({
  ...FORECAST_REPLY,
  failure_modes: [{ ...MODE, ...more }],
})
const faultsOf = (json: unknown) => {
  const outcome = readForecast(json, view)
  return outcome.ok ? [] : outcome.faults
}

describe('readForecast', () => {
  it('resolves aliases to ids, and to names within sentences', () => {
    expect(readForecast(FORECAST_REPLY, view)).toEqual({
      ok: true,
      value: {
        failureModes: [
          {
            mode: 'coordination_deadlock',
            description: 'agent-a and agent-c block each other over "data_hoarding".',
            probabilityE4: 6124,
            severity: 'critical',
            triggeredBy: ['fl-a993f0dd10ab', 'fl-0a6d77717c6d'],
            affectedAgents: ['agent-a', 'agent-c'],
            mitigationAvailable: true,
          },
        ],
        overallRiskLevel: 'high',
        confidenceE4: 8000,
      },
    })
  })

  it.each([
    ['a reply that is not an object', [], 'the reply must be an object'],
    ['no modes', { ...FORECAST_REPLY, failure_modes: [] }, 'failure_modes must not be empty'],
    [
      'eleven modes',
      { ...FORECAST_REPLY, failure_modes: Array.from({ length: 11 }, () => MODE) },
      'failure_modes must have at most 10 items',
    ],
    [
      'an unknown mode',
      withMode({ mode: 'doom' }),
      expect.stringContaining('failure_modes[0].mode must be one of value_override'),
    ],
    [
      'a probability above 1',
      withMode({ probability: 1.5 }),
      'failure_modes[0].probability must be at most 1',
    ],
    [
      'a probability that is not a number',
      withMode({ probability: '0.5' }),
      'failure_modes[0].probability must be a number',
    ],
    [
      'no fault line',
      withMode({ triggered_by: [] }),
      'failure_modes[0].triggered_by must not be empty',
    ],
    [
      'an invented fault line',
      withMode({ triggered_by: ['F1', 'F99'] }),
      'failure_modes[0].triggered_by must hold only ids that the document has',
    ],
    [
      'an invented agent',
      withMode({ affected_agents: ['agent-a'] }),
      'failure_modes[0].affected_agents must hold only ids that the document has',
    ],
    [
      'an empty description',
      withMode({ description: ' \n ' }),
      'failure_modes[0].description must not be empty',
    ],
    [
      'a long description',
      withMode({ description: 'x'.repeat(501) }),
      'failure_modes[0].description must have at most 500 characters',
    ],
    [
      'no level',
      { ...FORECAST_REPLY, overall_risk_level: null },
      expect.stringContaining('overall_risk_level'),
    ],
    ['no confidence', { ...FORECAST_REPLY, confidence: undefined }, 'confidence is required'],
  ])('rejects %s', (_, json, fault) => {
    expect(faultsOf(json)[0]).toEqual(fault)
  })

  it('strips control characters from texts and truncates them', () => {
    const outcome = readForecast(
      withMode({ description: `\u0007one\nof \u202eA1 ${'F1 '.repeat(160)}` }),
      view,
    )
    const description = outcome.ok ? (outcome.value.failureModes[0]?.description ?? '') : ''
    expect(description).toMatch(/^one of {2}agent-a "data_hoarding"/)
    expect(description).toHaveLength(500)
  })

  it('never quotes the reply in its faults', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ minLength: 8 }), (json, secret) => {
        const text = `zq${secret}qz`
        const faults = [
          ...faultsOf({ ...Object(json), [text]: text }),
          ...faultsOf(withMode({ mode: text, [text]: 1, triggered_by: [text] })),
        ]
        expect(faults.length).toBeGreaterThan(0)
        expect(faults.join('\n')).not.toContain(text)
      }),
    )
  })

  it('has a prompt without data of any team', () => {
    expect(FORECAST_PROMPT).not.toMatch(/agent-a|data_hoarding/)
  })
})
