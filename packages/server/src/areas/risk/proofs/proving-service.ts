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
  /** Our own, whosever the prover is. */
  commit: Committer
  /** How many this process makes at a time. */
  atOnceMax: number
  onError(err: unknown): void
  onOutcome(outcome: 'verified' | 'retried' | 'failed', provingMs: number | undefined): void
}

export type ProofWorker = Pick<Loop, 'start' | 'stop'> & {
  /** Makes as many of the proofs that are due as at a time, and returns how many were tried. */
  runDue(): Promise<number>
}

type Outcome =
  | { kind: 'verified'; receipt: Receipt }
  /** It may go better another time. */
  | { kind: 'fault'; error: string }
  /** It never will: what is stored does not follow from its inputs. */
  | { kind: 'mismatch'; error: string }

/**
 * The table is the queue: what is claimed and not ended within the lease is tried again. Each place
 * takes its next proof for itself, so that none waits for a slow one beside it.
 */
export function createProofWorker(deps: ProvingDeps): ProofWorker {
  const { db, clock, onError } = deps
  const step = async (): Promise<number> => {
    await recover(deps)
    const now = clock.now()
    const claimed = await createProofStore(db).claim({
      now,
      leaseEnd: later(now, LEASE_MS),
      limit: 1,
      claim: randomUUID(),
    })
    for (const tried of claimed) await attempt(deps, tried)
    return claimed.length
  }
  const places = Array.from({ length: deps.atOnceMax }, () =>
    createLoop({ intervalMs: POLL_MS, step, onError }),
  )
  return {
    async runDue() {
      const tried = await Promise.all(places.map(step))
      return tried.reduce((sum, count) => sum + count, 0)
    },
    start() {
      for (const place of places) place.start()
    },
    async stop() {
      await Promise.all(places.map((place) => place.stop()))
    },
  }
}

/** Tries whose worker never came back. */
async function recover(deps: ProvingDeps): Promise<void> {
  const now = deps.clock.now()
  const ended = await transact(deps.db, async (tx) => {
    const store = createProofStore(tx)
    const lost = await store.lost(now, LOST_PAGE)
    const next = lost.map((tried) => ({ tried, next: afterFailure(tried.attempts, now) }))
    for (const one of next) await store.fail(one.tried, one.next, 'The prover did not come back.')
    return next
  })
  for (const { next } of ended) {
    deps.onOutcome(next.status === 'failed' ? 'failed' : 'retried', undefined)
  }
}

async function attempt(deps: ProvingDeps, tried: Claim): Promise<void> {
  const provable = await deps.assessments().find(tried.assessmentId)
  // Erased, and its proof with it.
  if (provable === undefined) return
  const outcome = await proveAndCheck(deps, provable)
  const now = deps.clock.now()
  if (outcome.kind === 'verified') {
    const { receipt } = outcome
    const isKept = await transact(deps.db, (tx) => createProofStore(tx).verify(tried, receipt, now))
    if (isKept) deps.onOutcome('verified', receipt.provingMs)
    return
  }
  const next =
    outcome.kind === 'fault'
      ? afterFailure(tried.attempts, now)
      : ({ status: 'failed', dueAt: null } as const)
  const isKept = await createProofStore(deps.db).fail(tried, next, outcome.error)
  if (isKept) deps.onOutcome(next.status === 'failed' ? 'failed' : 'retried', undefined)
}

/** Nothing that the prover says is believed: the verifier and what is stored decide. */
async function proveAndCheck(deps: ProvingDeps, provable: Provable): Promise<Outcome> {
  const { prove, verify, programId: findId, ...system } = deps.prover
  try {
    const { proof, journal, ms } = await prove(provable.inputs)
    const expected = journalOfStored(provable, await deps.commit(provable.inputs))
    if (!Buffer.from(expected).equals(journal)) {
      return { kind: 'mismatch', error: 'The journal is not what the assessment says.' }
    }
    if (!(await verify(journal, proof))) {
      return { kind: 'fault', error: 'The verifier refused the proof.' }
    }
    const proofSha256 = createHash('sha256').update(proof).digest('hex')
    const provingMs = Math.round(ms)
    const made = { programId: await findId(), journal, proof, proofSha256, provingMs }
    return { kind: 'verified', receipt: { ...system, ...made } }
  } catch (err) {
    deps.onError(err)
    return { kind: 'fault', error: 'The prover failed.' }
  }
}
