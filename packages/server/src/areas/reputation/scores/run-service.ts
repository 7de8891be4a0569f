import { isDatabaseDown, transact } from '../../../kernel/db.ts'
import type { Jobs } from '../../../kernel/jobs.ts'
import { createBatchStore } from './batch-store.ts'
import { type ComputeDeps, computeScores } from './compute-service.ts'

/** Agents per transaction: many enough for throughput, few enough to hold locks briefly. */
const BATCH_MAX = 250

export type RunDeps = ComputeDeps & { jobs: Jobs }

export const BATCH_JOB = 'scores.batch'

export type BatchJob = { run_at: string; first_agent: string; last_agent: string }

/** The hourly run (spec: reputation §2), split into batches that any worker may claim. */
export function createRunService(deps: RunDeps) {
  return {
    /** Idempotent: a batch that is already stored is not added again. */
    async startRun(runAt: Date): Promise<void> {
      let after = ''
      for (;;) {
        const agentIds = await deps.checkpoints.listScorable(after, BATCH_MAX)
        const [firstAgent, lastAgent] = [agentIds[0], agentIds.at(-1)]
        if (firstAgent === undefined || lastAgent === undefined) return endRun(deps, runAt)
        await transact(deps.db, async (tx) => {
          await createBatchStore(tx).insert({ runAt, firstAgent, lastAgent })
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
      await computeIsolatingFailures(deps, await deps.checkpoints.listScorableIn(first, last))
      const runAt = new Date(job.run_at)
      const batch = { runAt, firstAgent: first }
      const ended = await transact(deps.db, (tx) => createBatchStore(tx).end(batch))
      if (ended) await endRun(deps, runAt)
    },
  }
}

/** Bisects a failing batch, so that only the failing agents are reported and the rest computed. */
async function computeIsolatingFailures(deps: RunDeps, agentIds: readonly string[]): Promise<void> {
  try {
    await computeScores(deps, agentIds)
  } catch (err) {
    // Not caused by an agent: the whole batch is retried later.
    if (isDatabaseDown(err)) throw err
    const [only, ...others] = agentIds
    if (only === undefined) throw err
    if (others.length === 0) return deps.onFailed(only, err)
    const half = Math.ceil(agentIds.length / 2)
    await computeIsolatingFailures(deps, agentIds.slice(0, half))
    await computeIsolatingFailures(deps, agentIds.slice(half))
  }
}

/** Computes benchmarks after the last batch. Two workers may both do so, which is idempotent. */
async function endRun(deps: RunDeps, runAt: Date): Promise<void> {
  if ((await createBatchStore(deps.db).count(runAt)) > 0) return
  await deps.directory.computeBenchmarks(deps.clock.now())
}
