import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '#harness/runs.ts'
import { createTextIndex } from './text-index.ts'

const numbersOf = (marks: Uint8Array) => [...marks.keys()].filter((number) => marks[number] === 1)

describe('text index', () => {
  it('finds the same texts as a scan, also after texts were replaced', () => {
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
          const index = createTextIndex()
          for (const [number, pair] of texts.entries()) index.set(number, ...pair)
          index.matching(sought)
          const now = [...texts]
          for (const [number, pair] of changes) {
            now[number] = pair
            index.set(number, ...pair)
          }
          const expected = [...now.keys()].filter((number) =>
            now[number]?.some((one) => one.includes(sought)),
          )
          expect(numbersOf(index.matching(sought))).toEqual(expected)
        },
      ),
      runs(400),
    )
  })

  it('searches every block and marks a text once, however often it matches', () => {
    const index = createTextIndex()
    for (let number = 0; number < 5000; number += 1) index.set(number, `n${number}`, 'xx')
    expect(numbersOf(index.matching('n4'))).toHaveLength(1111)
    expect(numbersOf(index.matching('x'))).toHaveLength(5000)
    expect(numbersOf(index.matching('n4999'))).toEqual([4999])
  })

  it('never matches across two texts', () => {
    const index = createTextIndex()
    index.set(0, 'ab', 'cd')
    index.set(1, 'ef')
    for (const wanted of ['bc', 'b\0c', '\0', 'de', 'd\0e']) {
      expect(numbersOf(index.matching(wanted)), wanted).toEqual([])
    }
  })

  it('does not match a number whose text was removed', () => {
    const index = createTextIndex()
    index.set(0, 'ab')
    index.set(0)
    expect(numbersOf(index.matching('a'))).toEqual([])
  })
})
