/**
 * How long failed sign-ins have to wait (spec: platform §2.4). Failures count per account and
 * address, so that a stranger slows down only themselves.
 */
export type Curve = {
  /** Attempts that may fail before the first wait. */
  free: number
  /** The longest wait. */
  waitMsMax: number
}

export type Failures = { count: number; lastAt: Date }

const FIRST_WAIT_MS = 1000
const QUARTER_HOUR_MS = 15 * 60 * 1000

/** Failures are forgotten after a day without another. */
export const FORGOTTEN_MS = 24 * 60 * 60 * 1000

export const CURVES = {
  /** One account at an address from which it has not signed in before. */
  pair: { free: 5, waitMsMax: QUARTER_HOUR_MS },
  /** One account at an address from which it has signed in before. */
  knownPair: { free: 20, waitMsMax: 60 * 1000 },
  /** One account, from all addresses that it has not signed in from. */
  account: { free: 50, waitMsMax: QUARTER_HOUR_MS },
  /** One address, for all accounts that have not signed in from it. */
  address: { free: 100, waitMsMax: QUARTER_HOUR_MS },
  /** Codes of the second factor: whoever guesses them has the password already. */
  codePair: { free: 5, waitMsMax: QUARTER_HOUR_MS },
  codeAccount: { free: 20, waitMsMax: QUARTER_HOUR_MS },
} as const satisfies Record<string, Curve>

export type CurveName = keyof typeof CURVES

/** The curves that an attempt has to pass, all of them. */
export function curvesOf(attempt: {
  kind: 'password' | 'code'
  isKnownAddress: boolean
}): readonly CurveName[] {
  if (attempt.kind === 'code') {
    return attempt.isKnownAddress ? ['codePair'] : ['codePair', 'codeAccount']
  }
  // INVARIANT: nothing that happens at another address slows down a known one.
  return attempt.isKnownAddress ? ['knownPair'] : ['pair', 'account', 'address']
}

/** Milliseconds until the next attempt is allowed; 0 if it is allowed now. */
export function waitMs(curve: Curve, failures: Failures | undefined, now: Date): number {
  const current = currentCount(failures, now)
  if (failures === undefined || current < curve.free) return 0
  const wait = Math.min(FIRST_WAIT_MS * 2 ** (current - curve.free), curve.waitMsMax)
  return Math.max(0, failures.lastAt.getTime() + wait - now.getTime())
}

/** The failures that still count. */
export function currentCount(failures: Failures | undefined, now: Date): number {
  if (failures === undefined) return 0
  return now.getTime() - failures.lastAt.getTime() < FORGOTTEN_MS ? failures.count : 0
}
