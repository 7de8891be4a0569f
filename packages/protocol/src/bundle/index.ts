export {
  BUNDLE_FORMAT,
  type BundleAdjustment,
  type BundleCheckpoint,
  type BundleEntry,
  type BundleHeader,
  type BundlePairScore,
  type BundleSigner,
  type BundleTraceDrift,
  type BundleTreeHead,
  createBundleWriter,
  METHODOLOGY_1,
  toBundleAssurance,
} from './bundle.ts'
export {
  BUNDLE_CHECKS,
  type BundleCheck,
  type BundleCheckState,
  type BundleFault,
} from './bundle-faults.ts'
export type { BundleScore } from './bundle-score.ts'
export { STREAK_MIN } from './recount.ts'
export { type BundleVerification, verifyBundle } from './verify-bundle.ts'
