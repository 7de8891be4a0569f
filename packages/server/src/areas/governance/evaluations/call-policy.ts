import {
  type CompiledPolicy,
  compilePolicy,
  type LayerName,
  type MergedPolicy,
  mergeTransaction,
  type PolicyCard,
  type PolicyRules,
  type TransactionStatus,
} from '@touchstone/protocol/policy'

/** The policy of an agent and the card it is checked against, if there are any. */
export type EffectiveRules = {
  policy:
    | {
        resolution: {
          policy: MergedPolicy
          /** The document that results are reported under. */
          source: { policyId: string; version: number }
          enforcedSince: Date | null
          changedAt: Date
        }
        compiled: CompiledPolicy
      }
    | undefined
  card: PolicyCard | undefined
}

/** The transaction that a call names. */
export type CallTransaction = {
  transactionId: string
  status: TransactionStatus
  /** Available to conditions. */
  actionType?: string | undefined
  tools: readonly string[]
  /** Policies of teams by team id, then its own; without those of organisation and agent. */
  layers: readonly PolicyRules[]
  /** By which reports name the limits and flows of the layers. */
  layerNames?: readonly LayerName[]
}

/** The compiled policy that a call is evaluated against. */
export type CallPolicy = {
  compiled: CompiledPolicy
  enforcedSinceMs: number | undefined
  /** Null if only a transaction applies. */
  policyId: string | null
  policyVersion: number | null
  transaction: CallTransaction | undefined
}

/**
 * Returns undefined without policy and transaction. The layers of a transaction are merged with the
 * current policy, so a rule that is newer than the transaction applies to it as well.
 */
export function callPolicyOf(
  { policy, card }: EffectiveRules,
  transaction: CallTransaction | undefined,
): CallPolicy | undefined {
  if (transaction === undefined && policy === undefined) return undefined
  const resolved = policy?.resolution
  const narrow = (of: CallTransaction): CompiledPolicy => {
    const { transactionId, tools, layers, layerNames } = of
    const merged = mergeTransaction({
      transactionId,
      tools,
      teams: layers,
      teamNames: layerNames,
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

/** Coverage is computed without the transaction; this stands in if there is no policy. */
const NO_RULES: PolicyRules = {
  capability_mappings: {},
  forbidden: [],
  escalation_triggers: [],
  defaults: {},
}
