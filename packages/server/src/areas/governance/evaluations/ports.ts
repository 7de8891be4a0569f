import type { RawBuilder } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import type { CallTransaction, EffectiveRules } from './call-policy.ts'
import type { TimeRange } from './history-tally.ts'

export type Agents = {
  orgOf(agentId: string): Promise<string | undefined>
  /** An SQL query for the ids that exist; these agents cannot be erased until the statement ends. */
  selectExisting(agentIds: readonly string[]): RawBuilder<{ agent_id: string }>
}

export type Orgs = {
  accountOf(tx: Db, orgId: string): Promise<string | undefined>
}

export type Policies = {
  /** Cached until a change. */
  effectiveRules(orgId: string, agentId: string): Promise<EffectiveRules>
  /** The rules with the document as the agent's policy; throws a Problem if it is invalid. */
  candidate(agent: { orgId: string; agentId: string }, document: unknown): Promise<EffectiveRules>
}

export type Transactions = {
  /** Returns undefined for an unknown transaction or another agent's. */
  forCall(
    orgId: string,
    agentId: string,
    transactionId: string,
  ): Promise<CallTransaction | undefined>
}

export type TracePosition = { traceId: string; occurredAt: Date }

export type Traces = {
  /** The newest trace of the range that comes before its `newestMax` newest. */
  findLeftOut(query: {
    agentId: string
    range: TimeRange
    newestMax: number
  }): Promise<TracePosition | undefined>
  /** Ordered by (timestamp, trace_id), from `after`, else from the start of the range. */
  listToolUse(query: {
    agentId: string
    range: TimeRange
    after: TracePosition | undefined
    countMax: number
  }): Promise<readonly (TracePosition & { sessionId: string; tools: readonly string[] })[]>
}
