import type { AlignmentCard } from '@touchstone/protocol/cards'
import type { Severity } from '@touchstone/protocol/policy'
import type { PairScore, reportTeam, TeamReport } from '@touchstone/protocol/risk'
import type { ComponentScores } from '@touchstone/protocol/score'
import type { Db } from '../../../kernel/db.ts'

export type Agents = {
  /** Those of them that there are, whosever they are. */
  standings(agentIds: readonly string[]): Promise<
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
  /** Those that are still there; they stay until the transaction ends. */
  keep(tx: Db, agentIds: readonly string[]): Promise<readonly string[]>
}

export type Cards = {
  declared(
    wanted: readonly { agentId: string; version: number }[],
  ): Promise<ReadonlyMap<string, AlignmentCard>>
}

export type Checkpoints = {
  conduct(
    agentIds: readonly string[],
    span: { now: Date; violationDays: number; dateDays: number; criticalDays: number },
  ): Promise<
    readonly {
      agentId: string
      scored: number
      /** Hex. */
      root: string | null
      violations: readonly { severity: Severity; timestampMs: number }[]
      violationDates: readonly string[]
    }[]
  >
}

export type Scores = {
  /** Published or, where nothing is, as computed now; agents without checkpoints are left out. */
  standings(
    agentIds: readonly string[],
    now: Date,
  ): Promise<ReadonlyMap<string, { score: number | null; components: ComponentScores }>>
}

type Use = { orgId: string; meter: 'risk_assessment' | 'team_risk_assessment'; amount: number }

export type Meters = {
  /** Whether use ends with what the plan includes. */
  isCapped(orgId: string, meter: Use['meter']): Promise<boolean>
  record(tx: Db, use: Use): Promise<void>
  /** Throws once what is included is spent. */
  recordCapped(tx: Db, use: Use): Promise<void>
}

export type LinkedTeam = {
  teamId: string
  /** By when they were added, then by id. */
  agentIds: readonly string[]
  /** The active one of the team itself. */
  card: AlignmentCard | null
}

export type Teams = {
  /** An active team of the organisation. */
  find(team: { orgId: string; teamId: string }): Promise<LinkedTeam | undefined>
  /** The oldest active team of the organisation with exactly these members, in whatever order. */
  findByRoster(roster: {
    orgId: string
    agentIds: readonly string[]
  }): Promise<LinkedTeam | undefined>
  /** Whether the team is active and has exactly these members; it stays so until the end. */
  hold(tx: Db, roster: { teamId: string; agentIds: readonly string[] }): Promise<boolean>
}

/** A stored assessment that is linked to a team; micro units. */
export type LinkedAssessment = {
  orgId: string
  teamId: string
  assessmentId: string
  createdAt: Date
  coherence: number
  structuralRisk: number
  level: TeamReport['risk']['level']
}

/** In the transaction that stores the assessment of a team. */
export type TeamReputation = {
  /** Every linked assessment. */
  count(tx: Db, assessment: LinkedAssessment): Promise<unknown>
}

/** In the transaction that stores the assessment of a team. */
export type Coherence = {
  /** Every pair of members with cards, linked or not. */
  record(tx: Db, pairs: readonly PairScore[], at: Date): Promise<void>
}

export type ProofState = {
  proofId: string
  status: 'pending' | 'proving' | 'verified' | 'failed'
}

export type Proofs = {
  newProofId(): string
  /** In the transaction that stores the assessments. */
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
  /** By assessment; those without a proof are left out. */
  statesOf(assessmentIds: readonly string[]): Promise<ReadonlyMap<string, ProofState>>
}

export type Workers = {
  /** Beside the event loop. */
  reportTeam(given: Parameters<typeof reportTeam>[0]): Promise<TeamReport>
}
