/** Half up, as every rule of this package rounds. */
export function round(x: number): number {
  return Math.floor(x + 0.5)
}

/** Half up at so many decimals. */
export function roundTo(x: number, decimals: number): number {
  const unit = 10 ** decimals
  return round(x * unit) / unit
}
