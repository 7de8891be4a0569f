import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createTextBlocks } from './text-blocks.ts'

const numbersOf = (marks: Uint8Array) => [...marks.keys()].filter((number) => marks[number] === 1)

describe('text blocks', () => {
  it('find what looking at each text would find, also after texts were replaced', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '😀'), maxLength: 5 })
    const both = fc.tuple(text, text)
    const replaced = fc.array(fc.tuple(fc.nat({ max: 19 }), both))
    const wanted = text.filter((one) => one !== '')
    fc.assert(
      fc.property(
        fc.array(both, { minLength: 20, maxLength: 20 }),
        replaced,
        wanted,
        (...given) => {
          const [texts, changes, sought] = given
          const blocks = createTextBlocks()
          for (const [number, pair] of texts.entries()) blocks.set(number, ...pair)
          blocks.matching(sought)
          const now = [...texts]
          for (const [number, pair] of changes) {
            now[number] = pair
            blocks.set(number, ...pair)
          }
          const expected = [...now.keys()].filter((number) =>
            now[number]?.some((one) => one.includes(sought)),
          )
          expect(numbersOf(blocks.matching(sought))).toEqual(expected)
        },
      ),
    )
  })

  it('find in every block, and each text once however often it contains the wanted one', () => {
    const blocks = createTextBlocks()
    for (let number = 0; number < 5000; number += 1) blocks.set(number, `n${number}`, 'xx')
    expect(numbersOf(blocks.matching('n4'))).toHaveLength(1111)
    expect(numbersOf(blocks.matching('x'))).toHaveLength(5000)
    expect(numbersOf(blocks.matching('n4999'))).toEqual([4999])
  })

  it('find nothing across two texts, whatever is sought', () => {
    const blocks = createTextBlocks()
    blocks.set(0, 'ab', 'cd')
    blocks.set(1, 'ef')
    for (const wanted of ['bc', 'b\0c', '\0', 'de', 'd\0e']) {
      expect(numbersOf(blocks.matching(wanted)), wanted).toEqual([])
    }
  })

  it('find nothing under a number that has no text any more', () => {
    const blocks = createTextBlocks()
    blocks.set(0, 'ab')
    blocks.set(0)
    expect(numbersOf(blocks.matching('a'))).toEqual([])
  })
})
