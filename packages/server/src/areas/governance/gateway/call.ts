import { canonicalJson } from '@touchstone/protocol/base'
import { sha256Hex } from '@touchstone/protocol/crypto'
import { isToolName } from '@touchstone/protocol/policy'

/** spec: governance §4. */
const ARGUMENTS_BYTES_MAX = 32 * 1024

/** A tool call that somebody is about to make. */
export type GatewayCall = {
  agentId: string
  tool: string
  arguments: Readonly<Record<string, unknown>> | undefined
  sessionId: string | undefined
  transactionId: string | undefined
  escalationId: string | undefined
}

export type CallReading =
  | { ok: true; argumentsHash: string | null }
  | { ok: false; field: 'tool' | 'arguments'; code: 'pattern' | 'too_large'; reason: string }

/**
 * Arguments are measured and hashed in their canonical form, so that neither spaces nor the order
 * of fields make a difference. Nothing else of them is handed on.
 */
export function readCall(call: GatewayCall): CallReading {
  if (!isToolName(call.tool)) {
    const reason = 'must have 1 to 256 characters without white space'
    return { ok: false, field: 'tool', code: 'pattern', reason }
  }
  if (call.arguments === undefined) return { ok: true, argumentsHash: null }
  const text = canonicalJson(call.arguments)
  // No character takes more than three bytes, so that short texts need not be measured.
  if (text.length * 3 > ARGUMENTS_BYTES_MAX && Buffer.byteLength(text) > ARGUMENTS_BYTES_MAX) {
    const reason = `must have at most ${ARGUMENTS_BYTES_MAX} bytes as canonical JSON`
    return { ok: false, field: 'arguments', code: 'too_large', reason }
  }
  return { ok: true, argumentsHash: sha256Hex(text) }
}
