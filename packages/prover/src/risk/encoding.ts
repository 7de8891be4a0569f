import {
  ACTION_TYPES,
  RISK_TOLERANCES,
  RISK_VIOLATION_DAYS_END,
  type RiskInput,
  violationRisk,
} from '@touchstone/protocol/risk'
import { COMPONENTS } from '@touchstone/protocol/score'
import { poseidonHash } from '../hash/poseidon.ts'
import { SEVERITIES_RANKED, SEVERITY_STEP, VIOLATIONS_MAX } from './layout.ts'
import { INPUTS, LIMB } from './registers.ts'

/**
 * The witness: inputs, violations and salt as field elements, in the order of the commitment.
 * Anybody with the opened inputs document can recompute it and compare the commitment.
 */
export type RiskWitness = {
  /** In the order of `INPUTS`. */
  inputs: readonly number[]
  /** `VIOLATIONS_MAX` elements, 0 for empty places. */
  violations: readonly number[]
  salt: readonly number[]
}

const ENCODING_VERSION = 1
const SALT = /^[0-9a-f]{64}$/
/** Caps for counts and limits: larger values give the same result. Amounts never reach the cap. */
const CHECKPOINTS_CAP = LIMB - 1
const MINOR_CAP = LIMB * LIMB - 1
const SCORE_MAX = 1000
const RECENCY_MAX = 1_000_000
const WORD_BITS = 30

/** Throws on inputs outside the domain of the formula, such as a score above 1000. */
export function encodeRiskInputs(input: RiskInput, salt: string): RiskWitness {
  if (!SALT.test(salt)) throw new RangeError('the salt must be 64 lowercase hex digits')
  const { kept, folded } = splitViolations(input)
  const { reputation, amountMinor, maxAutonomousMinor, counterparty } = input
  const kind = counterparty === null ? 0 : counterparty.kind === 'unrated' ? 1 : 2
  const recency = folded.reduce((sum, violation) => sum + violationRisk(violation), 0)
  const inputs = [
    ENCODING_VERSION,
    ACTION_TYPES.indexOf(input.actionType),
    RISK_TOLERANCES.indexOf(input.riskTolerance),
    Math.min(bounded(input.analysedCheckpoints, Number.MAX_SAFE_INTEGER), CHECKPOINTS_CAP),
    flag(reputation !== null),
    bounded(reputation ?? 0, SCORE_MAX),
    ...COMPONENTS.map(({ key }) => bounded(input.components[key], SCORE_MAX)),
    flag(input.contained),
    flag(amountMinor !== null),
    ...limbs(bounded(amountMinor ?? 0, MINOR_CAP)),
    flag(maxAutonomousMinor !== null),
    ...limbs(Math.min(bounded(maxAutonomousMinor ?? 0, Number.MAX_SAFE_INTEGER), MINOR_CAP)),
    kind,
    bounded(counterparty?.score ?? 0, SCORE_MAX),
    flag(counterparty?.conflict ?? false),
    flag(counterparty?.contained ?? false),
    Math.min(recency, RECENCY_MAX),
    flag(folded.some(({ severity, days }) => severity === 'critical' && days <= 1)),
  ]
  if (inputs.length !== INPUTS.length || inputs.includes(-1))
    throw new RangeError('unknown action type or risk tolerance')
  return { inputs, violations: kept.map(encodeViolation), salt: saltElements(salt) }
}

/** All elements in the order of the commitment. */
export function witnessElements({ inputs, violations, salt }: RiskWitness): number[] {
  return [...inputs, ...violations, ...salt]
}

/** `p2bb:` and eight field elements of eight hex digits each. */
export function witnessCommitment(witness: RiskWitness): string {
  return formatCommitment(poseidonHash(witnessElements(witness)))
}

export function formatCommitment(elements: readonly number[]): string {
  return `p2bb:${elements.map((element) => element.toString(16).padStart(8, '0')).join('')}`
}

type Violation = RiskInput['violations'][number]

/** Keeps the most recent violations individually, in the order of the inputs document. */
function splitViolations({ violations }: RiskInput) {
  const ordered = violations.toSorted(
    (a, b) => a.days - b.days || (a.severity < b.severity ? -1 : a.severity > b.severity ? 1 : 0),
  )
  const kept: (Violation | undefined)[] = ordered.slice(0, VIOLATIONS_MAX)
  while (kept.length < VIOLATIONS_MAX) kept.push(undefined)
  return { kept, folded: ordered.slice(VIOLATIONS_MAX) }
}

function encodeViolation(violation: Violation | undefined): number {
  if (violation === undefined) return 0
  const days = bounded(violation.days, RISK_VIOLATION_DAYS_END - 1)
  const rank = SEVERITIES_RANKED.indexOf(violation.severity) + 1
  if (rank === 0) throw new RangeError('unknown severity')
  return rank * SEVERITY_STEP + days
}

/** Takes 30 bits of each word, so that elements are uniform and below p. */
function saltElements(salt: string): number[] {
  return Array.from(
    { length: 8 },
    (_, i) => Number.parseInt(salt.slice(8 * i, 8 * i + 8), 16) % 2 ** WORD_BITS,
  )
}

function bounded(value: number, max: number): number {
  if (Number.isInteger(value) && value >= 0 && value <= max) return value
  throw new RangeError(`${value} is not an integer from 0 to ${max}`)
}

function limbs(value: number): [low: number, high: number] {
  return [value % LIMB, Math.floor(value / LIMB)]
}

function flag(holds: boolean): number {
  return holds ? 1 : 0
}
