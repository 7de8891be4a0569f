import { violationRisk } from '@touchstone/protocol/risk'
import { DAYS_HIGH, DAYS_LOW, SEVERITIES_RANKED, SEVERITY_STEP } from './layout.ts'

/** The cells of the row that decodes one violation. */
export type ViolationRow = {
  /** Indices of the bits that are 1. */
  bits: readonly number[]
  recency: number
  critical: number
}

const HIGH = SEVERITIES_RANKED.length
const LOW = HIGH + DAYS_HIGH

export function violationRow(code: number): ViolationRow {
  const rank = Math.floor(code / SEVERITY_STEP)
  const severity = SEVERITIES_RANKED[rank - 1]
  if (severity === undefined) return { bits: [], recency: 0, critical: 0 }
  const days = code % SEVERITY_STEP
  return {
    bits: [rank - 1, HIGH + Math.floor(days / DAYS_LOW), LOW + (days % DAYS_LOW)],
    recency: violationRisk({ severity, days }),
    critical: severity === 'critical' && days <= 1 ? 1 : 0,
  }
}

export function violationSums(codes: readonly number[]): { recency: number; critical: number } {
  const rows = codes.map(violationRow)
  return {
    recency: rows.reduce((sum, row) => sum + row.recency, 0),
    critical: rows.reduce((sum, row) => sum + row.critical, 0),
  }
}
