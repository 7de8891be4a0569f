import type { HookDialect } from './hook-event.ts'
import { callOf, executed, failed, fieldsOf, sessionOf, textOf } from './read-input.ts'
import { canonicalTool, type ToolNames } from './tool-names.ts'
import { denial, printed, verdictOf } from './verdict.ts'

export const OPENCODE_TOOLS: ToolNames = {
  bash: 'Bash',
  read: 'Read',
  write: 'Write',
  edit: 'Edit',
  multiedit: 'Edit',
  patch: 'Edit',
  apply_patch: 'Edit',
  glob: 'Glob',
  grep: 'Grep',
  webfetch: 'WebFetch',
  websearch: 'WebSearch',
}

/**
 * OpenCode (types of @opencode-ai/plugin 1.18.33). It has plugins instead of hook programs: the plugin
 * that `touchstone connect` writes passes on the arguments of its hooks under these names, and throws
 * the reason of a denial, which stops the call.
 */
export const opencode: HookDialect = {
  read(json) {
    const input = fieldsOf(json)
    const name = textOf(input?.['hook'])
    if (input === undefined || name === undefined) return undefined
    const common = { name, session: sessionOf(input['sessionID']), transcript: undefined }
    const tool = canonicalTool(OPENCODE_TOOLS, input['tool'])
    const call = callOf(tool, input['args'], input['callID'])
    switch (name) {
      case 'tool.execute.before':
        return call && { ...common, event: 'pre_tool', ...call }
      case 'tool.execute.after': {
        const outcome = executed(input['output'])
        return call && { ...common, event: 'post_tool', ...call, outcome }
      }
      case 'tool.execute.error':
        return call && { ...common, event: 'post_tool', ...call, outcome: failed(input['error']) }
      case 'session.idle':
        return { ...common, event: 'stop' }
      case 'session.deleted':
        return { ...common, event: 'session_end' }
      default:
        return { ...common, event: 'other' }
    }
  },

  answer(event, decision) {
    const verdict = verdictOf(event, decision, { canAsk: false })
    if (verdict.kind === 'pass') {
      return printed({ notice: verdict.notice, context: verdict.context })
    }
    const { reason } = verdict
    return verdict.kind === 'ask' ? printed({ deny: reason }) : denial(verdict, { deny: reason })
  },
}
