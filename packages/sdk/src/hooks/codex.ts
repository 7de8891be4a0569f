import { answerClaudeFormat, readClaudeFormat } from './claude-format.ts'
import type { HookDialect } from './hook-event.ts'
import { canonicalTool, type ToolNames } from './tool-names.ts'
import { verdictOf } from './verdict.ts'

export const CODEX_TOOLS: ToolNames = {
  shell: 'Bash',
  local_shell: 'Bash',
  exec_command: 'Bash',
  apply_patch: 'Edit',
  web_search: 'WebSearch',
}

/**
 * OpenAI Codex (schemas of @openai/codex 0.169.0). An unknown member or `permissionDecision: ask` makes
 * the hook fail, and a failed hook lets the call run, so nothing but a denial is ever printed for a call
 * that is stopped.
 */
export const codex: HookDialect = {
  read: (json) => readClaudeFormat(json, (input) => canonicalTool(CODEX_TOOLS, input['tool_name'])),
  answer: (event, decision) => answerClaudeFormat(verdictOf(event, decision, { canAsk: false })),
}
