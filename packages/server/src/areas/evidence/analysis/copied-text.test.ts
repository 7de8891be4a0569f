import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { withoutCopies } from './copied-text.ts'

const THINKING = 'Customer Ann Example, Main Street 5, wants her money back before Friday noon.'

describe('withoutCopies', () => {
  it('removes copied passages, whatever their case and punctuation', () => {
    const clean = withoutCopies([THINKING])
    expect(clean('It says "customer ANN Example — Main Street 5" and pays.')).toBe(
      'It says "[…]" and pays.',
    )
  })

  it('keeps common phrases and the model’s own words', () => {
    const said = 'The agent wants her money and hides the fee from the customer.'
    expect(withoutCopies([THINKING])(said)).toBe(said)
  })

  it('removes several copies of several texts', () => {
    const clean = withoutCopies([THINKING, 'one two three four five six'])
    expect(clean('a one two three four five b wants her money back before Friday c')).toBe(
      'a […] b […] c',
    )
  })

  it('leaves no run of five words of the source in any text', () => {
    const words = fc.constantFrom('alpha', 'beta', 'gamma', 'delta')
    const text = fc.array(words, { maxLength: 40 }).map((list) => list.join(' '))
    fc.assert(
      fc.property(text, text, (source, said) => {
        const left = withoutCopies([source])(said)
        const parts = left.split('[…]').map((part) => part.trim().split(' '))
        const known = source.split(' ')
        for (const part of parts) {
          for (let at = 0; at + 5 <= part.length; at += 1) {
            const run = part.slice(at, at + 5).join(' ')
            expect(` ${known.join(' ')} `).not.toContain(` ${run} `)
          }
        }
      }),
    )
  })
})
