import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '#harness/runs.ts'
import { add, inverse, mul, P, pow, rootOfUnity, sub, toField } from './baby-bear.ts'
import { addE, type Extension, equalE, inverseE, mulE, ONE, powE, subE, ZERO } from './extension.ts'
import { evaluateOnCoset, interpolate, interpolateOnCoset, transform } from './ntt.ts'

const edge = fc.constantFrom(0, 1, 2, P - 1, P - 2, (P - 1) / 2, (P + 1) / 2, 2 ** 30, 2 ** 27)
const element = fc.oneof(fc.integer({ min: 0, max: P - 1 }), edge)
const extension: fc.Arbitrary<Extension> = fc.tuple(element, element, element, element, element)
const big = (value: number) => BigInt(value)
const p = BigInt(P)

describe('the field', () => {
  it('adds, subtracts and multiplies like bigint arithmetic modulo p', () => {
    fc.assert(
      fc.property(element, element, (a, b) => {
        expect(big(add(a, b))).toBe((big(a) + big(b)) % p)
        expect(big(sub(a, b))).toBe((big(a) - big(b) + p) % p)
        expect(big(mul(a, b))).toBe((big(a) * big(b)) % p)
      }),
      runs(20_000),
    )
  })

  it('multiplies correctly next to multiples of p, where the quotient estimate is off by one', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: P - 1 }),
        fc.integer({ min: -3, max: 3 }),
        (a, near) => {
          // Makes a · b lie next to a multiple of p.
          const b = mul(inverse(a), toField(near))
          expect(mul(a, b)).toBe(toField(near))
        },
      ),
      runs(2000),
    )
  })

  it('inverts every element except 0', () => {
    fc.assert(
      fc.property(element, (a) => {
        expect(mul(a, inverse(a))).toBe(a === 0 ? 0 : 1)
      }),
    )
  })

  it('has roots of unity of exactly the requested order', () => {
    for (const log2 of [1, 2, 8, 12, 27]) {
      expect(pow(rootOfUnity(log2), 2 ** log2)).toBe(1)
      expect(pow(rootOfUnity(log2), 2 ** (log2 - 1))).toBe(P - 1)
    }
  })
})

describe('the extension', () => {
  it('is a field: X^5 - 2 is irreducible because 2 is not a fifth power', () => {
    expect(pow(2, (P - 1) / 5)).not.toBe(1)
    expect(mulE([0, 0, 0, 0, 1], [0, 1, 0, 0, 0])).toEqual([2, 0, 0, 0, 0])
  })

  it('is a commutative ring in which every element except 0 has an inverse', () => {
    fc.assert(
      fc.property(extension, extension, extension, (a, b, c) => {
        expect(mulE(a, b)).toEqual(mulE(b, a))
        expect(mulE(mulE(a, b), c)).toEqual(mulE(a, mulE(b, c)))
        expect(mulE(a, addE(b, c))).toEqual(addE(mulE(a, b), mulE(a, c)))
        expect(subE(addE(a, b), b)).toEqual(a)
        expect(mulE(a, inverseE(a))).toEqual(equalE(a, ZERO) ? ZERO : ONE)
        expect(powE(a, 5)).toEqual(mulE(mulE(a, a), mulE(a, mulE(a, a))))
      }),
    )
  })
})

const polynomial = fc
  .array(element, { minLength: 16, maxLength: 16 })
  .map((coefficients) => Int32Array.from(coefficients))

function horner(coefficients: Int32Array, at: number): number {
  return coefficients.reduceRight((sum, coefficient) => add(mul(sum, at), coefficient), 0)
}

describe('the number-theoretic transform', () => {
  it('evaluates a polynomial on a coset of the same size or larger', () => {
    fc.assert(
      fc.property(polynomial, fc.constantFrom(16, 64, 256), (coefficients, size) => {
        const values = evaluateOnCoset(coefficients, { size, offset: 31 })
        const root = rootOfUnity(Math.log2(size))
        for (const i of [0, 1, 5, size - 1]) {
          expect(values[i]).toBe(horner(coefficients, mul(31, pow(root, i))))
        }
      }),
    )
  })

  it('interpolates the original coefficients from the values', () => {
    fc.assert(
      fc.property(polynomial, (coefficients) => {
        const there = coefficients.slice()
        transform(there)
        interpolate(there)
        expect(there).toEqual(coefficients)
        const values = evaluateOnCoset(coefficients, { size: 16, offset: 31 })
        expect(interpolateOnCoset(values, 31)).toEqual(coefficients)
      }),
    )
  })
})
