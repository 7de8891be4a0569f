import { BUNDLE_CHECKS, type BundleCheck } from '@touchstone/protocol/bundle'
import type { Step } from './verification.ts'

/** What is claimed of a bundle, check by check. Apart from the verifier, which pages load late. */
export const BUNDLE_CLAIMS: Record<BundleCheck, string> = {
  lines: 'Every line is as it was sealed',
  chain: 'The chain of checkpoints is unbroken',
  tree: 'The checkpoints give the published Merkle root',
  signatures: 'A published key signed the tree head and the bundle',
  certificate: 'The certificate of the latest checkpoint holds',
  score: 'The published score follows from the evidence',
}

/** The steps before anything was checked. */
export const BUNDLE_STEPS: readonly Step[] = BUNDLE_CHECKS.map((key) => ({
  ...{ key, claim: BUNDLE_CLAIMS[key], state: 'waiting', faults: [] },
}))
