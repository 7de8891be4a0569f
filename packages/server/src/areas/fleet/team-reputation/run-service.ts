import { isDatabaseDown, transact } from '../../../kernel/db.ts'
import type { Jobs } from '../../../kernel/jobs.ts'
import { Problem } from '../../../kernel/problem.ts'
import { type ComputeDeps, computeAndPublish, type Trigger } from './compute-service.ts'
import { createTeamScoreStore } from './store.ts'

/** Teams per job: many enough for throughput, few enough to spread over workers. */
const BATCH_MAX = 100

export const BATCH_JOB = 'team_reputation.batch'

export type BatchJob = { after: string }

export type RunDeps = ComputeDeps & {
  jobs: Jobs
  /** Reports a team whose computation failed; its score stays unchanged. */
  onFailed(teamId: string, err: unknown): void
  /** Reports a published score that differs from the recomputed one. */
  onUnverified(teamId: string): void
}

/** Background computations (spec: fleet §4.2). */
export function createRunService(deps: RunDeps) {
  /** Skips archived teams and those whose plan lacks the feature: their score stays unchanged. */
  const compute = async (teamId: string, trigger: Trigger): Promise<void> => {
    const team = await deps.teams.findShown(teamId)
    const isRated =
      team?.status === 'active' && (await deps.plans.includesTeamReputation(team.orgId))
    if (!isRated) {
      // Cleared, so that a later event enqueues a computation again.
      if (trigger === 'event') await createTeamScoreStore(deps.db).setDue(teamId, null)
      return
    }
    try {
      await computeAndPublish(deps, teamId, trigger)
    } catch (err) {
      // The team was archived or erased meanwhile.
      if (!(err instanceof Problem)) throw err
    }
  }
  return {
    computeDue: (teamId: string): Promise<void> => compute(teamId, 'event'),

    startRun: (): Promise<void> =>
      transact(deps.db, (tx) => deps.jobs.enqueue(tx, BATCH_JOB, { after: '' })),

    /** Computes one batch of the run and enqueues the next. */
    async runBatch({ after }: BatchJob): Promise<void> {
      const teamIds = await deps.teams.listActive(after, BATCH_MAX)
      for (const teamId of teamIds) {
        await compute(teamId, 'schedule').catch((err: unknown) => {
          // Not caused by the team: the whole batch is retried later.
          if (isDatabaseDown(err)) throw err
          deps.onFailed(teamId, err)
        })
      }
      const last = teamIds.at(-1)
      if (last === undefined || teamIds.length < BATCH_MAX) return
      await transact(deps.db, (tx) => deps.jobs.enqueue(tx, BATCH_JOB, { after: last }))
    },
  }
}
