import { RISK_VIOLATION_DAYS_END, violationRisk } from '@touchstone/protocol/risk'
import { RATE } from '../hash/poseidon.ts'
import type { AirBuilder } from '../stark/air-builder.ts'
import type { Expression } from '../stark/expression.ts'
import {
  BITS,
  BLOCK_ROWS,
  column,
  DAYS_HIGH,
  DAYS_LOW,
  isViolationBlock,
  LAST_ROW,
  SEVERITIES_RANKED,
  SEVERITY_STEP,
} from './layout.ts'

/** One violation per row: decoded from its slot, looked up in the table, and added to the sums. */
export function constrainViolations(air: AirBuilder): void {
  const { expressions: x } = air
  const run = air.fixed((row) => (row < LAST_ROW ? 1 : 0))
  const bits = Array.from({ length: BITS }, (_, i) => x.column(column.bit(i)))
  for (const bit of bits) air.zero(x.product(run, x.subtract(x.product(bit, bit), bit)))

  const severity = bits.slice(0, SEVERITIES_RANKED.length)
  const high = bits.slice(severity.length, severity.length + DAYS_HIGH)
  const low = bits.slice(severity.length + DAYS_HIGH, severity.length + DAYS_HIGH + DAYS_LOW)
  const chosen = Array.from({ length: RATE }, (_, i) =>
    air.fixed((row) => (decodes(row, i) ? 1 : 0)),
  )
  const decoding = x.add(...chosen)

  // At most one severity per row; a violation has exactly one age in days, an empty slot has none.
  const present = x.add(...severity)
  air.zero(x.product(decoding, x.product(present, x.not(present))))
  air.zero(x.product(decoding, x.subtract(x.add(...high), present)))
  air.zero(x.product(decoding, x.subtract(x.add(...low), present)))

  const code = x.sum(
    ...severity.map((bit, i) => [SEVERITY_STEP * (i + 1), bit] as const),
    ...high.map((bit, i) => [DAYS_LOW * i, bit] as const),
    ...low.map((bit, i) => [i, bit] as const),
  )
  for (const [i, choice] of chosen.entries()) {
    air.zero(x.product(choice, x.subtract(x.column(column.slot(i)), code)))
  }

  const recent = x.product(high[0] ?? 0, x.add(low[0] ?? 0, low[1] ?? 0))
  const critical = x.product(severity.at(-1) ?? 0, recent)
  accumulate(column.recency, tabled(severity, high, low))
  accumulate(column.critical, critical)

  /** The sum starts at 0 and grows in the next row by every violation decoded. */
  function accumulate(sum: number, added: Expression): void {
    const grown = x.subtract(x.next(sum), x.column(sum))
    air.zero(x.product(air.row(0), x.column(sum)))
    air.zero(x.subtract(x.product(run, grown), x.product(decoding, added)))
  }

  /** A violation's recency: a table entry selected by three one-hot vectors. */
  function tabled(
    severities: readonly Expression[],
    highs: readonly Expression[],
    lows: readonly Expression[],
  ): Expression {
    const bySeverity = severities.map((picked, rank) => {
      const byHigh = highs.map((group, i) =>
        x.product(
          group,
          x.sum(...lows.map((day, j) => [risk(rank, DAYS_LOW * i + j), day] as const)),
        ),
      )
      return x.product(picked, x.add(...byHigh))
    })
    return x.add(...bySeverity)
  }
}

function decodes(row: number, slot: number): boolean {
  return isViolationBlock(Math.floor(row / BLOCK_ROWS)) && row % BLOCK_ROWS === slot
}

function risk(rank: number, days: number): number {
  const severity = SEVERITIES_RANKED[rank]
  if (severity === undefined || days >= RISK_VIOLATION_DAYS_END)
    throw new Error('no table entry for this severity and age')
  return violationRisk({ severity, days })
}
