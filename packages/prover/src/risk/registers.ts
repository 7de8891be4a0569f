/**
 * The values of risk-v1 that the proof refers to. Each has a column that is constant over all used
 * rows. The first 24 are the committed inputs, in the order of their encoding.
 */
export const INPUTS = [
  'version',
  'actionType',
  'riskTolerance',
  'checkpoints',
  'reputationGiven',
  'reputation',
  'component0',
  'component1',
  'component2',
  'component3',
  'component4',
  'contained',
  'amountGiven',
  'amountLow',
  'amountHigh',
  'limitGiven',
  'limitLow',
  'limitHigh',
  'counterpartyKind',
  'counterpartyScore',
  'counterpartyConflict',
  'counterpartyContained',
  'foldedRecency',
  'foldedCritical',
] as const

export const REGISTERS = [
  ...INPUTS,
  'action0',
  'action1',
  'action2',
  'action3',
  'action4',
  'action5',
  'tolerance0',
  'tolerance1',
  'tolerance2',
  'kind0',
  'kind1',
  'kind2',
  'checkpoints50',
  'checkpoints200',
  'checkpoints1000',
  'adjusted0',
  'adjusted1',
  'adjusted2',
  'adjusted3',
  'adjusted4',
  'adjustRest0',
  'adjustRest1',
  'adjustRest2',
  'adjustRest3',
  'adjustRest4',
  'context',
  'reputation200',
  'amountBorrow0',
  'amountBorrow1',
  'amountBorrow2',
  'amountBorrow3',
  'amountReaches0',
  'amountReaches1',
  'amountReaches2',
  'amountReaches3',
  'limitBorrow',
  'limitReaches',
  'recencySum',
  'recencyFull',
  'recency',
  'base',
  'baseRest',
  'amountFactor',
  'counterpartyFactor',
  'safeLow',
  'safeHigh',
  'safeRest',
  'productLow',
  'productHigh',
  'productRest',
  'productCarry',
  'own',
  'ownRest',
  'own9000',
  'denied',
  'score',
  'scoreLow',
  'scoreMedium',
  'scoreHigh',
  'criticalCount',
  'criticalInverse',
  'recentCritical',
  'reputationFloor',
  'insufficient',
  'overLimit',
  'anyBreaker',
  'anyInverse',
] as const

export type RegisterName = (typeof REGISTERS)[number]
export type Registers = Record<RegisterName, number>

/**
 * The amounts in minor units (hundredths) at which the surcharge rises, and by how many percentage
 * points.
 */
export const AMOUNT_STEPS = [
  { from: 100_000, percent: 2 },
  { from: 1_000_000, percent: 3 },
  { from: 10_000_000, percent: 5 },
  { from: 100_000_000, percent: 5 },
] as const

/** Amounts are two limbs of 24 bits. */
export const LIMB = 2 ** 24
export const LIMB_BITS = 24

/** Looks up a member of a register family, such as component3. */
export function member<Family extends string>(family: Family, index: number): RegisterName {
  const name = `${family}${index}`
  const found = REGISTERS.find((register) => register === name)
  if (found === undefined) throw new Error(`unknown register ${name}`)
  return found
}
