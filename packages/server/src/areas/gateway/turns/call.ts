import { canonicalJson } from '@touchstone/protocol/base'
import {
  ARGUMENT_BYTES_MAX,
  blockedText,
  type ToolCall,
  type TurnSummary,
  type Verdict,
} from '@touchstone/protocol/model-wire'
import { isToolName } from '@touchstone/protocol/policy'

const CALL_ID_FORM = /^[\x20-\x7e]{1,128}$/
const NAME_LENGTH_MAX = 256

/** A call of a turn in the form that decisions have. */
export type DecidableCall = {
  call: ToolCall
  tool: string
  callId: string
  arguments: Readonly<Record<string, unknown>> | undefined
  isUnreadable: boolean
}

/**
 * Prepares the calls of a turn. A call without an id, or with one that another call of the turn has,
 * gets `{turn id}-{n}`. Arguments that are no JSON object, and names that no policy could name, are
 * unreadable.
 */
export function decidableCalls(
  calls: readonly ToolCall[],
  turnId: string,
  taken: Set<string>,
): DecidableCall[] {
  return calls.map((call) => {
    const own = call.callId
    const isOwn = own !== undefined && isCallId(own) && !taken.has(own)
    const callId = isOwn ? own : `${turnId}-${call.n}`
    taken.add(callId)
    const args = decidableArguments(call)
    const isNamed = isToolName(call.name)
    return {
      call,
      callId,
      tool: toolOf(call.name),
      arguments: args,
      isUnreadable: args === undefined || !isNamed,
    }
  })
}

/**
 * Undefined if decisions do not accept them: they would reject the turn, which releases all of its calls
 * where the connection fails open. Canonical JSON is longer than 1e20, and has no lone surrogates.
 */
function decidableArguments({ arguments: given }: ToolCall): DecidableCall['arguments'] {
  if (!given.isReadable || !isObject(given.value)) return undefined
  try {
    const text = canonicalJson(given.value)
    return Buffer.byteLength(text) <= ARGUMENT_BYTES_MAX ? given.value : undefined
  } catch {
    return undefined
  }
}

/** Whether a decision can have this id of a call as it is. */
export function isCallId(id: string): boolean {
  return CALL_ID_FORM.test(id)
}

/** The tool by which a call is decided: its name, or the nearest one that policies can name. */
export function toolOf(name: string): string {
  if (isToolName(name)) return name
  const near = name.replace(/[\s\p{Cc}\p{Cs}]/gu, '_').slice(0, NAME_LENGTH_MAX)
  return isToolName(near) ? near : 'unnamed_tool'
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The decision about a call, once it stands. */
export type JudgedCall = {
  n: number
  tool: string
  arguments: Readonly<Record<string, unknown>> | undefined
  decision: 'allow' | 'warn' | 'block' | 'escalate'
  /** Undefined if no record may name the decision: it is not stored yet, or was made before. */
  decisionId: string | undefined
  isLetThrough: boolean
  /** Replaces the call if it is not let through. */
  text: string
}

/** The text that replaces a call which was not let through. */
export function refusalText(refused: {
  tool: string
  decisionId: string
  message: string | undefined
  /** Set if a person can still approve the call. */
  approveUrl: string | undefined
}): string {
  const { tool, decisionId, approveUrl } = refused
  const reason = refused.message ?? 'The call is not allowed'
  const message =
    approveUrl === undefined ? reason : `${reason}. It needs an approval: ${approveUrl}`
  return blockedText({ tool, message, decisionId })
}

/** The form in which the wire takes a decision. */
export function verdictOf({ n, isLetThrough, text }: JudgedCall): Verdict {
  return isLetThrough ? { n, isReleased: true } : { n, isReleased: false, text }
}

/** A turn that has ended. */
export type EndedTurn = {
  summary: TurnSummary
  judged: readonly JudgedCall[]
  /** Its calls were released undecided, because the gateway failed. */
  isUngoverned: boolean
}
