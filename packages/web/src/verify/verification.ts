/** What was found out about a piece of evidence; plain data, because it comes from a worker. */
export type StepState = 'waiting' | 'running' | 'passed' | 'failed' | 'not_reached'

export type Step = {
  key: string
  /** What holds when it has passed. */
  claim: string
  state: StepState
  /** Said beside a step that has passed. */
  detail?: string
  /** Exactly what broke. */
  faults: readonly string[]
}

export type EvidenceKind = 'bundle' | 'certificate' | 'risk receipt' | 'decision receipt'

export type Verification = {
  kind: EvidenceKind
  /** Whether every step has passed. */
  ok: boolean
  steps: readonly Step[]
  /** What the evidence says, which is as true as its steps are. */
  facts: readonly (readonly [label: string, value: string])[]
}

export type Progress = { done: number; total: number }

export type Key = { key_id: string; public_key: string }

/** What the worker is asked, and what it answers: progress any number of times, then one end. */
export type VerifyRequest = {
  evidence: Blob
  keys: readonly Key[]
  /** Undefined where it must be found out. */
  kind?: EvidenceKind
}

export type VerifyMessage =
  | { progress: Progress }
  | { verification: Verification }
  | { failure: string }

const FAULTS_SHOWN = 5

/** A step from the faults that concern it. */
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
    ...{ key, claim, state: 'failed' },
    faults: rest === 0 ? shown : [...shown, `and ${rest} more of this kind`],
  }
}
