/** The checks on a bundle, in the order of their dependencies. */
export const BUNDLE_CHECKS = [
  'lines',
  'chain',
  'tree',
  'signatures',
  'certificate',
  'score',
] as const

export type BundleCheck = (typeof BUNDLE_CHECKS)[number]

/** Without a header, the other lines cannot be checked. */
export type BundleCheckState = 'passed' | 'failed' | 'not_reached'

export type BundleFault = {
  check: BundleCheck
  /** Counted from 1; a missing line is reported after the last one. */
  line: number
  /** The line's kind; checkpoints are numbered from 0. */
  place: string
  message: string
}

/** Further faults are only counted, so that a hostile bundle cannot cause an endless answer. */
const FAULTS_MAX = 100

export function createBundleFaults() {
  const kept: BundleFault[] = []
  const failed = new Set<BundleCheck>()
  let count = 0
  return {
    add(fault: BundleFault): void {
      count += 1
      failed.add(fault.check)
      if (kept.length < FAULTS_MAX) kept.push(fault)
    },

    end(reached: { header: boolean }) {
      const stateOf = (check: BundleCheck): BundleCheckState => {
        if (failed.has(check)) return 'failed'
        return check === 'lines' || reached.header ? 'passed' : 'not_reached'
      }
      // The cast is safe, because every check has a state.
      const states = BUNDLE_CHECKS.map((check) => [check, stateOf(check)] as const)
      const checks = Object.fromEntries(states) as Record<BundleCheck, BundleCheckState>
      return { ok: count === 0, checks, faults: kept as readonly BundleFault[], faultCount: count }
    },
  }
}
