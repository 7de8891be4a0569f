/**
 * Fixed-point numbers of the risk formulas. All are integers below 2^53, so that every
 * recomputation, in any language or proof system, gives the same results.
 */

/** 1.0 in micro units. */
export const MICRO = 1_000_000

/** 1.0 in e4 units, in which numbers are published. */
export const E4 = 10_000

/** 2^(j/30) in micro units, for j from 0 to 29. */
const POWERS = [
  1000000, 1023374, 1047294, 1071773, 1096825, 1122462, 1148698, 1175548, 1203025, 1231144, 1259921,
  1289370, 1319508, 1350350, 1381913, 1414214, 1447269, 1481098, 1515717, 1551145, 1587401, 1624505,
  1662476, 1701334, 1741101, 1781797, 1823445, 1866066, 1909683, 1954320,
]
const STEPS = POWERS.length

/** The product of two micro numbers, rounded half up. */
export function mul(a: number, b: number): number {
  return Math.floor((a * b + MICRO / 2) / MICRO)
}

export function toE4(micro: number): number {
  return Math.floor((micro + 50) / 100)
}

/** The quotient of non-negative integers, rounded half up. */
export function divide(a: number, b: number): number {
  return Math.floor((a + Math.floor(b / 2)) / b)
}

/** The part of 1.0 that remains after whole days, with a half-life of 30 days. */
export function decay(days: number): number {
  const halvings = Math.floor(days / STEPS)
  const rest = days % STEPS
  // One more halving than needed, so that half a unit is an integer even without a halving.
  const doubled = rest === 0 ? 2 * MICRO : powerOf(STEPS - rest)
  return Math.floor((doubled + 2 ** halvings) / 2 ** (halvings + 1))
}

/** The weight of an e4 risk among others: it doubles every 0.3. */
export function tailWeight(riskE4: number): number {
  const points = toE4(riskE4)
  return powerOf(points % STEPS) * 2 ** Math.floor(points / STEPS)
}

/** The largest integer whose square does not exceed x. */
export function isqrt(x: number): number {
  const root = Math.floor(Math.sqrt(x))
  if (root * root > x) return root - 1
  return (root + 1) * (root + 1) <= x ? root + 1 : root
}

/** An e4 number as written in texts. */
export function fourDecimals(e4: number): string {
  return (e4 / E4).toFixed(4)
}

function powerOf(index: number): number {
  return POWERS[index] ?? MICRO
}
