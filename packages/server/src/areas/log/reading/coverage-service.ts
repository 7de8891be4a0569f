import type { Db } from '../../../kernel/db.ts'
import type { CheckpointRun, LoggedCheckpoints, LogSizes } from './ports.ts'

export type CoverageDeps = { entries: LoggedCheckpoints; sizes: LogSizes }

/** The answers of the log to the computation of scores (spec: provenance §3). */
export function createCoverage({ entries, sizes }: CoverageDeps) {
  return {
    /**
     * The checkpoints of these agents that have entered the log since then and are under a cosigned
     * checkpoint of it, by their positions in the chain. Omits agents without any, or with a gap.
     */
    async witnessedRuns(
      tx: Db,
      agentIds: readonly string[],
      since: Date,
    ): Promise<readonly CheckpointRun[]> {
      const to = await sizes.witnessed(tx)
      if (to === undefined) return []
      return entries.checkpointRuns(tx, agentIds, { from: await sizes.at(tx, since), to })
    },
  }
}
