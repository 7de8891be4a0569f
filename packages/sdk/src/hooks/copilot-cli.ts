import { readClaudeFormat } from './claude-format.ts'
import type { HookDialect, HookEvent } from './hook-event.ts'
import { callOf, executed, failed, fieldsOf, sessionOf, textOf } from './read-input.ts'
import { canonicalTool, type ToolNames } from './tool-names.ts'
import { denial, printed, verdictOf } from './verdict.ts'

/** The names that Copilot CLI itself uses for events in Claude's format. */
export const COPILOT_TOOLS: ToolNames = {
  bash: 'Bash',
  powershell: 'Bash',
  view: 'Read',
  create: 'Write',
  edit: 'Edit',
  str_replace_editor: 'Edit',
  apply_patch: 'Edit',
  grep: 'Grep',
  rg: 'Grep',
  glob: 'Glob',
  web_fetch: 'WebFetch',
  web_search: 'WebSearch',
}

/** GitHub Copilot CLI 1.0.102: the form of the input follows the spelling of the event's name. */
export const copilotCli: HookDialect = {
  read(json) {
    const input = fieldsOf(json)
    if (input?.['hook_event_name'] !== undefined) {
      return readClaudeFormat(json, ({ tool_name: tool }) => canonicalTool(COPILOT_TOOLS, tool))
    }
    return input && readCamelCase(input)
  },

  answer(event, decision) {
    const verdict = verdictOf(event, decision, { canAsk: true })
    if (verdict.kind === 'pass') {
      const { context, notice } = verdict
      return { ...printed({ additionalContext: context }), ...(notice && { stderr: notice }) }
    }
    const json = { permissionDecision: verdict.kind, permissionDecisionReason: verdict.reason }
    return verdict.kind === 'ask' ? { stdout: JSON.stringify(json) } : denial(verdict, json)
  },
}

/** The native form names no event; its members tell the events apart. */
function readCamelCase(input: Readonly<Record<string, unknown>>): HookEvent | undefined {
  const session = sessionOf(input['sessionId'])
  if (session === undefined) return undefined
  const common = { session, transcript: textOf(input['transcriptPath']) }
  if (input['toolName'] === undefined) return { ...common, ...endOf(input) }
  const call = callOf(canonicalTool(COPILOT_TOOLS, input['toolName']), input['toolArgs'])
  if (call === undefined) return undefined
  if (input['error'] !== undefined) {
    const outcome = failed(input['error'])
    return { ...common, name: 'postToolUseFailure', event: 'post_tool', ...call, outcome }
  }
  if (input['toolResult'] !== undefined) {
    const outcome = executed(input['toolResult'])
    return { ...common, name: 'postToolUse', event: 'post_tool', ...call, outcome }
  }
  return { ...common, name: 'preToolUse', event: 'pre_tool', ...call }
}

function endOf(input: Readonly<Record<string, unknown>>) {
  if (input['stopReason'] !== undefined) return { name: 'agentStop', event: 'stop' } as const
  if (input['reason'] !== undefined) return { name: 'sessionEnd', event: 'session_end' } as const
  return { name: 'other', event: 'other' } as const
}
