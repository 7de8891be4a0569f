import { randomBytes } from 'node:crypto'
import type { StoredRow } from '@touchstone/protocol/evidence'
import { Problem } from '../../../kernel/problem.ts'
import { type Fault, firstOf, START } from './chain-walk.ts'
import type { Attestation, Checkpoints, Verifier } from './ports.ts'
import { contradictionOf } from './present.ts'
import { type Plan, type PlanSizes, planOf, positionsOf } from './sample.ts'
import type { Audit } from './store.ts'

/** One message to a worker: about a hundredth of a second of its time. */
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
 * so that a changed row is found before the next audit (spec: provenance §7).
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
  const stored = await deps.checkpoints.rowsAt(agentId, (length) => {
    plan = planOf({ length, audited: audited.position, seed }, deps.planSizes)
    return positionsOf(plan, length)
  })
  if (stored === undefined) throw new Problem('agent_not_found', 'No such agent.')
  const { head, rows } = stored
  const present = { plan, length: head.length, rows, head, audited }
  const fault = firstOf([contradictionOf(present), await recompute(deps, agentId, rows)])
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
  agentId: string,
  rows: readonly StoredRow[],
): Promise<Fault | undefined> {
  const keys = await attestation.publishedKeys()
  const chunks: StoredRow[][] = []
  for (let at = 0; at < rows.length; at += CHUNK_ROWS) chunks.push(rows.slice(at, at + CHUNK_ROWS))
  const faults = await Promise.all(
    chunks.map(async (chunk) => {
      const stored = await attestation.storedAt(
        agentId,
        chunk.map(({ seal }) => seal),
      )
      return (await verify({ rows: chunk, ...stored, keys })) ?? undefined
    }),
  )
  return firstOf(faults)
}
