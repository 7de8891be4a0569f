import { rootOfUnity } from '../field/baby-bear.ts'
import {
  addE,
  type Extension,
  fromBase,
  inverseE,
  mulE,
  powE,
  scaleE,
  subE,
  ZERO,
} from '../field/extension.ts'
import { computeRegisters } from '../risk/compute.ts'
import type { RiskWitness } from '../risk/encoding.ts'
import { encodeJournal, type RiskJournal } from '../risk/journal.ts'
import { riskStatement } from '../risk/prove-risk.ts'
import { seedOf } from '../risk/receipt.fixture.ts'
import type { Registers } from '../risk/registers.ts'
import { buildTrace } from '../risk/trace.ts'
import type { DeepCoefficients } from '../stark/deep.ts'
import { evaluateAt } from '../stark/evaluate.ts'
import { fixedAt, vanishingAt } from '../stark/fixed-columns.ts'
import { firstLayer, pointOf } from '../stark/fri.ts'
import { type Coordinates, coordinatesOf, setEntry } from '../stark/polynomials.ts'
import { segmentLength } from '../stark/program.ts'
import {
  answer,
  type OpenedValues,
  openAt,
  type Prepared,
  prepare,
  proveStark,
} from '../stark/prove.ts'
import { createRandomness } from '../stark/randomness.ts'
import type { Asked } from './second-verifier.fixture.ts'

/**
 * A false claim: registers that differ from the formula, or a journal that differs from the
 * registers.
 */
export type Lie = {
  witness: RiskWitness
  journal: RiskJournal
  registers?: Partial<Registers>
}

const stream = () => createRandomness(seedOf(99))

function traceOf({ witness, registers }: Lie) {
  return buildTrace(witness, { ...computeRegisters(witness), ...registers })
}

/** Proves without the check that the journal matches the inputs. */
export function cheat(lie: Lie): Asked {
  const journalBytes = encodeJournal(lie.journal)
  const statement = riskStatement(journalBytes, lie.journal)
  return { journalBytes, proof: proveStark(statement, traceOf(lie), stream()) }
}

/**
 * Forges the quotient's value at the challenge point so that the verifier's constraint check
 * passes. The FRI input is then not a low-degree polynomial.
 */
export const cheatAtThePoint = (lie: Lie): Asked => cheatWith(lie, ({ opened }) => opened)

/**
 * Forges the value at the point as well, but runs FRI on the polynomial that an honest opening
 * would give.
 */
export const cheatInTheLayers = (lie: Lie): Asked => cheatWith(lie, ({ honest }) => honest)

function cheatWith(
  lie: Lie,
  layersOf: (values: { opened: OpenedValues; honest: OpenedValues }) => OpenedValues,
): Asked {
  const journalBytes = encodeJournal(lie.journal)
  const statement = riskStatement(journalBytes, lie.journal)
  const prepared = prepare(statement, traceOf(lie), stream())
  const honest = openAt(prepared)
  const first = fitting(prepared, honest, statement.publics)
  const opened = { ...honest, segments: [first, ...honest.segments.slice(1)] }
  const layers = layersOf({ opened, honest })
  return {
    journalBytes,
    proof: answer(prepared, opened, (deep) => valuesOf(prepared, layers, deep)),
  }
}

/** The first segment that satisfies the constraint equation at the point. */
function fitting(
  { program, point, challenges }: Prepared,
  { current, next, segments }: OpenedValues,
  publics: readonly number[],
): Extension {
  const values = evaluateAt(program, { current, next, fixed: fixedAt(program, point) }, publics)
  const combined = values.reduce((sum, v, i) => addE(sum, mulE(v, challenges[i] ?? ZERO)), ZERO)
  const quotient = mulE(combined, inverseE(vanishingAt(program, point)))
  const step = powE(point, segmentLength(program.parameters))
  const others = segments
    .slice(1)
    .reduceRight((sum, segment) => mulE(addE(sum, segment), step), ZERO)
  return subE(quotient, others)
}

/**
 * The values that the verifier will compute, point by point, whether or not they form a polynomial.
 */
function valuesOf(
  { program, point, trace, quotient }: Prepared,
  opened: OpenedValues,
  deep: DeepCoefficients,
): Coordinates {
  const domain = firstLayer(program.parameters)
  const shifted = scaleE(point, rootOfUnity(Math.log2(program.parameters.rows)))
  const values = coordinatesOf(domain.size)
  const { columns } = program
  const extension = (parts: readonly Int32Array[], at: number, i: number): Extension => [
    ...([0, 1, 2].map((c) => parts[at + c]?.[i] ?? 0) as [number, number, number]),
    parts[at + 3]?.[i] ?? 0,
    parts[at + 4]?.[i] ?? 0,
  ]
  for (let i = 0; i < domain.size; i += 1) {
    const x = fromBase(pointOf(domain, i))
    let [now, then] = [ZERO, ZERO]
    for (let c = 0; c < columns; c += 1) {
      const own = fromBase(trace.values[c]?.[i] ?? 0)
      const [current, next] = [opened.current[c] ?? ZERO, opened.next[c] ?? ZERO]
      now = addE(now, mulE(subE(own, current), deep.current[c] ?? ZERO))
      then = addE(then, mulE(subE(own, next), deep.next[c] ?? ZERO))
    }
    for (const [s, segment] of opened.segments.entries()) {
      const difference = subE(extension(quotient.values, 5 * s, i), segment)
      now = addE(now, mulE(difference, deep.segments[s] ?? ZERO))
    }
    const divided = addE(
      mulE(now, inverseE(subE(x, point))),
      mulE(then, inverseE(subE(x, shifted))),
    )
    setEntry(values, i, addE(divided, extension(trace.values, columns, i)))
  }
  return values
}
