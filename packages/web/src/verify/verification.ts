/** The result of verifying a piece of evidence; plain data, because a worker posts it. */
export type StepState = 'waiting' | 'running' | 'passed' | 'failed' | 'not_reached'

export type Step = {
  key: string
  /** The statement that is true if the step passes. */
  claim: string
  state: StepState
  /** Shown beside a passed step. */
  detail?: string
  /** The exact failures. */
  faults: readonly string[]
}

export type EvidenceKind = 'bundle' | 'certificate' | 'risk receipt' | 'decision receipt'

export type Verification = {
  kind: EvidenceKind
  /** Whether every step passed. */
  ok: boolean
  steps: readonly Step[]
  /** The statements of the evidence; trustworthy only if every step passed. */
  facts: readonly (readonly [label: string, value: string])[]
}

export type Progress = { done: number; total: number }

export type Key = { key_id: string; public_key: string }

/** The request to the worker, which posts any number of progress messages and then one result. */
export type VerifyRequest = {
  evidence: Blob
  keys: readonly Key[]
  /** The trust policy for proofs of the log; without one, no checkpoint of it is verified. */
  policy?: string
  /** Undefined if the worker has to detect it. */
  kind?: EvidenceKind
}

export type VerifyMessage =
  | { progress: Progress }
  | { verification: Verification }
  | { failure: string }

const FAULTS_SHOWN = 5

/** Creates a step from the failures found for it. */
export function createStep(given: {
  key: string
  claim: string
  faults: readonly string[]
  detail?: string
  reached?: boolean
}): Step {
  const { key, claim, faults, detail, reached = true } = given
  if (!reached) return { key, claim, state: 'not_reached', faults: [] }
  if (faults.length === 0) {
    return { key, claim, state: 'passed', faults: [], ...(detail === undefined ? {} : { detail }) }
  }
  const shown = faults.slice(0, FAULTS_SHOWN)
  const rest = faults.length - shown.length
  return {
    key,
    claim,
    state: 'failed',
    faults: rest === 0 ? shown : [...shown, `and ${rest} more`],
  }
}
