import type { HookDialect, HookEvent } from './hook-event.ts'
import {
  callOf,
  executed,
  type Fields,
  fieldsOf,
  mcpTool,
  sessionOf,
  textOf,
} from './read-input.ts'
import { verdictOf } from './verdict.ts'

type Action = { tool: (info: Fields) => string | undefined; argumentsOf: (info: Fields) => Fields }

/** Only what both the event before and the one after a call have, so that their hashes are equal. */
const ACTIONS: Readonly<Record<string, Action>> = {
  run_command: {
    tool: () => 'Bash',
    argumentsOf: ({ command_line: command, cwd }) => ({ command, cwd }),
  },
  read_code: { tool: () => 'Read', argumentsOf: ({ file_path }) => ({ file_path }) },
  write_code: {
    tool: () => 'Write',
    argumentsOf: ({ file_path, edits }) => ({ file_path, edits }),
  },
  mcp_tool_use: {
    tool: ({ mcp_server_name: server, mcp_tool_name: tool }) =>
      textOf(tool) && mcpTool(textOf(server) ?? 'unknown', String(tool)),
    argumentsOf: ({ mcp_tool_arguments: args }) => fieldsOf(args) ?? {},
  },
}

const STEP = /^(pre|post)_(.+)$/

/**
 * Windsurf's Cascade (docs.windsurf.com, November 2026). Its hooks speak by exit code alone: 2 stops a
 * call, and standard error tells the agent why. It cannot ask, and gives calls no ids.
 */
export const windsurf: HookDialect = {
  read(json) {
    const input = fieldsOf(json)
    const name = textOf(input?.['agent_action_name'])
    if (input === undefined || name === undefined) return undefined
    const common = { name, session: sessionOf(input['trajectory_id']), transcript: undefined }
    if (name === 'post_cascade_response') return { ...common, event: 'stop' }
    const [, step, named = ''] = STEP.exec(name) ?? []
    const action = Object.hasOwn(ACTIONS, named) ? ACTIONS[named] : undefined
    if (action === undefined) return { ...common, event: 'other' }
    return readAction(action, step === 'pre', fieldsOf(input['tool_info']) ?? {}, common)
  },

  answer(event, decision) {
    const verdict = verdictOf(event, decision, { canAsk: false })
    if (verdict.kind !== 'pass') return { stderr: verdict.reason, exit: 2 }
    const messages = [verdict.notice, verdict.context].filter((text) => text !== undefined)
    return messages.length === 0 ? {} : { stdout: messages.join(' ') }
  },
}

type Common = Pick<HookEvent, 'name' | 'session' | 'transcript'>

function readAction(
  action: Action,
  isBefore: boolean,
  info: Fields,
  common: Common,
): HookEvent | undefined {
  const call = callOf(action.tool(info), action.argumentsOf(info))
  if (call === undefined) return undefined
  if (isBefore) return { ...common, event: 'pre_tool', ...call }
  const outcome = executed(info['mcp_result'])
  return { ...common, event: 'post_tool', ...call, outcome }
}
