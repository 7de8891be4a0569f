import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CONSCIENCE_TYPES, type ConscienceValue } from './card.ts'
import {
  actingType,
  composeValues,
  resolveValues,
  SYSTEM_BASE_VALUES,
  VALUE_SEVERITIES,
  type ValueLayers,
} from './conscience.ts'

const NONE: ValueLayers = { org: [], replacesBase: false, template: [], agent: [] }
const value = (name: string, type: ConscienceValue['type'] = 'BOUNDARY', content = 'Never.') => ({
  type,
  name,
  content,
})
const mandatory = (name: string, type: ConscienceValue['type'] = 'BOUNDARY') => ({
  ...value(name, type),
  severity: 'mandatory' as const,
})
const namesOf = (layers: Partial<ValueLayers>) =>
  resolveValues({ ...NONE, replacesBase: true, ...layers }).map(({ name }) => name)

describe('resolved values', () => {
  it('are the base values alone if nobody adds any', () => {
    expect(resolveValues(NONE)).toEqual(SYSTEM_BASE_VALUES)
  })

  it('come in the order base, organisation, template, agent, and name their source', () => {
    const resolved = resolveValues({
      org: [mandatory('of_org', 'HOPE')],
      replacesBase: false,
      template: [value('of_template', 'FEAR')],
      agent: [value('of_agent', 'BELIEF')],
    })
    expect(resolved.slice(0, SYSTEM_BASE_VALUES.length)).toEqual(SYSTEM_BASE_VALUES)
    expect(resolved.slice(SYSTEM_BASE_VALUES.length)).toEqual([
      { ...value('of_org', 'HOPE'), severity: 'mandatory', source: 'org' },
      { ...value('of_template', 'FEAR'), severity: null, source: 'template' },
      { ...value('of_agent', 'BELIEF'), severity: null, source: 'agent' },
    ])
  })

  it('omit the base if the organisation replaces it', () => {
    expect(namesOf({ org: [mandatory('only')] })).toEqual(['only'])
  })

  it('keep the first of two with the same type and name, ignoring case', () => {
    const org = [mandatory('No_Promises')]
    const agent = [value('no_promises'), value('NO_PROMISES', 'FEAR')]
    expect(namesOf({ org, agent })).toEqual(['No_Promises', 'NO_PROMISES'])
    const shadowed = resolveValues({ ...NONE, agent: [value('STAY_IN_BOUNDS')] })
    expect(shadowed).toEqual(SYSTEM_BASE_VALUES)
  })

  it('never lose a value to a later layer', () => {
    const values = fc.array(
      fc.record({
        type: fc.constantFrom(...CONSCIENCE_TYPES),
        name: fc.constantFrom('a', 'A', 'b', 'B', 'É', 'é'),
        content: fc.string(),
      }),
      { maxLength: 5 },
    )
    const severity = fc.constantFrom(...VALUE_SEVERITIES)
    fc.assert(
      fc.property(values, values, values, severity, (first, template, agent, of) => {
        const org = first.map((one) => ({ ...one, severity: of }))
        const all = resolveValues({ ...NONE, org, template, agent })
        const before = resolveValues({ ...NONE, org, template })
        expect(all.slice(0, before.length)).toEqual(before)
        const keys = all.map(({ type, name }) => `${type} ${name.toLowerCase()}`)
        expect(new Set(keys).size).toBe(keys.length)
      }),
    )
  })
})

describe('the conscience values of a composed card', () => {
  it('are those of the template, then those of the agent that it does not have', () => {
    const composed = composeValues([value('one')], [value('ONE'), value('two')])
    expect(composed).toEqual([value('one'), value('two')])
  })
})

describe('the effective type of a value', () => {
  it.each([
    ['HOPE', 'mandatory', 'BOUNDARY'],
    ['FEAR', 'mandatory', 'BOUNDARY'],
    ['BOUNDARY', 'advisory', 'FEAR'],
    ['FEAR', 'advisory', 'FEAR'],
    ['BELIEF', 'advisory', 'BELIEF'],
    ['BOUNDARY', null, 'BOUNDARY'],
    ['COMMITMENT', null, 'COMMITMENT'],
  ] as const)('%s, %s: %s', (type, severity, acting) => {
    expect(actingType({ type, severity })).toBe(acting)
  })
})
