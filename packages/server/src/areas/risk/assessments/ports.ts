import type { AlignmentCard } from '@touchstone/protocol/cards'
import type { Severity } from '@touchstone/protocol/policy'
import type { PairScore, reportTeam, TeamReport } from '@touchstone/protocol/risk'
import type { ComponentScores } from '@touchstone/protocol/score'
import type { Db } from '../../../kernel/db.ts'

export type Agents = {
  /** Agents of any organisation; skips ids without an agent. */
  listStates(agentIds: readonly string[]): Promise<
    readonly {
      agentId: string
      orgId: string
      visibility: 'public' | 'unlisted' | 'private'
      archived: boolean
      contained: boolean
      cardVersion: number
    }[]
  >
  orgsOf(db: Db, agentIds: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Locks the agents that exist until the transaction ends, and returns their ids. */
  lockExisting(tx: Db, agentIds: readonly string[]): Promise<readonly string[]>
}

export type Cards = {
  declared(
    wanted: readonly { agentId: string; version: number }[],
  ): Promise<ReadonlyMap<string, AlignmentCard>>
}

export type Checkpoints = {
  /** Skips unknown agents. */
  checkpointHistory(
    agentIds: readonly string[],
    window: {
      now: Date
      /** How many days back `violations` reaches. */
      violationDays: number
      /** How many days back `violationDates` reaches. */
      violationDateDays: number
      /** The latest critical violation of these days is listed even if `violations` is cut. */
      criticalDays: number
    },
  ): Promise<
    readonly {
      agentId: string
      /** Checkpoints that count towards the score. */
      scoredCount: number
      /** Hex root over all analysed checkpoints; null if there are none. */
      root: string | null
      violations: readonly { severity: Severity; timestampMs: number }[]
      /** UTC dates with a violation. */
      violationDates: readonly string[]
    }[]
  >
}

export type Scores = {
  /** The published score, or else one computed now; agents without checkpoints are left out. */
  currentScores(
    agentIds: readonly string[],
    now: Date,
  ): Promise<ReadonlyMap<string, { score: number | null; components: ComponentScores }>>
}

type MeteredUse = {
  orgId: string
  meter: 'risk_assessment' | 'team_risk_assessment'
  amount: number
}

export type Meters = {
  /** Whether the plan rejects use beyond its allowance. */
  isCapped(orgId: string, meter: MeteredUse['meter']): Promise<boolean>
  record(tx: Db, use: MeteredUse): Promise<void>
  /** Throws once the allowance is used up. */
  recordCapped(tx: Db, use: MeteredUse): Promise<void>
}

export type LinkedTeam = {
  teamId: string
  /** Ordered by the time of addition, then by id. */
  agentIds: readonly string[]
  /** The active card of the team. */
  card: AlignmentCard | null
}

export type Teams = {
  /** An active team of the organisation. */
  find(team: { orgId: string; teamId: string }): Promise<LinkedTeam | undefined>
  /** The oldest active team of the organisation with exactly these members, in any order. */
  findByRoster(roster: {
    orgId: string
    agentIds: readonly string[]
  }): Promise<LinkedTeam | undefined>
  /** Locks the team until the transaction ends; false unless active with exactly these members. */
  lock(tx: Db, roster: { teamId: string; agentIds: readonly string[] }): Promise<boolean>
}

/** A stored assessment that is linked to a team; numbers are in millionths. */
export type LinkedAssessment = {
  orgId: string
  teamId: string
  assessmentId: string
  createdAt: Date
  coherence: number
  structuralRisk: number
  level: TeamReport['risk']['level']
}

/** Called in the transaction that stores the assessment of a team. */
export type TeamReputation = {
  /** Appends the assessment to the team's chain. */
  append(tx: Db, assessment: LinkedAssessment): Promise<unknown>
}

/** Called in the transaction that stores the assessment of a team. */
export type Coherence = {
  /** Called with every pair of members that have cards, linked to a team or not. */
  record(tx: Db, pairs: readonly PairScore[], asking: { orgId: string }): Promise<void>
}

export type ProofState = {
  proofId: string
  status: 'pending' | 'proving' | 'verified' | 'failed'
}

export type Proofs = {
  newProofId(): string
  /** Called in the transaction that stores the assessments. */
  request(
    tx: Db,
    requests: readonly {
      proofId: string
      assessmentId: string
      orgId: string
      agentId: string
      counterpartyId: string | null
      createdAt: Date
    }[],
  ): Promise<void>
  /** By assessment; assessments without a proof are left out. */
  statesOf(assessmentIds: readonly string[]): Promise<ReadonlyMap<string, ProofState>>
}

export type Workers = {
  /** Runs on a worker thread. */
  reportTeam(given: Parameters<typeof reportTeam>[0]): Promise<TeamReport>
}
