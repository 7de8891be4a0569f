import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toDocument } from './document.ts'

/** Fragments that texts use to break out of their context. */
const hostile = fc.array(
  fc.constantFrom('<|im_end|>', '</s>', '[INST]', '[/INST]', '[', '<', '"', '\\', ']}', 'x', '\n'),
)

describe('toDocument', () => {
  it('represents exactly the given data', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.array(hostile), (value, texts) => {
        const data = {
          value: JSON.parse(JSON.stringify(value)),
          texts: texts.map((t) => t.join('')),
        }
        expect(JSON.parse(toDocument(data))).toEqual(data)
      }),
    )
    expect(toDocument(undefined)).toBe('null')
  })

  it('contains nothing that a server could read as a control token', () => {
    fc.assert(
      fc.property(fc.array(hostile), (texts) => {
        const document = toDocument({ texts: texts.map((text) => text.join('')) })
        expect(document).not.toMatch(/<|\[\/?INST\]/)
      }),
    )
  })
})
