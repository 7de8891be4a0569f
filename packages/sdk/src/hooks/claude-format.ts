import type { HookCall, HookEvent, HookOutput } from './hook-event.ts'
import { callOf, executed, type Fields, failed, fieldsOf, sessionOf, textOf } from './read-input.ts'
import { denial, type HookVerdict, printed } from './verdict.ts'

/** The call of an event whose fields are named as Claude Code names them. */
export function claudeCall(input: Fields, tool: unknown): HookCall | undefined {
  return callOf(tool, input['tool_input'], input['tool_use_id'])
}

/** Reads input in the format of Claude Code, which several clients use. */
export function readClaudeFormat(
  json: unknown,
  toolOf: (input: Fields) => unknown = (input) => input['tool_name'],
): HookEvent | undefined {
  const input = fieldsOf(json)
  const name = textOf(input?.['hook_event_name'] ?? input?.['hookEventName'])
  if (input === undefined || name === undefined) return undefined
  const common = {
    name,
    session: sessionOf(input['session_id'] ?? input['sessionId']),
    transcript: textOf(input['transcript_path']),
  }
  const call = claudeCall(input, toolOf(input))
  switch (name) {
    case 'PreToolUse':
      return call && { ...common, event: 'pre_tool', ...call }
    case 'PostToolUse': {
      const result = input['tool_response'] ?? input['tool_result']
      const outcome = executed(result, input['duration_ms'])
      return call && { ...common, event: 'post_tool', ...call, outcome }
    }
    case 'PostToolUseFailure': {
      const outcome = failed(input['error'], input['duration_ms'])
      return call && { ...common, event: 'post_tool', ...call, outcome }
    }
    case 'Stop':
    case 'SubagentStop':
      return { ...common, event: 'stop' }
    case 'SessionEnd':
      return { ...common, event: 'session_end' }
    default:
      return { ...common, event: 'other' }
  }
}

/** The answer of Claude Code's PreToolUse; `extra` are members that a client wants besides. */
export function answerClaudeFormat(
  verdict: HookVerdict,
  extra: (permissionDecision: 'deny' | 'ask', reason: string) => object = () => ({}),
): HookOutput {
  if (verdict.kind === 'pass') {
    const { context, notice } = verdict
    return printed({
      systemMessage: notice,
      hookSpecificOutput:
        context === undefined
          ? undefined
          : { hookEventName: 'PreToolUse', additionalContext: context },
    })
  }
  const { kind, reason } = verdict
  const json = {
    ...extra(kind, reason),
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: kind,
      permissionDecisionReason: reason,
    },
  }
  return verdict.kind === 'ask' ? { stdout: JSON.stringify(json) } : denial(verdict, json)
}
