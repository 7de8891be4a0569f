import { BUNDLE_CHECKS, type BundleCheck } from '@touchstone/protocol/bundle'
import type { Step } from './verification.ts'

/** The claim behind each bundle check. Separate from the verifier, which pages load lazily. */
export const BUNDLE_CLAIMS: Record<BundleCheck, string> = {
  lines: 'Every line matches its recorded digest',
  chain: 'The chain of checkpoints is unbroken',
  tree: 'The checkpoints reproduce the published Merkle root',
  signatures: 'A published key signed the tree head and the bundle',
  certificate: 'The certificate of the latest checkpoint is valid',
  score: 'The published score follows from the evidence',
}

/** The steps before verification starts. */
export const BUNDLE_STEPS: readonly Step[] = BUNDLE_CHECKS.map((key) => ({
  key,
  claim: BUNDLE_CLAIMS[key],
  state: 'waiting',
  faults: [],
}))
