import type {
  CompiledPolicy,
  EvaluationCall,
  MergedPolicy,
  PolicyCard,
  PolicyRules,
  TransactionStatus,
} from '@touchstone/protocol/policy'

/**
 * Everything a decision needs to know of an agent, whatever it calls. Never changed: a change makes
 * a new one. The call itself names the rest: transaction, escalation and session.
 */
export type AgentSnapshot = Readonly<{
  agentId: string
  orgId: string
  isArchived: boolean
  mode: 'observe' | 'nudge' | 'enforce'
  /** Undefined while the agent is active. */
  contained: Contained | undefined
  rules: Rules
  /** Whether any nudge waits to be delivered. */
  hasNudges: boolean
}>

export type Contained = { status: 'paused' | 'killed'; containedAt: Date }

/** The policy and the card that apply to an agent, as far as it has any. */
export type Standing = {
  policy:
    | {
        resolution: {
          policy: MergedPolicy
          source: { policyId: string; version: number }
          enforcedSince: Date | null
        }
        compiled: CompiledPolicy
      }
    | undefined
  card: PolicyCard | undefined
}

/** The rules of an agent, or the failure to read them within the time limit of an evaluation. */
export type Rules =
  | { readable: true; standing: Standing; readMs: number }
  | { readable: false; failOpen: boolean; cause: unknown }

/** Rules that are ready to be evaluated for one call. */
export type Ready = {
  outcome: 'ready'
  holding: {
    compiled: CompiledPolicy
    enforcedSinceMs: number | undefined
    policyId: string | null
    policyVersion: number | null
    transaction: NamedTransaction | undefined
  }
  /** Everything an evaluation needs of the call, except its time. */
  input: Omit<EvaluationCall, 'nowMs'>
  startedMs: number
}

export type Prepared =
  /** No policy at any level, and no transaction. */
  { outcome: 'none' } | { outcome: 'failed'; failOpen: boolean; cause: unknown } | Ready

/** A transaction that a call names. */
export type NamedTransaction = {
  transactionId: string
  status: TransactionStatus
  /** Available to conditions. */
  actionType?: string | undefined
  tools: readonly string[]
  /** Rules that narrow the policies of organisation and agent further. */
  layers: readonly PolicyRules[]
}
