import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CONTROL_VECTORS } from './control.fixture.ts'
import { chooseReclassification, HARD_TYPES, RECLASSIFIED_TYPES } from './reclassification.ts'

describe('chooseReclassification', () => {
  it.each(CONTROL_VECTORS.reclassification_type)(
    '$id: $original_type requested as $new_type is $expected',
    (vector) => {
      const choice = chooseReclassification({
        originalType: vector.original_type,
        concernTypes: [],
        amended: vector.card_amendment_id !== null,
        asked: vector.new_type ?? undefined,
      })
      expect(choice.allowed ? choice.newType : 400).toBe(vector.expected)
    },
  )

  it('makes any type a card gap if the card was amended, unless requested otherwise', () => {
    const types = fc.oneof(fc.constantFrom(...HARD_TYPES), fc.string())
    fc.assert(
      fc.property(
        types,
        fc.option(fc.constantFrom(...RECLASSIFIED_TYPES)),
        (originalType, asked) => {
          const choice = chooseReclassification({
            originalType,
            concernTypes: [],
            amended: true,
            asked: asked ?? undefined,
          })
          expect(choice).toEqual({ allowed: true, newType: asked ?? 'card_gap' })
        },
      ),
    )
  })

  it.each(HARD_TYPES)('never makes %s a card gap without an amendment', (originalType) => {
    for (const asked of [undefined, ...RECLASSIFIED_TYPES]) {
      const choice = chooseReclassification({
        originalType,
        concernTypes: [],
        amended: false,
        asked,
      })
      expect(choice.newType).not.toBe('card_gap')
    }
  })

  it.each(HARD_TYPES)('treats a soft type with a concern of type %s as a hard one', (hidden) => {
    const soft = { originalType: 'UNBOUNDED_ACTION', amended: false }
    const concernTypes = ['UNBOUNDED_ACTION', hidden]
    for (const asked of [undefined, ...RECLASSIFIED_TYPES]) {
      const choice = chooseReclassification({ ...soft, concernTypes, asked })
      expect(choice.newType).not.toBe('card_gap')
    }
  })
})
