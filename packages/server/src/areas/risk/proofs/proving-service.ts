import { createHash, randomUUID } from 'node:crypto'
import { type Clock, later, SECOND_MS } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { createLoop, type Loop } from '../../../kernel/jobs.ts'
import type { Assessments, Committer, Prover } from './ports.ts'
import { afterFailure, journalOfStored, LEASE_MS, type Provable, type Receipt } from './proof.ts'
import { type Claim, createProofStore } from './store.ts'

const POLL_MS = SECOND_MS
const LOST_PAGE = 100

export type ProvingDeps = {
  db: Db
  clock: Clock
  assessments: () => Assessments
  prover: Prover
  /** Always ours, even with an external prover. */
  commit: Committer
  /** Concurrent attempts of this process. */
  atOnceMax: number
  onError(err: unknown): void
  onOutcome(outcome: 'verified' | 'retried' | 'failed', provingMs: number | undefined): void
}

export type ProofWorker = Pick<Loop, 'start' | 'stop'> & {
  /** Attempts up to `atOnceMax` due proofs, and returns the number of attempts. */
  runDue(): Promise<number>
}

type Outcome =
  | { kind: 'verified'; receipt: Receipt }
  /** May succeed on a retry. */
  | { kind: 'fault'; error: string }
  /** Permanent: the stored result does not follow from its inputs. */
  | { kind: 'mismatch'; error: string }

/**
 * The table is the queue: a claim that has not ended within the lease is retried. Each loop claims
 * its next proof independently, so that a slow proof delays no other.
 */
export function createProofWorker(deps: ProvingDeps): ProofWorker {
  const { db, clock, onError } = deps
  const step = async (): Promise<number> => {
    await recoverLost(deps)
    const now = clock.now()
    const leaseEnd = later(now, LEASE_MS)
    const claimed = await createProofStore(db).claim({ now, leaseEnd, claim: randomUUID() })
    if (claimed === undefined) return 0
    await attempt(deps, claimed)
    return 1
  }
  const loops = Array.from({ length: deps.atOnceMax }, () =>
    createLoop({ intervalMs: POLL_MS, step, onError }),
  )
  return {
    async runDue() {
      const attempts = await Promise.all(loops.map(step))
      return attempts.reduce((sum, count) => sum + count, 0)
    },
    start() {
      for (const loop of loops) loop.start()
    },
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()))
    },
  }
}

/** Ends attempts whose lease has expired, and schedules their retry. */
async function recoverLost(deps: ProvingDeps): Promise<void> {
  const now = deps.clock.now()
  const ended = await transact(deps.db, async (tx) => {
    const store = createProofStore(tx)
    const lost = await store.lost(now, LOST_PAGE)
    const ends = lost.map((claim) => ({ claim, next: afterFailure(claim.attempts, now) }))
    for (const { claim, next } of ends) {
      await store.fail(claim, next, 'The attempt did not finish in time.')
    }
    return ends
  })
  for (const { next } of ended) {
    deps.onOutcome(next.status === 'failed' ? 'failed' : 'retried', undefined)
  }
}

async function attempt(deps: ProvingDeps, claim: Claim): Promise<void> {
  const provable = await deps.assessments().find(claim.assessmentId)
  // The assessment was erased, and its proof with it.
  if (provable === undefined) return
  const outcome = await proveAndCheck(deps, provable)
  const now = deps.clock.now()
  if (outcome.kind === 'verified') {
    const { receipt } = outcome
    const isCurrent = await transact(deps.db, (tx) =>
      createProofStore(tx).verify(claim, receipt, now),
    )
    if (isCurrent) deps.onOutcome('verified', receipt.provingMs)
    return
  }
  const next =
    outcome.kind === 'fault'
      ? afterFailure(claim.attempts, now)
      : ({ status: 'failed', dueAt: null } as const)
  const isCurrent = await createProofStore(deps.db).fail(claim, next, outcome.error)
  if (isCurrent) deps.onOutcome(next.status === 'failed' ? 'failed' : 'retried', undefined)
}

/** Trusts nothing from the prover: the verifier and the stored assessment decide. */
async function proveAndCheck(deps: ProvingDeps, provable: Provable): Promise<Outcome> {
  const { prove, verify, programId: findId, ...system } = deps.prover
  try {
    const { proof, journal, ms } = await prove(provable.inputs)
    const expected = journalOfStored(provable, await deps.commit(provable.inputs))
    if (!Buffer.from(expected).equals(journal)) {
      return { kind: 'mismatch', error: 'The journal differs from the assessment.' }
    }
    if (!(await verify(journal, proof))) {
      return { kind: 'fault', error: 'The verifier rejected the proof.' }
    }
    const proofSha256 = createHash('sha256').update(proof).digest('hex')
    const provingMs = Math.round(ms)
    const programId = await findId()
    return {
      kind: 'verified',
      receipt: { ...system, programId, journal, proof, proofSha256, provingMs },
    }
  } catch (err) {
    deps.onError(err)
    return { kind: 'fault', error: 'The prover failed.' }
  }
}
