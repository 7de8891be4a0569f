import { isDatabaseDown, transact } from '../../../kernel/db.ts'
import type { Jobs } from '../../../kernel/jobs.ts'
import { Problem } from '../../../kernel/problem.ts'
import { type ComputeDeps, computeAndPublish, type Occasion } from './compute-service.ts'
import { createTeamScoreStore } from './store.ts'

/** Teams of one job: enough to be quick, few enough that another worker may take the next. */
const BATCH_MAX = 100

export const BATCH_JOB = 'team_reputation.batch'

export type BatchJob = { after: string }

export type RunDeps = ComputeDeps & {
  jobs: Jobs
  /** A team that cannot be computed; its score stays as it was. */
  onFailed(teamId: string, err: unknown): void
  /** A published score that its own evidence does not bear out. */
  onUnverified(teamId: string): void
}

/** Computations that nobody waits for (03 §7.2). */
export function createRunService(deps: RunDeps) {
  /** Archived teams, and those whose organisation lacks the feature, keep the score they have. */
  const compute = async (teamId: string, occasion: Occasion): Promise<void> => {
    const team = await deps.teams.findShown(teamId)
    const isRated =
      team?.status === 'active' && (await deps.plans.includesTeamReputation(team.orgId))
    if (!isRated) {
      // What comes later asks for a computation anew.
      if (occasion === 'due') await createTeamScoreStore(deps.db).setDue(teamId, null)
      return
    }
    try {
      await computeAndPublish(deps, teamId, occasion)
    } catch (err) {
      // Archived or erased since it was looked for.
      if (!(err instanceof Problem)) throw err
    }
  }
  return {
    computeDue: (teamId: string): Promise<void> => compute(teamId, 'due'),

    startRun: (): Promise<void> =>
      transact(deps.db, (tx) => deps.jobs.enqueue(tx, BATCH_JOB, { after: '' })),

    /** One part of the run; it asks for the next. */
    async runBatch({ after }: BatchJob): Promise<void> {
      const teamIds = await deps.teams.listActive(after, BATCH_MAX)
      for (const teamId of teamIds) {
        await compute(teamId, 'run').catch((err: unknown) => {
          // Not the team's fault: the whole part is tried again later.
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
