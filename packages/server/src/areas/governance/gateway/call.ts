import { canonicalJson } from '@touchstone/protocol/base'
import { sha256Hex } from '@touchstone/protocol/crypto'
import { isToolName } from '@touchstone/protocol/policy'

/** spec: decisions §4. */
const ARGUMENTS_BYTES_MAX = 1024 * 1024

/** A tool call that an agent wants to make. */
export type GatewayCall = {
  agentId: string
  tool: string
  arguments: Readonly<Record<string, unknown>> | undefined
  /** The agent's own words about why it makes the call. */
  justification: string | undefined
  sessionId: string | undefined
  /** The caller's own id of the call. */
  callId: string | undefined
  transactionId: string | undefined
  escalationId: string | undefined
  /** Set for a call in a turn of the model that the model gateway read. */
  turn?: CallInTurn | undefined
}

/** Such a call is judged with its turn; nudges wait for the agent's next request to the model. */
export type CallInTurn = {
  /** The analysis of the turn found a violation. */
  isHeld: boolean
  /** The arguments are too long or no JSON object. */
  isUnreadable: boolean
}

export type CallValidation =
  | { ok: true; argumentsHash: string | null }
  | { ok: false; field: 'tool' | 'arguments'; code: 'pattern' | 'too_large'; reason: string }

/**
 * Validates the call and hashes its arguments. Size and hash are those of the canonical form, so
 * white space and field order make no difference. Only the hash leaves this function.
 */
export function validateCall(call: GatewayCall): CallValidation {
  if (!isToolName(call.tool)) {
    const reason = 'must be 1 to 256 characters without white space'
    return { ok: false, field: 'tool', code: 'pattern', reason }
  }
  if (call.arguments === undefined) return { ok: true, argumentsHash: null }
  const text = canonicalJson(call.arguments)
  // A UTF-16 code unit takes at most three bytes in UTF-8, so short texts need no byte count.
  if (text.length * 3 > ARGUMENTS_BYTES_MAX && Buffer.byteLength(text) > ARGUMENTS_BYTES_MAX) {
    const reason = `must be at most ${ARGUMENTS_BYTES_MAX} bytes as canonical JSON`
    return { ok: false, field: 'arguments', code: 'too_large', reason }
  }
  return { ok: true, argumentsHash: sha256Hex(text) }
}
