import type { ReachedAgent } from '@touchstone/protocol/control'
import type { ScoreInput } from '@touchstone/protocol/score'
import { type Clock, DAY_MS, later } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import { newId } from '../../../kernel/ids.ts'
import { createAdjustmentStore } from './adjustment-store.ts'
import {
  type Adjustment,
  adjustmentsFrom,
  type Exclusion,
  gainOf,
  type Propagation,
  propagationOf,
} from './correction.ts'
import type {
  Checkpoints,
  PendingReclassification,
  Reclassifications,
  TrustEdges,
} from './ports.ts'
import { createScoreStore } from './store.ts'

/** How long propagated points count (spec: control §1.4). */
const VALID_MS = 90 * DAY_MS
/** Expired points are kept this long, so that a score computed before they expired can be verified. */
const KEPT_MS = 30 * DAY_MS

const NO_EXCLUSION: Exclusion = { violations: [], sessionsRegained: 0 }

export type CorrectionDeps = {
  db: Db
  clock: Clock
  checkpoints: Checkpoints
  reclassifications: Reclassifications
  trustEdges: TrustEdges
}

/** The pending reclassifications of one agent, and the agents that a correction would reach. */
export type Correction = {
  agentId: string
  pending: readonly PendingReclassification[]
  reached: readonly ReachedAgent[]
}

/** Called before anything is locked, so that the reached agents are locked in the same order. */
export async function planCorrections(
  deps: CorrectionDeps,
  tx: Db,
  agentIds: readonly string[],
): Promise<Correction[]> {
  const pending = await deps.reclassifications.pendingOf(tx, agentIds)
  const corrections: Correction[] = []
  for (const agentId of new Set(pending.map((one) => one.agentId))) {
    const own = pending.filter((one) => one.agentId === agentId)
    const hasCardGap = own.some(({ newType }) => newType === 'card_gap')
    const reached = hasCardGap ? await deps.trustEdges.reach(tx, agentId) : []
    corrections.push({ agentId, pending: own, reached })
  }
  return corrections
}

/**
 * Called under the locks: excludes reclassified checkpoints from the scores, unless a concurrent
 * computation has done so. Returns the newly excluded evidence of each agent.
 */
export async function applyCorrections(
  deps: CorrectionDeps,
  tx: Db,
  corrections: readonly Correction[],
  now: Date,
): Promise<(Correction & { exclusion: Exclusion })[]> {
  if (corrections.length === 0) return []
  const agentIds = corrections.map(({ agentId }) => agentId)
  const current = await deps.reclassifications.pendingOf(tx, agentIds)
  const ids = new Set(current.map((one) => one.reclassificationId))
  const stillPending = corrections.map((correction) => ({
    ...correction,
    pending: correction.pending.filter((one) => ids.has(one.reclassificationId)),
  }))
  const all = stillPending.flatMap(({ pending }) => pending)
  const exclusions = await deps.checkpoints.applyReclassified(tx, all, now)
  return stillPending.map((correction) => ({
    ...correction,
    exclusion: exclusions.get(correction.agentId) ?? NO_EXCLUSION,
  }))
}

/** Stores the points that corrections pass on; returns them and the reach of each correction. */
export async function propagateCorrections(
  tx: Db,
  corrections: readonly (Correction & { exclusion: Exclusion })[],
  inputs: ReadonlyMap<string, ScoreInput>,
  now: Date,
): Promise<{ adjustments: Adjustment[]; propagations: Map<string, Propagation> }> {
  const adjustments: Adjustment[] = []
  const propagations = new Map<string, Propagation>()
  for (const { agentId, exclusion, reached } of corrections) {
    const input = inputs.get(agentId)
    const passed = input === undefined ? [] : adjustmentsFrom(gainOf(input, exclusion), reached)
    adjustments.push(...passed)
    propagations.set(agentId, propagationOf(passed))
  }
  const stored = adjustments.map((one) => ({ ...one, adjustmentId: newId('adj') }))
  await createAdjustmentStore(tx).insert(stored, { from: now, until: later(now, VALID_MS) })
  return { adjustments, propagations }
}

export function createCorrectionService(deps: CorrectionDeps) {
  const store = createAdjustmentStore(deps.db)
  return {
    /** Null before the first publication. */
    publishedScore: async (db: Db, agentId: string): Promise<number | null> =>
      (await createScoreStore(db).find(agentId))?.score ?? null,

    /** The propagated points that a score computed at that time used. */
    adjustmentsUsed: store.listValid,

    purgeAdjustments: (now: Date): Promise<number> => store.deleteExpired(later(now, -KEPT_MS)),
  }
}
