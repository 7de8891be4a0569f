import type { HookDialect, HookEvent } from './hook-event.ts'
import {
  callOf,
  executed,
  type Fields,
  failed,
  fieldsOf,
  mcpTool,
  sessionOf,
  textOf,
} from './read-input.ts'
import { canonicalTool, type ToolNames } from './tool-names.ts'
import { denial, printed, verdictOf } from './verdict.ts'

/** Cursor names the tool of an MCP server, but not the server. */
const UNKNOWN_SERVER = 'unknown'

export const CURSOR_TOOLS: ToolNames = {
  Shell: 'Bash',
  TabRead: 'Read',
  TabWrite: 'Write',
  StrReplace: 'Edit',
}

/** Hook events at which Cursor asks for permission; it denies the call if it cannot parse the answer. */
const PERMISSION_STEPS: Readonly<Record<string, (input: Fields) => unknown>> = {
  preToolUse: (input) => toolOf(input['tool_name']),
  beforeShellExecution: () => 'Bash',
  beforeMCPExecution: (input) => mcpToolOf(input),
  beforeReadFile: () => 'Read',
  beforeTabFileRead: () => 'Read',
}

/**
 * Events at which Cursor documents `ask`. It also accepts it at preToolUse, the only one of
 * PERMISSION_STEPS that connect registers, but does not document that it stops the call there.
 */
const ASKING_STEPS = ['beforeShellExecution', 'beforeMCPExecution']

/**
 * Cursor (hook executor of @cursor/sdk 1.0.32). With `failClosed`, an empty answer stops the call, so a
 * call that may pass is answered with `allow`; Cursor's own rules still apply after that.
 */
export const cursor: HookDialect = {
  read(json) {
    const input = fieldsOf(json)
    const name = textOf(input?.['hook_event_name'])
    if (input === undefined || name === undefined) return undefined
    const session = sessionOf(input['conversation_id'] ?? input['session_id'])
    const common = { name, session, transcript: textOf(input['transcript_path']) }
    const toolFor = Object.hasOwn(PERMISSION_STEPS, name) ? PERMISSION_STEPS[name] : undefined
    if (toolFor !== undefined) {
      const call = callOf(toolFor(input), argumentsOf(input), input['tool_use_id'])
      return call && { ...common, event: 'pre_tool', ...call }
    }
    return readOther(input, common)
  },

  answer(event, decision) {
    const canAsk = ASKING_STEPS.includes(event?.name ?? '')
    const verdict = verdictOf(event, decision, { canAsk })
    // Cursor ignores the answer to other steps, but an empty one counts as a failure.
    if (event !== undefined && event.event !== 'pre_tool') return { stdout: '{}' }
    if (verdict.kind === 'pass') {
      const { context, notice } = verdict
      return printed({ permission: 'allow', user_message: notice, additional_context: context })
    }
    const { kind, reason } = verdict
    const json = { permission: kind, user_message: reason, agent_message: reason }
    return verdict.kind === 'ask' ? printed(json) : denial(verdict, json)
  },
}

type Common = Pick<HookEvent, 'name' | 'session' | 'transcript'>

function readOther(input: Fields, common: Common): HookEvent | undefined {
  switch (common.name) {
    case 'postToolUse':
    case 'postToolUseFailure': {
      const call = callOf(toolOf(input['tool_name']), input['tool_input'], input['tool_use_id'])
      const { tool_output: output, error_message: error, duration } = input
      const outcome =
        common.name === 'postToolUse' ? executed(output, duration) : failed(error, duration)
      return call && { ...common, event: 'post_tool', ...call, outcome }
    }
    case 'afterAgentThought':
      return { ...common, event: 'thinking', thinking: textOf(input['text']) ?? '' }
    case 'stop':
    case 'subagentStop':
      return { ...common, event: 'stop' }
    case 'sessionEnd':
      return { ...common, event: 'session_end' }
    default:
      return { ...common, event: 'other' }
  }
}

function argumentsOf(input: Fields): unknown {
  if (input['tool_input'] !== undefined) return input['tool_input']
  const { command, cwd, file_path: filePath } = input
  if (command !== undefined) return { command, ...(cwd !== undefined && { cwd }) }
  return filePath === undefined ? undefined : { file_path: filePath }
}

function toolOf(tool: unknown): unknown {
  const name = textOf(tool)
  if (name?.startsWith('MCP:')) return mcpTool(UNKNOWN_SERVER, name.slice('MCP:'.length))
  return canonicalTool(CURSOR_TOOLS, tool)
}

function mcpToolOf(input: Fields): unknown {
  const name = textOf(input['tool_name'])
  return name === undefined ? undefined : mcpTool(UNKNOWN_SERVER, name)
}
