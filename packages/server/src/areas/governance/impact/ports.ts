import type { CompiledPolicy, MergedPolicy, PolicyRules } from '@touchstone/protocol/policy'

export type Agents = {
  orgOf(agentId: string): Promise<string | undefined>
}

/** What an agent is held to, if anything. */
export type Standing = {
  policy: { resolution: { policy: MergedPolicy }; compiled: CompiledPolicy } | undefined
}

export type Policies = {
  /** From memory, unless something changed. */
  standing(orgId: string, agentId: string): Promise<Standing>
  /** As if the document were the agent's policy; throws a Problem naming its faults. */
  candidate(agent: { orgId: string; agentId: string }, document: unknown): Promise<Standing>
  /** The same for the organisation's, agent by agent; with both documents alone. */
  orgCandidate(
    orgId: string,
    document: unknown,
  ): Promise<{
    draft: PolicyRules
    current: PolicyRules | undefined
    standing(agentId: string): Promise<Standing>
  }>
}

export type ToolUse = {
  traceId: string
  agentId: string
  occurredAt: Date
  tools: readonly string[]
}

export type Traces = {
  /** Newest first by (timestamp, trace_id); those before the given one. The end is left out. */
  listRecentToolUse(wanted: {
    orgId: string
    agentId: string | undefined
    range: { start: Date; end: Date }
    before: { traceId: string; occurredAt: Date } | undefined
    countMax: number
  }): Promise<readonly ToolUse[]>
}
