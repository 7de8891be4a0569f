import type { CompiledPolicy, MergedPolicy, PolicyRules } from '@touchstone/protocol/policy'

export type Agents = {
  orgOf(agentId: string): Promise<string | undefined>
}

/** The policy of an agent, if any. */
export type EffectiveRules = {
  policy: { resolution: { policy: MergedPolicy }; compiled: CompiledPolicy } | undefined
}

export type Policies = {
  /** Cached until a change. */
  effectiveRules(orgId: string, agentId: string): Promise<EffectiveRules>
  /** The rules with the document as the agent's policy; throws a Problem if it is invalid. */
  candidate(agent: { orgId: string; agentId: string }, document: unknown): Promise<EffectiveRules>
  /** The same with the document as the organisation's policy; also returns both documents. */
  orgCandidate(
    orgId: string,
    document: unknown,
  ): Promise<{
    draft: PolicyRules
    current: PolicyRules | undefined
    effectiveRules(agentId: string): Promise<EffectiveRules>
  }>
}

export type ToolUse = {
  traceId: string
  agentId: string
  sessionId: string
  occurredAt: Date
  tools: readonly string[]
}

export type Traces = {
  /** Newest first by (timestamp, trace_id), older than `before`. The end is excluded. */
  listRecentToolUse(query: {
    orgId: string
    agentId: string | undefined
    range: { start: Date; end: Date }
    before: { traceId: string; occurredAt: Date } | undefined
    countMax: number
  }): Promise<readonly ToolUse[]>
}
