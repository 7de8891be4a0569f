import { answerClaudeFormat, readClaudeFormat } from './claude-format.ts'
import type { HookDialect } from './hook-event.ts'
import { canonicalTool, type ToolNames } from './tool-names.ts'
import { verdictOf } from './verdict.ts'

export const VSCODE_TOOLS: ToolNames = {
  run_in_terminal: 'Bash',
  runInTerminal: 'Bash',
  runTerminalCommand: 'Bash',
  read_file: 'Read',
  readFile: 'Read',
  create_file: 'Write',
  createFile: 'Write',
  insert_edit_into_file: 'Edit',
  replace_string_in_file: 'Edit',
  multi_replace_string_in_file: 'Edit',
  apply_patch: 'Edit',
  editFiles: 'Edit',
  fetch_webpage: 'WebFetch',
  fetchWebPage: 'WebFetch',
}

/**
 * Visual Studio Code, whose older "Local" agents read the answer of Claude Code and whose newer ones run
 * in the runtime of Copilot CLI, which reads flat members. Both forms are printed, so both stop.
 */
export const vscode: HookDialect = {
  read: (json) =>
    readClaudeFormat(json, (input) => canonicalTool(VSCODE_TOOLS, input['tool_name'])),
  answer: (event, decision) =>
    answerClaudeFormat(
      verdictOf(event, decision, { canAsk: true }),
      (permissionDecision, permissionDecisionReason) => ({
        permissionDecision,
        permissionDecisionReason,
      }),
    ),
}
