/** spec: risk §1.3. */
export const AMOUNT_MAX = 1_000_000_000_000

/** In hundredths; undefined for an amount with more than two decimals. */
export function toMinor(amount: number): number | undefined {
  const minor = Math.round(amount * 100)
  return minor / 100 === amount ? minor : undefined
}

/**
 * The hundredths up to which an agent may go by itself. What a card says more exactly than that is
 * cut off, which no amount in whole hundredths can tell; the same holds beyond the largest amount.
 */
export function limitMinor(limit: number): number {
  const within = Math.min(limit, AMOUNT_MAX)
  return toMinor(within) ?? Math.floor(within * 100)
}
