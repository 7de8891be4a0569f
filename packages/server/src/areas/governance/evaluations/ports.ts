import type { RawBuilder } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import type { TimeRange } from './history-tally.ts'
import type { NamedTransaction, Standing } from './holding.ts'

export type Agents = {
  orgOf(agentId: string): Promise<string | undefined>
  /** As part of a statement: those of them that are there, and none is erased before its end. */
  keeping(agentIds: readonly string[]): RawBuilder<{ agent_id: string }>
}

export type Orgs = {
  accountOf(tx: Db, orgId: string): Promise<string | undefined>
}

export type Policies = {
  /** From memory, unless something changed. */
  standing(orgId: string, agentId: string): Promise<Standing>
  /** As if the document were the agent's policy; throws a Problem naming its faults. */
  candidate(agent: { orgId: string; agentId: string }, document: unknown): Promise<Standing>
}

export type Transactions = {
  /** Undefined when it is unknown or another agent's. */
  forCall(
    orgId: string,
    agentId: string,
    transactionId: string,
  ): Promise<NamedTransaction | undefined>
}

export type TracePlace = { traceId: string; occurredAt: Date }

export type Traces = {
  /** The newest trace of the range that is not among its so many newest. */
  findLeftOut(wanted: {
    agentId: string
    range: TimeRange
    newestMax: number
  }): Promise<TracePlace | undefined>
  /** By (timestamp, trace_id); those after the given one, or from the start on. */
  listToolUse(wanted: {
    agentId: string
    range: TimeRange
    after: TracePlace | undefined
    countMax: number
  }): Promise<readonly (TracePlace & { tools: readonly string[] })[]>
}
