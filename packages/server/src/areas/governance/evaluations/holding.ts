import {
  type CompiledPolicy,
  compilePolicy,
  type MergedPolicy,
  mergeTransaction,
  type PolicyCard,
  type PolicyRules,
  type TransactionStatus,
} from '@touchstone/protocol/policy'

/** What an agent is held to, and against what, as far as there is any. */
export type Standing = {
  policy:
    | {
        resolution: {
          policy: MergedPolicy
          /** The document that results are reported under. */
          source: { policyId: string; version: number }
          enforcedSince: Date | null
        }
        compiled: CompiledPolicy
      }
    | undefined
  card: PolicyCard | undefined
}

/** A transaction as a call names it. */
export type NamedTransaction = {
  transactionId: string
  status: TransactionStatus
  /** Conditions may ask for it. */
  actionType?: string | undefined
  tools: readonly string[]
  /** Policies of teams by team id, then its own; without those of organisation and agent. */
  layers: readonly PolicyRules[]
}

/** What a call is held to, ready to be evaluated. */
export type Holding = {
  compiled: CompiledPolicy
  enforcedSinceMs: number | undefined
  /** Null where a transaction is all that holds. */
  policyId: string | null
  policyVersion: number | null
  transaction: NamedTransaction | undefined
}

/**
 * Nothing without policy and transaction. Layers of a transaction are merged again for each call,
 * so a rule that came after it binds it as well.
 */
export function holdingOf(
  { policy, card }: Standing,
  transaction: NamedTransaction | undefined,
): Holding | undefined {
  if (transaction === undefined && policy === undefined) return undefined
  const resolved = policy?.resolution
  const narrow = ({ transactionId, tools, layers }: NamedTransaction): CompiledPolicy => {
    const merged = mergeTransaction({
      transactionId,
      tools,
      teams: layers,
      resolved: resolved?.policy,
    })
    const unnarrowed = resolved?.policy ?? NO_RULES
    return compilePolicy({ policy: merged.policy, card, unnarrowed })
  }
  const compiled = transaction === undefined ? policy?.compiled : narrow(transaction)
  return (
    compiled && {
      compiled,
      enforcedSinceMs: resolved?.enforcedSince?.getTime(),
      policyId: resolved?.source.policyId ?? null,
      policyVersion: resolved?.source.version ?? null,
      transaction,
    }
  )
}

/** Coverage is taken from the policy without the transaction, be there none. */
const NO_RULES: PolicyRules = {
  capability_mappings: {},
  forbidden: [],
  escalation_triggers: [],
  defaults: {},
}
