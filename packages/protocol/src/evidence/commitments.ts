import { hashCanonical, sha256Hex } from '../crypto/hash.ts'

/** What an analysis was given, as hashes: provable later, without keeping the texts. */
export type Inputs = {
  thinking_block_hash: string
  /** Null when the checkpoint had no output. */
  output_block_hash: string | null
  card_hash: string
  values_hash: string
  context_hash: string
  model_version: string
  template_version: string
}

export type InputCommitments = Inputs & { combined_commitment: string }

/** A conscience value as the commitment sees it. */
export type CommittedValue = { type: string; name: string; content: string }

/** Named in every record; a change of what the analyser is shown needs another one. */
export const TEMPLATE_VERSION = 'cp-1'

/** The conscience values in the order in which they were resolved, and nothing else of them. */
export function valuesHash(values: readonly CommittedValue[]): string {
  return hashCanonical(values.map(({ content, name, type }) => ({ content, name, type })))
}

/**
 * One hash for all inputs. Two model versions holding `|` could share it, but never a record
 * hash, which covers every field by its name.
 */
export function combinedCommitment(inputs: Inputs): string {
  return sha256Hex(
    [
      inputs.thinking_block_hash,
      inputs.output_block_hash ?? '-',
      inputs.card_hash,
      inputs.values_hash,
      inputs.context_hash,
      inputs.model_version,
      inputs.template_version,
    ].join('|'),
  )
}

export function commitInputs(inputs: Inputs): InputCommitments {
  return {
    card_hash: inputs.card_hash,
    combined_commitment: combinedCommitment(inputs),
    context_hash: inputs.context_hash,
    model_version: inputs.model_version,
    output_block_hash: inputs.output_block_hash,
    template_version: inputs.template_version,
    thinking_block_hash: inputs.thinking_block_hash,
    values_hash: inputs.values_hash,
  }
}
