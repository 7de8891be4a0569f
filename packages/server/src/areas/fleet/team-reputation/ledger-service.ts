import type { RiskLevel } from '@touchstone/protocol/risk'
import { teamChainHash } from '@touchstone/protocol/teams'
import { type Clock, DAY_MS, HOUR_MS, later, SECOND_MS } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { Jobs } from '../../../kernel/jobs.ts'
import { createChainStore } from './chain-store.ts'
import { createTeamScoreStore, type TeamStanding } from './store.ts'

/** Assessments counted per team and day (spec: risk §2.1); further ones are stored but do not count. */
const PER_DAY_MAX = 100

/** Batches events, so that one computation covers them within 60 seconds (spec: fleet §4.2). */
const WINDOW_MS = 45 * SECOND_MS

/** A computation this long overdue was lost with its job, and is enqueued again. */
const LOST_MS = HOUR_MS

export const COMPUTE_JOB = 'team_reputation.compute'

export type LedgerDeps = { clock: Clock; jobs: Jobs }

/** A stored team assessment that is linked to a team; coherence and risk in millionths. */
export type TeamAssessment = {
  teamId: string
  assessmentId: string
  createdAt: Date
  coherence: number
  structuralRisk: number
  level: RiskLevel
}

export type AssessmentLedger = ReturnType<typeof createAssessmentLedger>

/** The chain of counted assessments; enqueues a computation after each event. */
export function createAssessmentLedger({ clock, jobs }: LedgerDeps) {
  const requestLocked = async (tx: Db, teamId: string, { dueAt }: TeamStanding): Promise<void> => {
    const now = clock.now()
    if (dueAt !== null && dueAt > later(now, -LOST_MS)) return
    const runAt = later(now, WINDOW_MS)
    await createTeamScoreStore(tx).setDue(teamId, runAt)
    await jobs.enqueue(tx, COMPUTE_JOB, { team_id: teamId }, runAt)
  }
  return {
    /** Called in the transaction that stores the assessment; appends it to the team's chain. False if the daily limit is reached. */
    async append(tx: Db, { teamId, ...given }: TeamAssessment): Promise<boolean> {
      const standing = await createTeamScoreStore(tx).lock(teamId)
      const chain = createChainStore(tx)
      const day = dayOf(given.createdAt)
      if ((await chain.countBetween(teamId, day, later(day, DAY_MS))) >= PER_DAY_MAX) return false
      const assessment = { ...given, createdAt: given.createdAt.toISOString() }
      const position = standing.chainLength + 1
      const hash = teamChainHash(assessment, standing.chainHead ?? undefined)
      await chain.append(teamId, { position, assessment, hash })
      await createTeamScoreStore(tx).setChain(teamId, {
        length: position,
        head: hash,
        lastAssessedAt: given.createdAt,
      })
      await requestLocked(tx, teamId, standing)
      return true
    },

    /** Called in the transaction of a roster change. */
    async rosterChanged(tx: Db, teamId: string): Promise<void> {
      await requestLocked(tx, teamId, await createTeamScoreStore(tx).lock(teamId))
    },
  }
}

function dayOf(time: Date): Date {
  return new Date(time.getTime() - (time.getTime() % DAY_MS))
}
