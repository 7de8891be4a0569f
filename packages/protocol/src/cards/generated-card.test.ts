import { describe, expect, it } from 'vitest'
import { defaultCard } from './card.ts'
import { isGeneratedCard } from './generated-card.ts'

const generated = {
  ...defaultCard('agent-1', new Date('2026-03-02T12:00:00.000Z')),
  card_id: 'ac-1',
}

describe('a generated card', () => {
  it('is recognised by its content, whatever its id and the order of its fields', () => {
    const { values, ...rest } = generated
    expect(isGeneratedCard('agent-1', { values, ...rest })).toBe(true)
  })

  it('is no longer recognised once it declares anything', () => {
    const autonomy_envelope = { bounded_actions: ['inference', 'search'] }
    expect(isGeneratedCard('agent-1', { ...generated, autonomy_envelope })).toBe(false)
  })
})
