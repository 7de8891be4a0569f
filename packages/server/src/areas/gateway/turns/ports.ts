import type { RecordSource } from '@touchstone/protocol/evidence'
import type { WireFormat } from '@touchstone/protocol/model-wire'
import type { CallDecision } from '@touchstone/protocol/policy'
import type { RawBuilder } from 'kysely'
import type { ModelConnection } from '../../../model-turn.ts'

export type Org = { orgId: string; accountId: string }

export type AgentMode = 'observe' | 'nudge' | 'enforce'

export type Agents = {
  findKnown(
    agentId: string,
  ): Promise<{ orgId: string; status: string; enforcementMode: AgentMode } | undefined>
  /** Selects those of the agents that are not erased, as a subquery with the column `agent_id`. */
  selectExisting(agentIds: readonly string[]): RawBuilder<{ agent_id: string }>
}

/** A turn can end after its agent was erased; nothing is stored of it then. */
export type SelectExisting = Agents['selectExisting']

export type Containment = {
  stateOf(agentId: string): Promise<{ status: 'active' } | { status: 'paused' | 'killed' }>
}

/** A tool call in a turn of the model. */
export type GatewayCall = {
  agentId: string
  tool: string
  arguments: Readonly<Record<string, unknown>> | undefined
  justification: undefined
  sessionId: string
  callId: string
  transactionId: undefined
  escalationId: string | undefined
  turn: { isHeld: boolean; isUnreadable: boolean }
}

export type Decider = {
  /** Decides several calls and stores the decisions in one transaction, before it resolves. */
  decideAll(
    org: Org,
    calls: readonly GatewayCall[],
    caller: {
      askedBy: string
      isBound: true
      source: 'model_gateway'
      enforced: boolean
      client: string | null
    },
    reachesAgent: (agentId: string) => boolean,
  ): Promise<
    PromiseSettledResult<{
      decisionId: string
      result: { decision: CallDecision; escalationId: string | null }
      isRecorded: boolean
      isReplayed: boolean
    }>[]
  >
}

export type Approvals = {
  approveUrl(escalationId: string): string
  /**
   * Resolves after a change, at once if the escalation has ended or too many requests wait, or after
   * the given time. True once it is approved, undefined while it is pending.
   */
  awaitAnswer(
    escalationId: string,
    limits: { waitMs: number; signal: AbortSignal },
  ): Promise<boolean | undefined>
}

export type Holds = {
  hasNudges(agentId: string, now: Date): Promise<boolean>
  /** Returns the waiting nudges and marks them as delivered. */
  takeNudges(call: {
    agentId: string
    sessionId: string | undefined
    now: Date
  }): Promise<readonly { nudgeId: string; message: string }[]>
  /** Marks nudges of the agent as not delivered. */
  giveBack(agentId: string, nudgeIds: readonly string[]): Promise<void>
}

export type Outcomes = {
  report(
    org: Org,
    session: { agentId: string; sessionId: string; connectionId: string },
    results: readonly { callId: string | undefined; tool: string | undefined; isFailed: boolean }[],
  ): Promise<void>
}

export type Submission = {
  agentId: string
  checkpointId: string | undefined
  sessionId: string
  timestamp: undefined
  provider: string
  model: string | undefined
  extractionMethod: 'native_thinking' | 'reasoning_content' | undefined
  thinking: string | undefined
  isThinkingWithheld: boolean
  isUngoverned: boolean
  isByRules: boolean
  output: string | undefined
  actions: readonly string[]
  context: Readonly<Record<string, unknown>>
  taskContext: undefined
  traceId: undefined
  decisionIds: readonly string[]
}

export type IngestOutcome = { ok: true } | { ok: false; problem: Error }

export type Checkpoints = {
  /** Stores submissions in the order given. Rejects only if none could be stored. */
  ingestAll(
    org: Org & { sentBy: string },
    delivery: { given: readonly Submission[]; source: RecordSource },
  ): Promise<readonly IngestOutcome[]>
  /** Analyses without storing. */
  dryRun(
    org: Org & { sentBy: string },
    submission: Submission,
    source: RecordSource,
  ): Promise<{ checkpoint: { verdict: string } }>
}

/** The facts about a turn that are known before the provider is asked. */
export type TurnFacts = {
  turnId: string
  org: Org
  agentId: string
  agentMode: AgentMode
  sessionId: string
  connection: ModelConnection
  wire: WireFormat
  /** As the client asked for it. */
  requestedModel: string
  /** False if the request does not say, or cannot be read: then every budget applies. */
  isModelNamed: boolean
  client: string | null
  isStreamAsked: boolean
  /** The response or conversation that the provider keeps and the request continues. */
  conversation: string | undefined
  /** Settles once the outcomes in the request are stored; never rejects. */
  outcomesReported: Promise<void>
}
