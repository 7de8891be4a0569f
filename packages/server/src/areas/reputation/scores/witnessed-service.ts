import { DAY_MS, HOUR_MS, later } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { Checkpoints, WitnessedLog } from './ports.ts'

/** Checkpoints received within this time must be in the log, except the newest (spec: provenance §3). */
const WITNESSED_MS = 30 * DAY_MS
/** The log and its witnesses need some time. */
const EXEMPT_MS = HOUR_MS

/** The agents whose recent checkpoints are all in the witnessed log. */
export async function witnessedAmong(
  deps: { checkpoints: Pick<Checkpoints, 'coveredBy'>; witnessedLog: WitnessedLog },
  tx: Db,
  agentIds: readonly string[],
  now: Date,
): Promise<ReadonlySet<string>> {
  const from = later(now, -WITNESSED_MS)
  const runs = await deps.witnessedLog.witnessedRuns(tx, agentIds, from)
  if (runs.length === 0) return new Set()
  return deps.checkpoints.coveredBy(tx, runs, { from, to: later(now, -EXEMPT_MS) })
}
