export { encodeRiskInputs, type RiskWitness, witnessCommitment } from './risk/encoding.ts'
export { decodeJournal, encodeJournal, type RiskJournal } from './risk/journal.ts'
export {
  commitmentsOf,
  isAbout,
  journalOf,
  type RiskInputsDocument,
  witnessOf,
} from './risk/opening.ts'
export { proveRisk } from './risk/prove-risk.ts'
export {
  PROOF_SYSTEM,
  type Receipt,
  type ReceiptVerdict,
  riskProgramId,
  verifyReceipt,
} from './risk/receipt.ts'
export { type ReceiptClaims, type ReceiptSignature, receiptPayload } from './risk/receipt-claims.ts'
export { findReceipt } from './risk/receipt-document.ts'
export { type Verification, verifyRisk } from './risk/verify-risk.ts'
