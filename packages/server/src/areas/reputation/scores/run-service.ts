import { isDatabaseDown, transact } from '../../../kernel/db.ts'
import type { Jobs } from '../../../kernel/jobs.ts'
import { type ComputeDeps, computeScores } from './compute-service.ts'
import { createScoreStore } from './store.ts'

/** Agents of one transaction: enough to be quick, few enough to hold locks briefly. */
const BATCH_MAX = 250

export type RunDeps = ComputeDeps & { jobs: Jobs }

export const BATCH_JOB = 'scores.batch'

export type BatchJob = { run_at: string; first_agent: string; last_agent: string }

/** The hourly run (01 §7.2), cut into parts that any worker may take. */
export function createRunService(deps: RunDeps) {
  return {
    /** Safe to repeat: a part that is there already is not added again. */
    async startRun(runAt: Date): Promise<void> {
      let after = ''
      for (;;) {
        const agentIds = await deps.checkpoints.listScorable(after, BATCH_MAX)
        const [firstAgent, lastAgent] = [agentIds[0], agentIds.at(-1)]
        if (firstAgent === undefined || lastAgent === undefined) return endRun(deps, runAt)
        await transact(deps.db, async (tx) => {
          await createScoreStore(tx).addBatch({ runAt, firstAgent, lastAgent })
          const job = {
            run_at: runAt.toISOString(),
            first_agent: firstAgent,
            last_agent: lastAgent,
          }
          await deps.jobs.enqueue(tx, BATCH_JOB, job satisfies BatchJob)
        })
        after = lastAgent
      }
    },

    async runBatch(job: BatchJob): Promise<void> {
      const { first_agent: first, last_agent: last } = job
      await computeApart(deps, await deps.checkpoints.listScorableIn(first, last))
      const runAt = new Date(job.run_at)
      const batch = { runAt, firstAgent: first }
      const ended = await transact(deps.db, (tx) => createScoreStore(tx).endBatch(batch))
      if (ended) await endRun(deps, runAt)
    },
  }
}

/** By halves, until those are alone that fail; they are told of, and the others are computed. */
async function computeApart(deps: RunDeps, agentIds: readonly string[]): Promise<void> {
  try {
    await computeScores(deps, agentIds)
  } catch (err) {
    // Not an agent's fault: the whole part is tried again later.
    if (isDatabaseDown(err)) throw err
    const [only, ...others] = agentIds
    if (only === undefined) throw err
    if (others.length === 0) return deps.onFailed(only, err)
    const half = Math.ceil(agentIds.length / 2)
    await computeApart(deps, agentIds.slice(0, half))
    await computeApart(deps, agentIds.slice(half))
  }
}

/** Whoever ends the last part looks at the whole; twice does no harm. */
async function endRun(deps: RunDeps, runAt: Date): Promise<void> {
  if ((await createScoreStore(deps.db).countBatches(runAt)) > 0) return
  await deps.directory.computeBenchmarks(deps.clock.now())
}
