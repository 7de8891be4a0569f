/** Beyond this z the remaining share is below 1e-15, less than the error of the series. */
const Z_MAX = 8

/**
 * The cumulative distribution function of the standard normal distribution, with an error below
 * 1e-14.
 */
export function normalCdf(z: number): number {
  if (z <= -Z_MAX) return 0
  if (z >= Z_MAX) return 1
  // 1/2 + density · (z + z³/3 + z⁵/(3·5) + …): all terms have the sign of z, so none cancel.
  let sum = z
  let term = z
  for (let odd = 3; sum + term !== sum; odd += 2) {
    term *= (z * z) / odd
    sum += term
  }
  return 0.5 + (sum * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI)
}
