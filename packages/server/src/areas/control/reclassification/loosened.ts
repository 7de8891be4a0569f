import { LOOSENING_WINDOW_MS, loosens } from '@touchstone/protocol/control'

type Happened = { timestamp: Date; receivedAt: Date }

type Amendment = {
  amendmentId: string
  field: string
  previousValue: unknown
  newValue: unknown
  toVersion: number
  createdAt: Date
}

/** From the decision, or its receipt if the sender dates it later, until a day after the receipt. */
export function loosenedPeriod({ timestamp, receivedAt }: Happened): { from: Date; to: Date } {
  const from = timestamp < receivedAt ? timestamp : receivedAt
  return { from, to: new Date(receivedAt.getTime() + LOOSENING_WINDOW_MS) }
}

/** The amendments that loosened the card, up to a version of it if one is given. */
export function loosenings<A extends Amendment>(
  amendments: readonly A[],
  versionMax = Number.POSITIVE_INFINITY,
): A[] {
  return amendments.filter(
    ({ field, previousValue, newValue, toVersion }) =>
      toVersion <= versionMax && loosens(field, previousValue, newValue),
  )
}

/** The ids of those within the period of a violation. */
export function loosenedBy(violation: Happened, loosened: readonly Amendment[]): string[] {
  const { from, to } = loosenedPeriod(violation)
  return loosened.flatMap(({ amendmentId, createdAt }) =>
    createdAt >= from && createdAt <= to ? [amendmentId] : [],
  )
}
