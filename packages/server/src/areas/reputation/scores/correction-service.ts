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

/** 02 §4.4. */
const VALID_MS = 90 * DAY_MS
/** A score may be older than the points it was computed from are valid; then it is still checked. */
const KEPT_MS = 30 * DAY_MS

const NOTHING: Exclusion = { violations: [], sessionsRegained: 0 }

export type CorrectionDeps = {
  db: Db
  clock: Clock
  checkpoints: Checkpoints
  reclassifications: Reclassifications
  trustEdges: TrustEdges
}

/** Reclassifications of one agent that no score took into account yet, and whom they would reach. */
export type Correction = {
  agentId: string
  pending: readonly PendingReclassification[]
  reached: readonly ReachedAgent[]
}

/** Before anything is locked, because those who are reached are locked with the others. */
export async function planCorrections(
  deps: CorrectionDeps,
  tx: Db,
  agentIds: readonly string[],
): Promise<Correction[]> {
  const pending = await deps.reclassifications.pendingOf(tx, agentIds)
  const corrections: Correction[] = []
  for (const agentId of new Set(pending.map((one) => one.agentId))) {
    const own = pending.filter((one) => one.agentId === agentId)
    const excluding = own.some(({ newType }) => newType === 'card_gap')
    const reached = excluding ? await deps.trustEdges.reach(tx, agentId) : []
    corrections.push({ agentId, pending: own, reached })
  }
  return corrections
}

/**
 * Under the locks: leaves out what was reclassified, unless another computation did so meanwhile.
 * Gives what is newly left out of each agent's score.
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
  const still = corrections.map((correction) => ({
    ...correction,
    pending: correction.pending.filter((one) => ids.has(one.reclassificationId)),
  }))
  const all = still.flatMap(({ pending }) => pending)
  const exclusions = await deps.checkpoints.applyReclassified(tx, all, now)
  return still.map((correction) => ({
    ...correction,
    exclusion: exclusions.get(correction.agentId) ?? NOTHING,
  }))
}

/** Stores what each correction passes on. Gives it all, and how far each of them went. */
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
    /** Null while none is published. */
    publishedScore: async (db: Db, agentId: string): Promise<number | null> =>
      (await createScoreStore(db).find(agentId))?.score ?? null,

    /** The propagated points that the score of that time was computed from. */
    adjustmentsUsed: store.listValid,

    purgeAdjustments: (now: Date): Promise<number> => store.deleteOver(later(now, -KEPT_MS)),
  }
}
