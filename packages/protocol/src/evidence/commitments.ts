import { hashCanonical, sha256Hex } from '../crypto/hash.ts'

/** The inputs of an analysis as hashes: provable later without storing the texts. */
export type Inputs = {
  thinking_block_hash: string
  /** Null if the checkpoint has no output. */
  output_block_hash: string | null
  card_hash: string
  values_hash: string
  context_hash: string
  model_version: string
  template_version: string
}

export type InputCommitments = Inputs & { combined_commitment: string }

/** The fields of a conscience value that are committed to. */
export type CommittedValue = { type: string; name: string; content: string }

/** Part of every record; must change whenever the analyser's prompt changes. */
export const TEMPLATE_VERSION = 'cp-1'

/** Hashes only these fields of the conscience values, in the order in which they were resolved. */
export function valuesHash(values: readonly CommittedValue[]): string {
  return hashCanonical(values.map(({ content, name, type }) => ({ content, name, type })))
}

/**
 * One hash for all inputs. Two model versions containing `|` could collide here, but not in the
 * record hash, which covers every field by name.
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
