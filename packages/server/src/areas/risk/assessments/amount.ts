/** spec: risk §1.3. */
export const AMOUNT_MAX = 1_000_000_000_000

/** Converts an amount to hundredths; undefined if it has more than two decimals. */
export function toMinor(amount: number): number | undefined {
  const minor = Math.round(amount * 100)
  return minor / 100 === amount ? minor : undefined
}

/**
 * The limit in hundredths, rounded down and capped at AMOUNT_MAX. Neither changes a comparison,
 * because amounts are whole hundredths and at most AMOUNT_MAX.
 */
export function limitMinor(limit: number): number {
  const within = Math.min(limit, AMOUNT_MAX)
  return toMinor(within) ?? Math.floor(within * 100)
}
