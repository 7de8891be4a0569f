import type { AgentBrief, Rating, Status } from './standing.ts'

/** Archived agents only if the status asks for them. */
export type AgentFilter = { q: string | undefined; status: Status | undefined }

export type Agents = {
  /** Newest first. */
  listBriefs(
    orgId: string,
    filter: AgentFilter & { visibility: undefined },
    limit: number,
  ): Promise<AgentBrief[]>
}

export type Interval = 'minute' | 'hour' | 'day'

export type CountedRange = { interval: Interval; from: Date | undefined; to: Date | undefined }

export type Decisions = {
  /** The blocked calls by agent, and the whole intervals that were counted. */
  blockedByAgent(
    orgId: string,
    range: CountedRange,
  ): Promise<{ from: Date; to: Date; counts: ReadonlyMap<string, number> }>
}

export type Checkpoints = {
  countViolations(
    agentIds: readonly string[],
    range: { from: Date; to: Date },
  ): Promise<ReadonlyMap<string, number>>
}

export type Drift = { countOpen(agentIds: readonly string[]): Promise<ReadonlyMap<string, number>> }

export type Scores = {
  /** Agents whose score was never computed are left out. */
  ratings(agentIds: readonly string[]): Promise<ReadonlyMap<string, Rating>>
  /** The latest weekly scores, oldest first. */
  recentWeeks(
    agentIds: readonly string[],
    weeksMax: number,
  ): Promise<ReadonlyMap<string, readonly number[]>>
}

/** Whether an organisation has done the steps that set it up. */
export type SetupReads = {
  hasAgent(orgId: string): Promise<boolean>
  hasDecision(orgId: string): Promise<boolean>
  hasPolicy(orgId: string): Promise<boolean>
  /** Another member, or somebody who is invited. */
  hasColleague(orgId: string): Promise<boolean>
  hasWebhook(orgId: string): Promise<boolean>
}
