import type { HookClient } from '@touchstone/sdk/hooks'
import { CODEX_TOOLS } from '@touchstone/sdk/hooks/codex'
import { COPILOT_TOOLS } from '@touchstone/sdk/hooks/copilot-cli'
import { CURSOR_TOOLS } from '@touchstone/sdk/hooks/cursor'
import { GEMINI_TOOLS } from '@touchstone/sdk/hooks/gemini-cli'
import { OPENCODE_TOOLS } from '@touchstone/sdk/hooks/opencode'
import { nativeTool, type ToolNames } from '@touchstone/sdk/hooks/tool-names'
import { VSCODE_TOOLS } from '@touchstone/sdk/hooks/vscode'

export type SampleCall = { session: string; tool: string; arguments: Record<string, unknown> }

/** Input that a client sends before a call, and, for calls that ran, after it. */
export type Sample = { before: object; after: object }

/** The input of a client about a call whose tool has the name that policies use. */
export function sampleOf(client: HookClient, call: SampleCall): Sample {
  return SAMPLES[client](call)
}

const SAMPLES: Record<HookClient, (call: SampleCall) => Sample> = {
  'claude-code': (call) => claudeSample(call, {}),
  codex: (call) => claudeSample(call, CODEX_TOOLS),
  vscode: (call) => claudeSample(call, VSCODE_TOOLS),
  cursor({ session, tool, arguments: args }) {
    const common = { conversation_id: session, tool_use_id: `${session}-1` }
    const call = { tool_name: nativeTool(CURSOR_TOOLS, tool), tool_input: args }
    return pair({ ...common, ...call }, 'hook_event_name', ['preToolUse', 'postToolUse'])
  },
  'gemini-cli'({ session, tool, arguments: args }) {
    const call = { tool_name: nativeTool(GEMINI_TOOLS, tool), tool_input: args }
    return pair({ session_id: session, ...call }, 'hook_event_name', ['BeforeTool', 'AfterTool'])
  },
  'copilot-cli'({ session, tool, arguments: args }) {
    const toolName = nativeTool(COPILOT_TOOLS, tool)
    const before = { sessionId: session, timestamp: 1, toolName, toolArgs: args }
    return { before, after: { ...before, toolResult: { resultType: 'success' } } }
  },
  opencode({ session, tool, arguments: args }) {
    const name = nativeTool(OPENCODE_TOOLS, tool)
    const call = { sessionID: session, callID: `${session}-1`, tool: name, args }
    return pair(call, 'hook', ['tool.execute.before', 'tool.execute.after'])
  },
  windsurf({ session, tool, arguments: args }) {
    const [action, info] = windsurfAction(tool, args)
    const call = { trajectory_id: session, tool_info: info }
    return pair(call, 'agent_action_name', [`pre_${action}`, `post_${action}`])
  },
}

function claudeSample({ session, tool, arguments: args }: SampleCall, names: ToolNames): Sample {
  const call = {
    session_id: session,
    tool_name: nativeTool(names, tool),
    tool_input: args,
    tool_use_id: `${session}-1`,
  }
  return pair(call, 'hook_event_name', ['PreToolUse', 'PostToolUse'])
}

function pair(call: object, name: string, [before, after]: readonly [string, string]): Sample {
  return { before: { ...call, [name]: before }, after: { ...call, [name]: after } }
}

/** Windsurf has no names of tools but kinds of actions. */
function windsurfAction(tool: string, args: Record<string, unknown>): [string, object] {
  if (tool === 'Bash') return ['run_command', { command_line: args['command'] }]
  if (tool === 'Read') return ['read_code', args]
  const [, server = 'touchstone', name = tool] = /^mcp__(.+?)__(.+)$/.exec(tool) ?? []
  return [
    'mcp_tool_use',
    { mcp_server_name: server, mcp_tool_name: name, mcp_tool_arguments: args },
  ]
}
