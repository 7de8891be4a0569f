import { ACTION_TYPES, RISK_BREAKERS, riskWeights } from '@touchstone/protocol/risk'
import { COMPONENTS } from '@touchstone/protocol/score'
import { RATE } from '../hash/poseidon.ts'
import type { AirBuilder } from '../stark/air-builder.ts'
import type { Expression, Operand } from '../stark/expression.ts'
import { column, firstRowOf, LAST_ROW } from './layout.ts'
import { type Linear, RANGES } from './ranges.ts'
import { AMOUNT_STEPS, INPUTS, member, REGISTERS, type RegisterName } from './registers.ts'

/**
 * Public values: the commitment, then score, level and recommendation, and one flag per breaker.
 */
export const PUBLIC_SCORE = RATE
export const PUBLIC_LEVEL = PUBLIC_SCORE + 1
export const PUBLIC_RECOMMENDATION = PUBLIC_LEVEL + 1
export const PUBLIC_BREAKERS = PUBLIC_RECOMMENDATION + 1
export const PUBLICS = PUBLIC_BREAKERS + RISK_BREAKERS.length

const MICRO = 1_000_000
const FIVE = [0, 1, 2, 3, 4]

/** The registers that are 0 or 1. */
const FLAGS: readonly RegisterName[] = [
  'reputationGiven',
  'contained',
  'amountGiven',
  'limitGiven',
  'foldedCritical',
  'counterpartyConflict',
  'counterpartyContained',
  ...ACTION_TYPES.map((_, i) => member('action', i)),
  ...[0, 1, 2].flatMap((i) => [member('tolerance', i), member('kind', i)]),
  'checkpoints50',
  'checkpoints200',
  'checkpoints1000',
  'reputation200',
  ...AMOUNT_STEPS.flatMap((_, i) => [member('amountBorrow', i), member('amountReaches', i)]),
  'limitBorrow',
  'limitReaches',
  'recencyFull',
  'own9000',
  'scoreLow',
  'scoreMedium',
  'scoreHigh',
  'recentCritical',
  'anyBreaker',
]

/** The context for constraints on register values, all of which apply in the first row. */
type Formula = {
  air: AirBuilder
  register: (name: RegisterName) => Expression
  zero: (expression: Expression) => void
  equal: (left: Operand, right: Operand) => void
}

export function constrainFormula(air: AirBuilder): void {
  const { expressions: x } = air
  const register = (name: RegisterName) => x.column(column.register(name))
  const first = air.row(0)
  const zero = (expression: Expression) => air.zero(x.product(first, expression))
  const equal = (left: Operand, right: Operand) => zero(x.subtract(left, right))
  const formula = { air, register, zero, equal }
  constrainRegisters(formula)
  constrainRanges(formula)
  constrainInputs(formula)
  constrainBase(formula)
  constrainScore(formula)
  constrainBreakers(formula)
  constrainOutputs(formula)
}

/**
 * Registers are constant over all rows, and the committed ones equal what the first blocks absorb.
 */
function constrainRegisters({ air, register, zero }: Formula): void {
  const { expressions: x } = air
  const run = air.fixed((row) => (row < LAST_ROW ? 1 : 0))
  for (const name of REGISTERS) {
    const at = column.register(name)
    air.zero(x.product(run, x.subtract(x.next(at), x.column(at))))
  }
  for (const [i, name] of INPUTS.entries()) {
    const block = air.row(firstRowOf(Math.floor(i / RATE)))
    const absorbed = x.column(column.slot(i % RATE))
    air.zero(x.product(block, x.subtract(absorbed, register(name))))
  }
  for (const flag of FLAGS) {
    zero(x.subtract(x.product(register(flag), register(flag)), register(flag)))
  }
}

function constrainRanges({ air, register }: Formula): void {
  const { expressions: x } = air
  const linear = ({ constant, terms }: Linear) =>
    x.sum([constant, 1], ...terms.map(([factor, name]) => [factor, register(name)] as const))
  for (const { form, width, row, firstBit } of RANGES) {
    const bits = Array.from(
      { length: width },
      (_, i) => [2 ** i, x.column(column.bit(firstBit + i))] as const,
    )
    air.zero(x.product(air.row(row), x.subtract(x.sum(...bits), linear(form))))
  }
}

/** One-hot choices, and 0 for absent values, so that every input has exactly one encoding. */
function constrainInputs({ air, register, zero, equal }: Formula): void {
  const { expressions: x } = air
  equal(register('version'), 1)
  for (const [family, input, count] of [
    ['action', 'actionType', ACTION_TYPES.length],
    ['tolerance', 'riskTolerance', 3],
    ['kind', 'counterpartyKind', 3],
  ] as const) {
    const choices = Array.from({ length: count }, (_, i) => register(member(family, i)))
    equal(x.add(...choices), 1)
    equal(register(input), x.sum(...choices.map((choice, i) => [i, choice] as const)))
  }
  const absent = (given: Expression, name: RegisterName) =>
    zero(x.product(x.not(given), register(name)))
  absent(register('reputationGiven'), 'reputation')
  absent(register('amountGiven'), 'amountLow')
  absent(register('amountGiven'), 'amountHigh')
  absent(register('limitGiven'), 'limitLow')
  absent(register('limitGiven'), 'limitHigh')
  absent(register('kind2'), 'counterpartyScore')
  absent(x.not(register('kind0')), 'counterpartyConflict')
  absent(x.not(register('kind0')), 'counterpartyContained')
}

/** Steps 1 to 4: adjusted components, context, recency, confidence and their weighted mean. */
function constrainBase({ air, register, zero, equal }: Formula): void {
  const { expressions: x } = air
  const enough = register('checkpoints50')
  for (const k of FIVE) {
    const [own, adjusted] = [register(member('component', k)), register(member('adjusted', k))]
    zero(x.product(enough, x.subtract(adjusted, own)))
    const drawn = x.sum(
      [1, x.product(register('checkpoints'), own)],
      [-500, register('checkpoints')],
      [50 * 500 + 25, 1],
      [-50, adjusted],
      [-1, register(member('adjustRest', k))],
    )
    zero(x.product(x.not(enough), drawn))
  }
  const parts = FIVE.map((k) => {
    const key = COMPONENTS[k]?.key ?? 'compliance'
    const weights = ACTION_TYPES.map(
      (type, i) => [riskWeights(type)[key], register(member('action', i))] as const,
    )
    return x.product(x.sum(...weights), x.sum([1000, 1], [-1, register(member('adjusted', k))]))
  })
  equal(register('context'), x.sum(...parts.map((part) => [10, part] as const)))

  const last = air.row(LAST_ROW)
  const summed = x.add(x.column(column.recency), register('foldedRecency'))
  air.zero(x.product(last, x.subtract(register('recencySum'), summed)))
  const full = register('recencyFull')
  const recency = x.sum([MICRO, full], [1, x.product(x.not(full), register('recencySum'))])
  equal(register('recency'), recency)

  // 10 · confidence is 3,000,000 minus 1,000,000 for each checkpoint step reached.
  const weighted = x.sum(
    [60, register('context')],
    [30, register('recency')],
    [3 * MICRO + 50, 1],
    ...(['checkpoints50', 'checkpoints200', 'checkpoints1000'] as const).map(
      (step) => [-MICRO, register(step)] as const,
    ),
  )
  equal(weighted, x.sum([100, register('base')], [1, register('baseRest')]))
}

/** Steps 5 to 7: the surcharges, in percent and in basis points, and the two products. */
function constrainScore({ air, register, equal }: Formula): void {
  const { expressions: x } = air
  const steps = AMOUNT_STEPS.map(
    ({ percent }, i) => [percent, register(member('amountReaches', i))] as const,
  )
  const surcharge = x.product(register('action0'), x.sum(...steps))
  equal(register('amountFactor'), x.sum([100, 1], [-1, surcharge]))

  const rated = x.product(register('kind2'), x.sum([1000, 1], [-1, register('counterpartyScore')]))
  equal(
    register('counterpartyFactor'),
    x.sum(
      [10_000, 1],
      [-1, rated],
      [-500, register('kind1')],
      [-500, register('counterpartyConflict')],
    ),
  )

  const remaining = x.sum([MICRO, 1], [-1, register('base')])
  equal(
    x.sum([1, x.product(remaining, register('amountFactor'))], [50, 1]),
    x.sum(
      [100, register('safeLow')],
      [100 * 1024, register('safeHigh')],
      [1, register('safeRest')],
    ),
  )

  // The product reaches 10^10, more than p, so it is split into 10-bit limbs with a carry; each
  // equation stays far below p.
  const factor = register('counterpartyFactor')
  equal(
    x.sum([1024, register('productCarry')]),
    x.sum(
      [1, x.product(register('safeLow'), factor)],
      [5000, 1],
      [-10_000, register('productLow')],
      [-1, register('productRest')],
    ),
  )
  equal(
    x.sum([-1, register('productCarry')]),
    x.sum([1, x.product(register('safeHigh'), factor)], [-10_000, register('productHigh')]),
  )
  equal(
    x.sum([MICRO + 50, 1], [-1, register('productLow')], [-1024, register('productHigh')]),
    x.sum([100, register('own')], [1, register('ownRest')]),
  )
}

/** Step 8: each breaker, and whether any is set. */
function constrainBreakers({ air, register, zero, equal }: Formula): void {
  const { expressions: x } = air
  const { product, not } = x
  const floor = product(register('reputationGiven'), not(register('reputation200')))
  equal(register('reputationFloor'), floor)
  const cautious = not(register('tolerance2'))
  equal(register('insufficient'), product(not(register('checkpoints50')), cautious))
  // An absent amount is encoded as 0, which no limit is below.
  const over = product(register('limitGiven'), not(register('limitReaches')))
  equal(register('overLimit'), product(register('action0'), over))

  const last = air.row(LAST_ROW)
  const counted = x.add(x.column(column.critical), register('foldedCritical'))
  air.zero(product(last, x.subtract(register('criticalCount'), counted)))
  constrainAny(register('criticalCount'), 'recentCritical', 'criticalInverse')

  const breakers = breakerRegisters.map(register)
  constrainAny(x.add(...breakers), 'anyBreaker', 'anyInverse')
  for (const [i, breaker] of breakers.entries()) equal(breaker, x.public(PUBLIC_BREAKERS + i))

  /** The flag is 1 if the count has an inverse and 0 if the count is 0. */
  function constrainAny(count: Expression, flag: RegisterName, inverse: RegisterName): void {
    equal(product(count, register(inverse)), register(flag))
    zero(product(count, not(register(flag))))
  }
}

/** In the order in which breakers are reported. */
const breakerRegisters: readonly RegisterName[] = [
  'contained',
  'reputationFloor',
  'recentCritical',
  'insufficient',
  'overLimit',
  'counterpartyContained',
  'counterpartyConflict',
]

/** Steps 8 to 10: the score after breakers, level and recommendation. */
function constrainOutputs({ air, register, equal }: Formula): void {
  const { expressions: x } = air
  const { product, not } = x
  const denied = register('denied')
  const spared = product(not(register('contained')), not(register('reputationFloor')))
  equal(denied, not(spared))
  const own = register('own')
  const raised = product(product(denied, not(register('own9000'))), x.sum([9000, 1], [-1, own]))
  equal(register('score'), x.add(own, raised))
  equal(register('score'), x.public(PUBLIC_SCORE))
  const [low, medium, high] = [register('scoreLow'), register('scoreMedium'), register('scoreHigh')]
  equal(x.add(low, medium, high), x.public(PUBLIC_LEVEL))
  // By level: 0 approve, 1 review, 2 deny. A breaker raises approve to review, or denies.
  const reviewed = product(register('anyBreaker'), not(medium))
  const recommended = product(not(denied), x.add(medium, high, reviewed))
  equal(x.sum([2, denied], [1, recommended]), x.public(PUBLIC_RECOMMENDATION))
}
