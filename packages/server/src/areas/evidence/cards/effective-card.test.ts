import { defaultCard } from '@touchstone/protocol/cards'
import { describe, expect, it } from 'vitest'
import {
  effectiveCard,
  effectiveDocument,
  effectiveValues,
  type Layer,
  stampOf,
  valuesOfOrg,
} from './effective-card.ts'

const CARD = defaultCard('agent-1', new Date('2026-03-01T12:00:00.000Z'))
const NONE: Layer = {
  templateVersion: 0,
  template: undefined,
  revision: 0,
  values: [],
  replacesBase: false,
}
const fear = (name: string) => ({ type: 'FEAR' as const, name, content: 'x' })
const TEMPLATE = {
  card: { autonomy_envelope: { forbidden_actions: ['wire_money'] } },
  conscienceValues: [fear('of_template')],
}
const FULL: Layer = {
  templateVersion: 3,
  template: TEMPLATE,
  revision: 7,
  values: [{ ...fear('of_org'), severity: 'mandatory' }],
  replacesBase: true,
}

describe('an effective card', () => {
  it('is the declared card if there is no template', () => {
    expect(effectiveCard(NONE, CARD)).toBe(CARD)
    const declared = { card: CARD, conscienceValues: [] }
    expect(effectiveDocument(NONE, declared)).toBe(declared)
  })

  it('has the template’s additions, with its values before those of the agent', () => {
    const declared = { card: CARD, conscienceValues: [fear('own')], version: 2 }
    expect(effectiveDocument(FULL, declared)).toMatchObject({
      version: 2,
      card: { autonomy_envelope: { forbidden_actions: ['wire_money'] } },
      conscienceValues: [fear('of_template'), fear('own')],
    })
  })
})

describe('effective values', () => {
  it('come from all sources in resolution order', () => {
    const names = effectiveValues(FULL, [fear('own')]).map(({ name }) => name)
    expect(names).toEqual(['of_org', 'of_template', 'own'])
    expect(valuesOfOrg(FULL).map(({ source }) => source)).toEqual(['org', 'template'])
    expect(valuesOfOrg(NONE)).toEqual([])
  })
})

describe('the stamp of a layer', () => {
  it('differs with the template in force and with the values', () => {
    const exempt = { ...FULL, template: undefined }
    const stamps = [NONE, FULL, exempt, { ...FULL, templateVersion: 4 }, { ...FULL, revision: 8 }]
    expect(new Set(stamps.map(stampOf)).size).toBe(stamps.length)
  })

  it('is the same for an exempt agent, whatever the template version', () => {
    const exempt = { ...FULL, template: undefined }
    expect(stampOf({ ...exempt, templateVersion: 9 })).toBe(stampOf(exempt))
  })
})
