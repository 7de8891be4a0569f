import fc from 'fast-check'
import type { AssuranceInput } from './assurance.ts'

/** An unclaimed agent without evidence, with the given changes. */
export function assuranceInput(change: Partial<AssuranceInput> = {}): AssuranceInput {
  return {
    clear: 0,
    setAsideByBurst: 0,
    setAsideByNovelty: 0,
    effective: 0,
    observed: 0,
    relayed: 0,
    days: 0,
    spanDays: 0,
    claimed: false,
    decisionsAllowed: 0,
    outcomesKnown: 0,
    witnessed: false,
    ...change,
  }
}

const part = (whole: number) => fc.integer({ min: 0, max: whole })

/** Possible counts, spread so that every level occurs. */
export const anyAssuranceInput: fc.Arbitrary<AssuranceInput> = fc
  .record({ clear: part(400), notClear: part(40), allowed: part(20) })
  .chain(({ clear, notClear, allowed }) => {
    return fc
      .record({ setAside: part(clear), outcomesKnown: part(allowed) })
      .chain(({ setAside, outcomesKnown }) => {
        const effective = clear + notClear - setAside
        return fc
          .record({
            relayed: part(effective),
            observedPart: fc.double({ min: 0, max: 1, noNaN: true }),
          })
          .chain(({ relayed, observedPart }) =>
            fc.record({
              clear: fc.constant(clear),
              setAsideByBurst: part(setAside),
              setAsideByNovelty: part(setAside),
              effective: fc.constant(effective),
              observed: fc.constant(Math.floor(observedPart * (effective - relayed))),
              relayed: fc.constant(relayed),
              days: part(Math.min(30, effective)),
              spanDays: part(89),
              claimed: fc.boolean(),
              decisionsAllowed: fc.constant(allowed),
              outcomesKnown: fc.constant(outcomesKnown),
              witnessed: fc.boolean(),
            }),
          )
      })
  })
