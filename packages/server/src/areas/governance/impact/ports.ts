import type {
  CompiledPolicy,
  MergedPolicy,
  ObservedDecision,
  ObservedTrace,
  PolicyCard,
  PolicyDocument,
  PolicyRules,
} from '@touchstone/protocol/policy'

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

export type Layers = {
  /** The current documents and the card they are checked against. */
  layersOf(agent: { orgId: string; agentId: string }): Promise<{
    org: PolicyDocument | undefined
    agent: PolicyDocument | undefined
    card: PolicyCard | undefined
  }>
}

export type Sessions = {
  /** Sessions with a checkpoint since then, and with a boundary violation or an open alert. */
  flaggedSessions(agentId: string, since: Date, limit: number): Promise<readonly string[]>
}

/** Equal calls of one tool, counted. */
type Counted = { tool: string; count: number; first: Date; last: Date; newestId: string }

type CountQuery = {
  agentId: string
  /** Excludes its end. */
  range: { start: Date; end: Date }
  /** Their calls are counted apart. */
  flaggedSessions: readonly string[]
  groupsMax: number
}

export type DecisionUses = {
  count(query: CountQuery & { orgId: string }): Promise<readonly (ObservedDecision & Counted)[]>
}

export type TraceUses = {
  countToolUse(query: CountQuery & { tracesMax: number }): Promise<{
    /** Traces of the range, at most `tracesMax`. */
    traces: number
    uses: readonly (ObservedTrace & Counted & { actionName: string })[]
  }>
}
