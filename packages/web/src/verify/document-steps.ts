import {
  attestedProvenance,
  type Certificate,
  verifyCertificate,
} from '@touchstone/protocol/evidence'
import { describeLogged, describeProven, type TlogPolicy } from '@touchstone/protocol/log'
import {
  DECISION_RECEIPT_CONTEXT,
  verifyDecisionReceipt,
  verifyReceiptLog,
} from '@touchstone/protocol/policy'
import { createStep, type Key, type Step, type Verification } from './verification.ts'

const CERTIFICATE_CLAIMS = {
  signature: 'A published key signed the certificate',
  record: 'The record matches its hash',
  chain: 'The record is linked into the hash chain',
  merkle: 'The chain link is a leaf of the Merkle tree with this root',
  input_commitment: 'The inputs match their commitment',
  log: 'The public log contains this checkpoint',
} as const

type CertificateCheck = keyof typeof CERTIFICATE_CLAIMS

export function verifyCertificateFile(
  document: unknown,
  keys: readonly Key[],
  policy: TlogPolicy | undefined,
): Verification {
  const outcome = verifyCertificate(document, keys, policy)
  if (!outcome.wellFormed) {
    const faults = outcome.problems.map(({ path, message }) => `${path} ${message}`)
    return {
      kind: 'certificate',
      ok: false,
      facts: [],
      steps: [createStep({ key: 'form', claim: 'The certificate is well-formed', faults })],
    }
  }
  const { valid, checks, details } = outcome.verification
  // The cast is safe, because the type of the claims has these keys only.
  const names = Object.keys(CERTIFICATE_CLAIMS) as CertificateCheck[]
  const steps = names.flatMap((name): Step[] => {
    const check = checks[name]
    if (check === null || check === undefined) return []
    const faults = check.valid ? [] : [faultOf(name, details)]
    const detail = 'cosigned_by' in check && check.valid ? describeLogged(check) : ''
    return [createStep({ key: name, claim: CERTIFICATE_CLAIMS[name], faults, detail })]
  })
  return { kind: 'certificate', ok: valid, steps, facts: certificateFacts(outcome.certificate) }
}

/** `details` is a list of `check: fault`, separated by semicolons. */
function faultOf(name: string, details: string): string {
  const found = details.split('; ').find((part) => part.startsWith(`${name}: `))
  return found?.slice(name.length + 2) ?? details
}

function certificateFacts(certificate: Certificate): Verification['facts'] {
  const { certificate_id, timestamp, subject, claims } = certificate
  return [
    ['Certificate', certificate_id],
    ['Agent', subject.agent_id],
    ['Checkpoint', subject.checkpoint_id],
    ['Time', timestamp],
    ['Verdict', claims.synthetic ? 'Not judged' : `${claims.verdict}, by ${claims.analyzer}`],
    ['Provenance', attestedProvenance(subject)],
  ]
}

/** `log` is the proof beside the receipt, if the file has one. */
export function verifyDecisionFile(
  { receipt, log }: { receipt: unknown; log: unknown },
  keys: readonly Key[],
  policy: TlogPolicy | undefined,
): Verification {
  const outcome = verifyDecisionReceipt(receipt, keys)
  const claim = 'A published key signed exactly this decision'
  const faults = outcome.valid ? [] : [outcome.fault]
  const signature = createStep({ key: 'signature', claim, faults })
  const steps = log === undefined ? [signature] : [signature, logStep(receipt, log, policy)]
  return {
    kind: 'decision receipt',
    ok: steps.every(({ state }) => state === 'passed'),
    steps,
    facts: outcome.valid
      ? [
          ['Decision', `${outcome.statement.decision}, ${outcome.statement.decision_id}`],
          ['Agent', outcome.statement.agent_id],
          ['Tool', outcome.statement.tool],
          ['Time', outcome.statement.decided_at],
        ]
      : [],
  }
}

function logStep(receipt: unknown, log: unknown, policy: TlogPolicy | undefined): Step {
  const proven = verifyReceiptLog(receipt, log, policy)
  return createStep({
    key: 'log',
    claim: 'The public log has the batch of this decision',
    faults: proven.ok ? [] : [proven.reason],
    detail: proven.ok ? describeProven(proven.value) : '',
  })
}

export function isDecisionReceipt(value: Record<string, unknown>): boolean {
  const { statement } = value
  return (
    typeof statement === 'object' &&
    statement !== null &&
    '@context' in statement &&
    statement['@context'] === DECISION_RECEIPT_CONTEXT
  )
}
