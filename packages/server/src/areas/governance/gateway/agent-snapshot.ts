import type {
  CompiledPolicy,
  EvaluationCall,
  LayerName,
  MergedPolicy,
  PolicyCard,
  PolicyRules,
  TransactionStatus,
} from '@touchstone/protocol/policy'

/**
 * Everything a decision needs to know about an agent, whichever tool it calls. Immutable: a change
 * produces a new snapshot. Transaction, escalation and session come from the call.
 */
export type AgentSnapshot = Readonly<{
  agentId: string
  orgId: string
  isArchived: boolean
  mode: 'observe' | 'nudge' | 'enforce'
  /** Undefined while the agent is active. */
  contained: Contained | undefined
  rules: Rules
  /** Whether any nudge is waiting for delivery. */
  hasNudges: boolean
  /** MCP tools whose definition changed and was not accepted, by their names in policies. */
  changedTools: ReadonlySet<string>
}>

export type Contained = { status: 'paused' | 'killed'; containedAt: Date }

/** The policy of an agent and the card it is checked against, if there are any. */
export type EffectiveRules = {
  policy:
    | {
        resolution: {
          policy: MergedPolicy
          source: { policyId: string; version: number }
          enforcedSince: Date | null
          /** When a layer of the policy last changed. */
          changedAt: Date
        }
        compiled: CompiledPolicy
      }
    | undefined
  card: PolicyCard | undefined
}

/** The rules of an agent, or the failure to read them within the time limit of an evaluation. */
export type Rules =
  | { readable: true; effective: EffectiveRules; readMs: number }
  | { readable: false; failOpen: boolean; cause: unknown }

/** Rules that are ready to be evaluated for one call. */
export type Ready = {
  outcome: 'ready'
  callPolicy: {
    compiled: CompiledPolicy
    enforcedSinceMs: number | undefined
    policyId: string | null
    policyVersion: number | null
    transaction: CallTransaction | undefined
  }
  /** Everything an evaluation needs to know about the call, except its time. */
  input: Omit<EvaluationCall, 'nowMs'>
  startedMs: number
}

export type Prepared =
  /** No policy at any level, and no transaction. */
  { outcome: 'none' } | { outcome: 'failed'; failOpen: boolean; cause: unknown } | Ready

/** The transaction that a call names. */
export type CallTransaction = {
  transactionId: string
  status: TransactionStatus
  /** Available to conditions. */
  actionType?: string | undefined
  tools: readonly string[]
  /** Rules that narrow the policies of organisation and agent further. */
  layers: readonly PolicyRules[]
  /** By which reports name the limits and flows of the layers. */
  layerNames?: readonly LayerName[]
}
