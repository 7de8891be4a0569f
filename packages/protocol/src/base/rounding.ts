/** Rounds half up, like every rule in this package. */
export function round(x: number): number {
  return Math.floor(x + 0.5)
}

/** Rounds half up to a number of decimals. */
export function roundTo(x: number, decimals: number): number {
  const unit = 10 ** decimals
  return round(x * unit) / unit
}
