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

export const GEMINI_TOOLS: ToolNames = {
  run_shell_command: 'Bash',
  read_file: 'Read',
  read_many_files: 'Read',
  write_file: 'Write',
  replace: 'Edit',
  glob: 'Glob',
  search_file_content: 'Grep',
  grep_search: 'Grep',
  web_fetch: 'WebFetch',
  google_web_search: 'WebSearch',
}

/**
 * Gemini CLI 0.61 (types and hook runner of @google/gemini-cli-core). Text that is no JSON allows the
 * call if the hook ends with 0 or 1, so an answer is JSON or nothing.
 */
export const geminiCli: HookDialect = {
  read(json) {
    const input = fieldsOf(json)
    const name = textOf(input?.['hook_event_name'])
    if (input === undefined || name === undefined) return undefined
    const session = sessionOf(input['session_id'])
    const common = { name, session, transcript: textOf(input['transcript_path']) }
    switch (name) {
      case 'BeforeTool':
      case 'AfterTool':
        return readTool(input, common)
      case 'AfterAgent':
        return { ...common, event: 'stop' }
      case 'SessionEnd':
        return { ...common, event: 'session_end' }
      default:
        return { ...common, event: 'other' }
    }
  },

  answer(event, decision) {
    const verdict = verdictOf(event, decision, { canAsk: true })
    if (verdict.kind === 'pass') {
      const messages = [verdict.notice, verdict.context].filter((text) => text !== undefined)
      return printed({ systemMessage: messages.length > 0 ? messages.join(' ') : undefined })
    }
    const { kind, reason } = verdict
    if (verdict.kind === 'ask') return printed({ decision: kind, reason, systemMessage: reason })
    return denial(verdict, { decision: 'deny', reason })
  },
}

type Common = Pick<HookEvent, 'name' | 'session' | 'transcript'>

function readTool(input: Fields, common: Common): HookEvent | undefined {
  const call = callOf(toolOf(input), input['tool_input'])
  if (call === undefined) return undefined
  if (common.name === 'BeforeTool') return { ...common, event: 'pre_tool', ...call }
  const response = fieldsOf(input['tool_response'])
  const error = response?.['error']
  const hasFailed = error !== undefined && error !== null
  const outcome = hasFailed ? failed(error) : executed(input['tool_response'])
  return { ...common, event: 'post_tool', ...call, outcome }
}

function toolOf(input: Fields): unknown {
  const mcp = fieldsOf(input['mcp_context'])
  const server = textOf(mcp?.['server_name'])
  const tool = textOf(mcp?.['tool_name'])
  if (server !== undefined && tool !== undefined) return mcpTool(server, tool)
  return canonicalTool(GEMINI_TOOLS, input['tool_name'])
}
