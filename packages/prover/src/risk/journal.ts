import {
  RISK_BREAKERS,
  RISK_FORMULA,
  RISK_LEVELS,
  type RiskResult,
} from '@touchstone/protocol/risk'
import { isElement } from '../field/baby-bear.ts'
import { RATE } from '../hash/poseidon.ts'

/** Everything that a receipt for risk-v1 states. */
export type RiskJournal = {
  v: 1
  kind: 'individual'
  formula: typeof RISK_FORMULA
  assessment_id: string
  inputs_commitment: string
  witness_commitment: string
  as_of: string
  score_e4: number
  level: RiskResult['level']
  recommendation: RiskResult['recommendation']
  circuit_breakers: readonly RiskResult['breakers'][number][]
}

const RECOMMENDATIONS = ['approve', 'review', 'deny'] as const

/** The public values of the proof, in order. */
export function publicValues(journal: RiskJournal): number[] {
  return [
    ...commitmentElements(journal.witness_commitment),
    journal.score_e4,
    RISK_LEVELS.indexOf(journal.level),
    RECOMMENDATIONS.indexOf(journal.recommendation),
    ...RISK_BREAKERS.map((breaker) => (journal.circuit_breakers.includes(breaker) ? 1 : 0)),
  ]
}

/** The inverse of `publicValues`, for the values after the commitment. */
export function describeOutputs([score, level, recommendation, ...flags]: readonly number[]): Pick<
  RiskJournal,
  'score_e4' | 'level' | 'recommendation' | 'circuit_breakers'
> {
  return {
    score_e4: score ?? 0,
    level: RISK_LEVELS[level ?? -1] ?? 'critical',
    recommendation: RECOMMENDATIONS[recommendation ?? -1] ?? 'deny',
    circuit_breakers: RISK_BREAKERS.filter((_, i) => flags[i] === 1),
  }
}

function commitmentElements(commitment: string): number[] {
  const digits = commitment.slice('p2bb:'.length)
  return Array.from({ length: RATE }, (_, i) => Number.parseInt(digits.slice(8 * i, 8 * i + 8), 16))
}

/** The canonical bytes (RFC 8785): members sorted by name, no whitespace. */
export function encodeJournal(journal: RiskJournal): Uint8Array {
  const text = JSON.stringify({
    as_of: journal.as_of,
    assessment_id: journal.assessment_id,
    circuit_breakers: journal.circuit_breakers,
    formula: journal.formula,
    inputs_commitment: journal.inputs_commitment,
    kind: journal.kind,
    level: journal.level,
    recommendation: journal.recommendation,
    score_e4: journal.score_e4,
    v: journal.v,
    witness_commitment: journal.witness_commitment,
  })
  const bytes = new TextEncoder().encode(text)
  if (decodeJournal(bytes) === undefined) throw new RangeError('not a valid journal of risk-v1')
  return bytes
}

/** The only accepted order of members and format of values. */
const JOURNAL = new RegExp(
  [
    '^\\{"as_of":"(?<as_of>\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z)"',
    '"assessment_id":"(?<assessment_id>[A-Za-z0-9._-]{1,128})"',
    '"circuit_breakers":\\[(?<breakers>(?:"[a-z_]+"(?:,"[a-z_]+")*)?)\\]',
    `"formula":"${RISK_FORMULA}"`,
    '"inputs_commitment":"(?<inputs_commitment>sha256:[0-9a-f]{64})"',
    '"kind":"individual"',
    '"level":"(?<level>[a-z]+)"',
    '"recommendation":"(?<recommendation>[a-z]+)"',
    '"score_e4":(?<score>0|[1-9][0-9]{0,4})',
    '"v":1',
    '"witness_commitment":"(?<witness_commitment>p2bb:[0-9a-f]{64})"\\}$',
  ].join(','),
)
const SCORE_MAX = 10_000
const JOURNAL_BYTES_MAX = 2048

/** Strict: returns undefined unless these are exactly the canonical bytes of a journal. */
export function decodeJournal(bytes: Uint8Array): RiskJournal | undefined {
  if (bytes.length > JOURNAL_BYTES_MAX) return undefined
  // Decodes byte by byte, because a journal is pure ASCII. `$` would also match before a trailing
  // line feed.
  const text = String.fromCharCode(...bytes)
  const found = text.endsWith('\n') ? undefined : JOURNAL.exec(text)?.groups
  if (found === undefined || found === null) return undefined
  const level = RISK_LEVELS.find((name) => name === found['level'])
  const recommendation = RECOMMENDATIONS.find((name) => name === found['recommendation'])
  const breakers = decodeBreakers(found['breakers'] ?? '')
  const score = Number(found['score'])
  const commitment = found['witness_commitment'] ?? ''
  if (level === undefined || recommendation === undefined || breakers === undefined) {
    return undefined
  }
  if (score > SCORE_MAX || !commitmentElements(commitment).every(isElement)) return undefined
  return {
    v: 1,
    kind: 'individual',
    formula: RISK_FORMULA,
    assessment_id: found['assessment_id'] ?? '',
    inputs_commitment: found['inputs_commitment'] ?? '',
    witness_commitment: commitment,
    as_of: found['as_of'] ?? '',
    score_e4: score,
    level,
    recommendation,
    circuit_breakers: breakers,
  }
}

/** Accepts known codes only, each at most once, in reporting order. */
function decodeBreakers(list: string): RiskResult['breakers'] | undefined {
  const names = list === '' ? [] : list.split(',').map((name) => name.slice(1, -1))
  const known = RISK_BREAKERS.filter((breaker) => names.includes(breaker))
  return known.join() === names.join() ? known : undefined
}
