import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { P, rootOfUnity } from '../field/baby-bear.ts'
import { type Extension, fromBase, scaleE } from '../field/extension.ts'
import { riskProgram } from '../risk/air.ts'
import { firstLayer, pointOf } from './fri.ts'
import { checkPoint } from './verify.ts'

const program = riskProgram()
const { rows } = program.parameters
const domain = firstLayer(program.parameters)

describe('the challenge point', () => {
  it('is rejected if it lies in the evaluation domain', () => {
    fc.assert(
      fc.property(fc.nat(domain.size - 1), (index) => {
        const point = fromBase(pointOf(domain, index))
        expect(() => checkPoint(program, point)).toThrow('in the evaluation domain')
        // A point one row before the domain is rejected too.
        const before = scaleE(point, rootOfUnity(Math.log2(rows)))
        expect(() => checkPoint(program, before)).toThrow('in the evaluation domain')
      }),
    )
  })

  it('is rejected if it is a row of the trace', () => {
    const row = fromBase(pointOf({ size: rows, offset: 1, root: rootOfUnity(Math.log2(rows)) }, 5))
    expect(() => checkPoint(program, row)).toThrow('a row of the trace')
  })

  it('is accepted anywhere else', () => {
    const element = fc.integer({ min: 0, max: P - 1 })
    fc.assert(
      fc.property(element, element, element, element, (a, b, c, d) => {
        const point: Extension = [a, b, c, d, 1]
        expect(() => checkPoint(program, point)).not.toThrow()
      }),
    )
  })
})
