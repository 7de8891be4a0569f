import { RISK_THRESHOLDS, RISK_TOLERANCES } from '@touchstone/protocol/risk'
import { BITS, freeRows } from './layout.ts'
import { AMOUNT_STEPS, LIMB, LIMB_BITS, member, type RegisterName } from './registers.ts'

/** A constant plus multiples of registers. */
export type Linear = {
  constant: number
  terms: readonly (readonly [factor: number, register: RegisterName])[]
}

/** A claim that a linear form is an integer from 0 to 2^width - 1, shown by its bits in one row. */
export type Range = { form: Linear; width: number; row: number; firstBit: number }

type Claim = Pick<Range, 'form' | 'width'>

const form = (constant: number, ...terms: Linear['terms']): Linear => ({ constant, terms })
const within = (register: RegisterName, width: number): Claim => ({
  form: form(0, [1, register]),
  width,
})

/** 0 ≤ register ≤ max, where max < 2^width. */
function atMost(register: RegisterName, max: number, width: number): Claim[] {
  return [within(register, width), { form: form(max, [-1, register]), width }]
}

/**
 * For x below 2^width, constrains a 0/1 flag to be 1 exactly if x is at least the threshold, a form
 * below 2^width. The wrong flag would put the form out of range.
 */
function reaches(x: RegisterName, threshold: Linear, flag: RegisterName, width: number): Claim {
  const negated = threshold.terms.map(([factor, register]) => [-factor, register] as const)
  const constant = 2 ** width - threshold.constant
  return { form: form(constant, [1, x], [-(2 ** width), flag], ...negated), width }
}

/** The same comparison for two limbs; the borrow is 1 exactly if the low difference is negative. */
function limbsReach(
  x: readonly [low: RegisterName, high: RegisterName],
  threshold: readonly [low: Linear, high: Linear],
  flags: readonly [borrow: RegisterName, reached: RegisterName],
): Claim[] {
  const [borrow, reached] = flags
  const minus = (limb: Linear) => limb.terms.map(([f, register]) => [-f, register] as const)
  const low = form(-threshold[0].constant, [1, x[0]], [LIMB, borrow], ...minus(threshold[0]))
  const highTerms = [[1, x[1]], [-1, borrow], [-LIMB, reached], ...minus(threshold[1])] as const
  const high = form(LIMB - threshold[1].constant, ...highTerms)
  return [
    { form: low, width: LIMB_BITS },
    { form: high, width: LIMB_BITS },
  ]
}

const FIVE = [0, 1, 2, 3, 4]

function inputClaims(): Claim[] {
  return [
    within('checkpoints', LIMB_BITS),
    ...FIVE.flatMap((k) => atMost(member('component', k), 1000, 10)),
    ...atMost('reputation', 1000, 10),
    ...atMost('counterpartyScore', 1000, 10),
    ...atMost('foldedRecency', 1_000_000, 20),
    within('amountLow', LIMB_BITS),
    within('amountHigh', LIMB_BITS),
    within('limitLow', LIMB_BITS),
    within('limitHigh', LIMB_BITS),
  ]
}

function comparisonClaims(): Claim[] {
  const amount = ['amountLow', 'amountHigh'] as const
  return [
    reaches('checkpoints', form(50), 'checkpoints50', LIMB_BITS),
    reaches('checkpoints', form(200), 'checkpoints200', LIMB_BITS),
    reaches('checkpoints', form(1000), 'checkpoints1000', LIMB_BITS),
    reaches('reputation', form(200), 'reputation200', 10),
    ...AMOUNT_STEPS.flatMap(({ from }, i) =>
      limbsReach(
        amount,
        [form(from % LIMB), form(Math.floor(from / LIMB))],
        [member('amountBorrow', i), member('amountReaches', i)],
      ),
    ),
    ...limbsReach(
      ['limitLow', 'limitHigh'],
      [form(0, [1, 'amountLow']), form(0, [1, 'amountHigh'])],
      ['limitBorrow', 'limitReaches'],
    ),
    reaches('recencySum', form(1_000_000), 'recencyFull', 27),
    reaches('own', form(9000), 'own9000', 14),
    reaches('score', thresholdForm('low'), 'scoreLow', 14),
    reaches('score', thresholdForm('medium'), 'scoreMedium', 14),
    reaches('score', thresholdForm('high'), 'scoreHigh', 14),
  ]
}

function thresholdForm(level: 'low' | 'medium' | 'high'): Linear {
  const terms = RISK_TOLERANCES.map(
    (tolerance, i) => [RISK_THRESHOLDS[tolerance][level], member('tolerance', i)] as const,
  )
  return form(0, ...terms)
}

/** Quotients and remainders of the rounding steps. */
function roundingClaims(): Claim[] {
  return [
    ...FIVE.flatMap((k) => [
      within(member('adjusted', k), 10),
      ...atMost(member('adjustRest', k), 49, 6),
    ]),
    within('base', 20),
    ...atMost('baseRest', 99, 7),
    within('safeLow', 10),
    within('safeHigh', 10),
    ...atMost('safeRest', 99, 7),
    within('productLow', 10),
    within('productHigh', 10),
    ...atMost('productRest', 9999, 14),
    { form: form(2 ** 14, [1, 'productCarry']), width: 15 },
    within('own', 14),
    ...atMost('ownRest', 99, 7),
  ]
}

/** Places each claim in the first free row that has enough bits left. */
function place(claims: readonly Claim[]): Range[] {
  const rows = freeRows()
  const used = rows.map(() => 0)
  return claims.map((claim) => {
    const at = used.findIndex((bits) => bits + claim.width <= BITS)
    const [row, firstBit] = [rows[at], used[at]]
    if (row === undefined || firstBit === undefined)
      throw new Error('no free row has enough bits left')
    used[at] = firstBit + claim.width
    return { ...claim, row, firstBit }
  })
}

export const RANGES: readonly Range[] = place([
  ...inputClaims(),
  ...comparisonClaims(),
  ...roundingClaims(),
])
