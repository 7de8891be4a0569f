import { randomBytes } from 'node:crypto'
import type { StoredRow, TrustedKey } from '@touchstone/protocol/evidence'
import { Problem } from '../../../kernel/problem.ts'
import { type Fault, firstOf, START } from './chain-walk.ts'
import type { Attestation, Checkpoints, Verifier } from './ports.ts'
import { contradictionOf } from './present.ts'
import { type Plan, type PlanSizes, planOf, positionsOf } from './sample.ts'
import type { Audit } from './store.ts'

/** Read and sent to a worker together: about a hundredth of a second of its time. */
const CHUNK_ROWS = 64
const SEED_BYTES = 8

/** How many rows an answer rests on. */
export type Checked = {
  /** Stored since the last audit and recomputed. */
  sinceAudit: number
  /** Stored since then and not recomputed, because there were too many. */
  unchecked: number
  /** Older ones recomputed. */
  sampled: number
  /** Determines the sample, together with its population. */
  seed: string
  auditedAt: Date | null
}

type PresentDeps = {
  checkpoints: Checkpoints
  attestation: Attestation
  verify: Verifier
  /** By default the sizes of the specification; tests need smaller ones. */
  planSizes?: PlanSizes
}

export type PresentCheck = { fault: Fault | undefined; checked: Checked }

/**
 * Recomputes the checkpoints since the last audit and a random sample of older ones from their rows,
 * so that a changed row is found before the next audit (spec: provenance §7). Workers recompute the
 * first rows while others are being read.
 */
export async function checkPresent(
  deps: PresentDeps,
  agentId: string,
  found: Audit | undefined,
): Promise<PresentCheck> {
  const seed = randomBytes(SEED_BYTES).toString('hex')
  const audited = found?.audited ?? START
  const auditedAt = found?.auditedAt ?? null
  let plan: Plan = planOf({ length: 0, audited: 0, seed }, deps.planSizes)
  const keys = await deps.attestation.publishedKeys()
  const verdicts: Promise<Fault | undefined>[] = []
  const pick = (length: number) => {
    plan = planOf({ length, audited: audited.position, seed }, deps.planSizes)
    return positionsOf(plan, length)
  }
  const onRead = (rows: readonly StoredRow[]) => {
    const verdict = recompute(deps, { agentId, rows, keys })
    // Awaited below, after the last read; it must not count as unhandled until then.
    verdict.catch(() => undefined)
    verdicts.push(verdict)
  }
  const read = await deps.checkpoints.rowsAt(agentId, pick, { rowsMax: CHUNK_ROWS, onRead })
  if (read === undefined) throw new Problem('agent_not_found', 'No such agent.')
  const { head, rows } = read
  const present = { plan, length: head.length, rows, head, audited }
  const fault = firstOf([contradictionOf(present), ...(await Promise.all(verdicts))])
  return { fault, checked: { ...countsOf(plan, present), seed, auditedAt } }
}

function countsOf(plan: Plan, { length }: { length: number }) {
  return {
    sinceAudit: length - plan.audited - plan.unchecked,
    unchecked: plan.unchecked,
    sampled: plan.sampled.filter((position) => position < plan.audited).length,
  }
}

async function recompute(
  { attestation, verify }: PresentDeps,
  {
    agentId,
    rows,
    keys,
  }: { agentId: string; rows: readonly StoredRow[]; keys: readonly TrustedKey[] },
): Promise<Fault | undefined> {
  const places = rows.map(({ seal }) => seal)
  const stored = await attestation.storedAt(agentId, places)
  return (await verify({ rows, ...stored, keys })) ?? undefined
}
