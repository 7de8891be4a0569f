import {
  ACTION_TYPES,
  RISK_THRESHOLDS,
  RISK_TOLERANCES,
  riskWeights,
} from '@touchstone/protocol/risk'
import { COMPONENTS } from '@touchstone/protocol/score'
import { inverse, toField } from '../field/baby-bear.ts'
import type { RiskWitness } from './encoding.ts'
import { AMOUNT_STEPS, INPUTS, LIMB, member, REGISTERS, type Registers } from './registers.ts'
import { violationSums } from './violation-rows.ts'

const MICRO = 1_000_000
const FIVE = [0, 1, 2, 3, 4]

/**
 * Computes the formula over the encoded inputs and keeps every value that the constraints refer to.
 * Deliberately an independent implementation that shares no code with the service; tests compare
 * the two.
 */
export function computeRegisters(witness: RiskWitness): Registers {
  const r = blank()
  for (const [i, name] of INPUTS.entries()) r[name] = witness.inputs[i] ?? 0
  choose(r)
  compareAmounts(r)
  const sums = violationSums(witness.violations)
  r.recencySum = sums.recency + r.foldedRecency
  r.criticalCount = sums.critical + r.foldedCritical
  weigh(r)
  multiply(r)
  breakCircuits(r)
  judge(r)
  return r
}

/** The cast is safe, because every register is named. */
function blank(): Registers {
  const zeros = REGISTERS.map((name) => [name, 0] as const)
  return Object.fromEntries(zeros) as Registers
}

function flag(holds: boolean): number {
  return holds ? 1 : 0
}

function choose(r: Registers): void {
  for (const i of ACTION_TYPES.keys()) r[member('action', i)] = flag(r.actionType === i)
  for (const i of [0, 1, 2]) {
    r[member('tolerance', i)] = flag(r.riskTolerance === i)
    r[member('kind', i)] = flag(r.counterpartyKind === i)
  }
  r.checkpoints50 = flag(r.checkpoints >= 50)
  r.checkpoints200 = flag(r.checkpoints >= 200)
  r.checkpoints1000 = flag(r.checkpoints >= 1000)
  r.reputation200 = flag(r.reputation >= 200)
}

function compareAmounts(r: Registers): void {
  const amount = r.amountLow + LIMB * r.amountHigh
  for (const [i, { from }] of AMOUNT_STEPS.entries()) {
    r[member('amountBorrow', i)] = flag(r.amountLow < from % LIMB)
    r[member('amountReaches', i)] = flag(amount >= from)
  }
  r.limitBorrow = flag(r.limitLow < r.amountLow)
  r.limitReaches = flag(r.limitLow + LIMB * r.limitHigh >= amount)
}

function weigh(r: Registers): void {
  const weights = riskWeights(ACTION_TYPES[r.actionType] ?? 'data_access')
  for (const k of FIVE) {
    const own = r[member('component', k)]
    const drawn = r.checkpoints * own + (50 - r.checkpoints) * 500 + 25
    const enough = r.checkpoints50 === 1
    const adjusted = enough ? own : Math.floor(drawn / 50)
    r[member('adjusted', k)] = adjusted
    r[member('adjustRest', k)] = enough ? 0 : drawn % 50
    r.context += weights[COMPONENTS[k]?.key ?? 'compliance'] * (1000 - adjusted) * 10
  }
  r.recencyFull = flag(r.recencySum >= MICRO)
  r.recency = Math.min(MICRO, r.recencySum)
  const steps = r.checkpoints50 + r.checkpoints200 + r.checkpoints1000
  const weighted = 60 * r.context + 30 * r.recency + (3 - steps) * MICRO + 50
  r.base = Math.floor(weighted / 100)
  r.baseRest = weighted % 100
}

function multiply(r: Registers): void {
  const reached = AMOUNT_STEPS.map(({ percent }, i) => percent * r[member('amountReaches', i)])
  r.amountFactor = 100 - r.action0 * reached.reduce((sum, percent) => sum + percent, 0)
  r.counterpartyFactor =
    10_000 - r.kind2 * (1000 - r.counterpartyScore) - 500 * r.kind1 - 500 * r.counterpartyConflict
  const first = (MICRO - r.base) * r.amountFactor + 50
  const safe = Math.floor(first / 100)
  r.safeRest = first % 100
  r.safeLow = safe % 1024
  r.safeHigh = Math.floor(safe / 1024)
  const second = safe * r.counterpartyFactor + 5000
  const product = Math.floor(second / 10_000)
  r.productRest = second % 10_000
  r.productLow = product % 1024
  r.productHigh = Math.floor(product / 1024)
  r.productCarry = toField(10_000 * r.productHigh - r.safeHigh * r.counterpartyFactor)
  const risk = MICRO - product + 50
  r.own = Math.floor(risk / 100)
  r.ownRest = risk % 100
}

function breakCircuits(r: Registers): void {
  r.reputationFloor = r.reputationGiven * (1 - r.reputation200)
  r.recentCritical = flag(r.criticalCount > 0)
  r.criticalInverse = inverse(r.criticalCount)
  r.insufficient = (1 - r.checkpoints50) * (1 - r.tolerance2)
  r.overLimit = r.action0 * r.limitGiven * (1 - r.limitReaches)
  const count = breakerFlags(r).reduce((sum, each) => sum + each, 0)
  r.anyBreaker = flag(count > 0)
  r.anyInverse = inverse(count)
}

function judge(r: Registers): void {
  r.denied = flag(r.contained + r.reputationFloor > 0)
  r.own9000 = flag(r.own >= 9000)
  r.score = r.denied === 1 ? Math.max(r.own, 9000) : r.own
  const thresholds = RISK_THRESHOLDS[RISK_TOLERANCES[r.riskTolerance] ?? 'moderate']
  r.scoreLow = flag(r.score >= thresholds.low)
  r.scoreMedium = flag(r.score >= thresholds.medium)
  r.scoreHigh = flag(r.score >= thresholds.high)
}

/** In the order in which breakers are reported. */
function breakerFlags(r: Registers): number[] {
  return [
    r.contained,
    r.reputationFloor,
    r.recentCritical,
    r.insufficient,
    r.overLimit,
    r.counterpartyContained,
    r.counterpartyConflict,
  ]
}

/** The outputs to publish, in the order of the public values after the commitment. */
export function publicOutputs(r: Registers): number[] {
  const level = r.scoreLow + r.scoreMedium + r.scoreHigh
  const reviewed = r.anyBreaker * (1 - r.scoreMedium)
  const recommendation = r.denied === 1 ? 2 : r.scoreMedium + r.scoreHigh + reviewed
  return [r.score, level, recommendation, ...breakerFlags(r)]
}
