import type { Admission, Guard } from '../guard/guard.ts'
import type { ToolCall } from '../guard/tool-call.ts'
import { claudeCode } from '../hooks/claude-code.ts'
import type { HookEvent } from '../hooks/hook-event.ts'
import { readTranscript, type TranscriptPosition } from '../hooks/read-transcript.ts'
import { thinkingIn } from '../hooks/thinking.ts'
import { type ApprovalRequest, answered, approvalRequestOf } from './approval.ts'
import { callKey, createOpenCalls } from './open-calls.ts'

export type { ApprovalRequest } from './approval.ts'

type Permission =
  | { behavior: 'allow'; updatedInput?: Record<string, unknown> }
  | { behavior: 'deny'; message: string }

type PermissionOptions = { signal: AbortSignal; toolUseID: string }

type CanUseTool<O extends PermissionOptions> = (
  tool: string,
  input: Record<string, unknown>,
  options: O,
) => Promise<Permission | null>

export type ClaudeGuardOptions<O extends PermissionOptions = PermissionOptions> = {
  guard: Guard
  /** The name that policies use for a tool; Claude's name by default, such as `mcp__shop__search`. */
  nameOf?: (tool: string) => string
  /** The card action each tool performs, keyed by the name that policies use. */
  actions?: Readonly<Record<string, string>>
  /**
   * Asks a person about an escalated call while the agent waits. Approving what only the service can
   * approve has the service asked again. Without it such a call is refused with the page to approve it.
   */
  ask?: (request: ApprovalRequest, options: { signal: AbortSignal }) => Promise<boolean>
  /** Your own `canUseTool`, for calls that are allowed but that Claude asks the user about. */
  canUseTool?: CanUseTool<O>
}

type Admitted = { call: ToolCall; admission: Admission }

/** The fields of a call as Claude sent them, which `canUseTool` gets too; events have shorter forms. */
type CallFields = { tool_use_id: string; tool_name: string; tool_input: unknown }

type Callback = (input: object, id: string | undefined, options: object) => Promise<object>

/**
 * Options for `query()` of the Claude Agent SDK. Its hooks decide about every call of a tool, those of
 * subagents and MCP servers included, before it is made. If the hooks fail, the call is blocked.
 */
export function guardClaudeAgent<O extends PermissionOptions>(options: ClaudeGuardOptions<O>) {
  const { guard, ask, canUseTool: own = noPermission } = options
  const open = createOpenCalls<Admitted>()
  const held = createOpenCalls<Admitted>()
  const heldIds = createOpenCalls<true>()
  const newThinking = createThinkingReader()

  async function decide(
    event: HookEvent & { event: 'pre_tool' },
    { tool_use_id: id, tool_name: name, tool_input: input }: CallFields,
  ): Promise<object> {
    const { session } = event
    const tool = options.nameOf?.(event.tool) ?? event.tool
    const call: ToolCall = {
      tool,
      action: options.actions?.[tool],
      arguments: event.arguments,
      sessionId: session,
      thinking: newThinking(event),
    }
    const admission = await guard.admit(call, { holdEscalated: true })
    const { verdict, escalation, refusal } = admission
    const canAsk = escalation !== undefined && ask !== undefined
    if (canAsk) {
      held.open(callKey(id, name, input), { call, admission })
      heldIds.open(id, true)
    } else if (escalation !== undefined) admission.end('refused')
    else if (refusal === undefined) open.open(callKey(id, name, null), { call, admission })
    // Without a decision there are no reasons; the refusal says why.
    const reasons = verdict.reasons.map(({ message }) => message)
    const explained = refusal !== undefined && reasons.length === 0 ? [refusal.message] : reasons
    return jsonOf(
      claudeCode.answer(event, {
        decision: verdict.decision,
        reasons: explained,
        notices: verdict.notices.map(({ message }) => message),
        enforced: true,
        approve_url: escalation?.approveUrl,
        local: canAsk,
      }),
    )
  }

  function report(
    { outcome: { status, error } }: HookEvent & { event: 'post_tool' },
    { tool_use_id: id, tool_name: name }: CallFields,
  ): void {
    const made = open.take(callKey(id, name, null))
    if (status === 'failed') made?.admission.end('failed', error)
    else made?.admission.end('succeeded')
  }

  const hook: Callback = async (input) => {
    const event = claudeCode.read(input)
    if (event === undefined)
      throw new Error('The input of the hook is not an event of Claude Code.')
    if (event.event === 'pre_tool') return decide(event, input as CallFields)
    if (event.event === 'post_tool') report(event, input as CallFields)
    // A resumed session has a transcript that is no news.
    else newThinking(event)
    return {}
  }

  /** The answer of the framework's user about a held call. */
  async function answerOf({ call, admission }: Admitted, signal: AbortSignal): Promise<boolean> {
    const request = approvalRequestOf(call, admission)
    try {
      return request !== undefined && (await ask?.(request, { signal })) === true
    } catch (error) {
      admission.end('refused')
      throw error
    }
  }

  /** Asking takes long: meanwhile the agent may have been contained, or its policy changed. */
  async function decidedAgain({ call, admission }: Admitted): Promise<Admission> {
    if (admission.escalation?.local !== true) return admission
    admission.end('refused')
    return guard.admit(call, { holdEscalated: true })
  }

  /** Undefined if the call may be made. */
  async function denialOf(waiting: Admitted, key: string, signal: AbortSignal) {
    const { call } = waiting
    const isApproved = await answerOf(waiting, signal)
    const admission = isApproved ? await decidedAgain(waiting) : waiting.admission
    const settled =
      admission.escalation === undefined
        ? admission
        : await answered(guard, call, { admission, isApproved })
    if (settled.refusal !== undefined) return deny(settled.refusal.message)
    open.open(key, { call, admission: settled })
    return undefined
  }

  /** Also called for calls that Claude itself asks the user about. */
  async function canUseTool(
    tool: string,
    input: Record<string, unknown>,
    permission: O,
  ): Promise<Permission | null> {
    const { toolUseID, signal } = permission
    const key = callKey(toolUseID, tool, null)
    const waiting = held.take(callKey(toolUseID, tool, input))
    if (waiting !== undefined) {
      const denial = await denialOf(waiting, key, signal)
      return denial ?? { behavior: 'allow', updatedInput: input }
    }
    if (heldIds.find(toolUseID))
      return deny(`${tool} is not the call that a person has to approve.`)
    const answer = await own(tool, input, permission)
    const isChanged = answer?.behavior === 'allow' && isOther(answer.updatedInput, input)
    if (answer?.behavior !== 'deny' && !isChanged) return answer
    const admitted = open.take(key)
    admitted?.admission.end('refused')
    if (answer.behavior === 'deny' || admitted === undefined) return answer
    const call = { ...admitted.call, arguments: answer.updatedInput }
    const admission = await guard.admit(call)
    if (admission.refusal !== undefined) return deny(admission.refusal.message)
    open.open(key, { call, admission })
    return answer
  }

  const matchers = [{ hooks: [hook], onFailure: 'block' as const }]
  return {
    hooks: {
      SessionStart: [{ hooks: [hook] }],
      PreToolUse: matchers,
      PostToolUse: [{ hooks: [hook] }],
      PostToolUseFailure: [{ hooks: [hook] }],
    },
    canUseTool,
  }
}

/** Reads the model's thinking since the last event of a session. */
function createThinkingReader() {
  const positions = createOpenCalls<TranscriptPosition>()
  return ({ session = '', transcript }: HookEvent): string | undefined => {
    const { lines, read } = readTranscript(transcript, positions.find(session))
    if (read !== undefined) positions.open(session, read)
    const thinking = thinkingIn('claude-code', lines)
    return thinking.length === 0 ? undefined : thinking.join('\n')
  }
}

function jsonOf({ stdout }: { stdout?: string }): object {
  return stdout === undefined ? {} : JSON.parse(stdout)
}

function isOther(updated: unknown, input: unknown): boolean {
  return updated !== undefined && JSON.stringify(updated) !== JSON.stringify(input)
}

function deny(message: string): Permission {
  return { behavior: 'deny', message }
}

/** As without `canUseTool`, when there is nobody to ask. */
const noPermission = async (tool: string): Promise<Permission> =>
  deny(`There is no permission to use ${tool}.`)
