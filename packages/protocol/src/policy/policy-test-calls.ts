import { isJsonObject, type JsonObject, pointer, type Shape } from '../base/shape.ts'
import type { ApprovalBlock } from './approval-rule.ts'
import { DECISIONS, type Decision } from './decide.ts'
import { isToolName } from './glob.ts'
import { checkApproval } from './session-rule-shape.ts'

/** A call of a test case that is about a session, and what must be decided about it. */
export type TestCall = {
  tool: string
  args: Readonly<Record<string, unknown>> | undefined
  /** Null for a call without a session. */
  sessionId: string | null
  /** Undefined for the time of the call before. */
  nowMs: number | undefined
  decision: Decision
  /** All codes of reasons, in any order. */
  codes: readonly string[] | undefined
  /** The approval that a rule must require, by the fields that matter to the author. */
  approval: ApprovalBlock | undefined
}

const CALLS_MAX = 1000
const CALL_FIELDS = ['tool', 'args', 'session', 'now', 'decision', 'codes', 'approval']
const SESSION = 'session'

export function readCalls(shape: Shape, path: string, input: unknown): readonly TestCall[] {
  const items = shape.array(path, input, { min: 1, max: CALLS_MAX })
  return items.flatMap((item, index) => {
    const at = pointer(path, index)
    const given = shape.closedObject(at, item, CALL_FIELDS)
    return given === undefined ? [] : [readCall(shape, at, given)]
  })
}

/**
 * Every field is checked; if one is wrong, the file has faults and the call is not used. So the casts
 * are safe.
 */
function readCall(shape: Shape, path: string, given: JsonObject): TestCall {
  const { tool, args, session = SESSION, now, decision, codes, approval } = given
  if (typeof tool !== 'string' || !isToolName(tool)) {
    const message = 'must be a tool name: 1 to 256 characters without white space'
    shape.fail(`${path}/tool`, tool === undefined ? 'required' : 'pattern', message)
  }
  if (args !== undefined) shape.object(`${path}/args`, args)
  if (session !== null) shape.text(`${path}/session`, session, { min: 1, max: 128 })
  shape.oneOf(`${path}/decision`, decision, DECISIONS)
  if (approval !== undefined) checkApproval(shape, `${path}/approval`, approval)
  return {
    tool: String(tool),
    args: isJsonObject(args) ? args : undefined,
    sessionId: session === null ? null : String(session),
    nowMs: now === undefined ? undefined : shape.instant(`${path}/now`, now)?.getTime(),
    decision: decision as Decision,
    codes: codes === undefined ? undefined : readCodes(shape, `${path}/codes`, codes),
    approval: approval as ApprovalBlock | undefined,
  }
}

function readCodes(shape: Shape, path: string, input: unknown): string[] {
  return shape.array(path, input, {}).map((code, at) => {
    shape.text(pointer(path, at), code, { min: 1 })
    return String(code)
  })
}
