import { answerClaudeFormat, readClaudeFormat } from './claude-format.ts'
import type { HookDialect } from './hook-event.ts'
import { verdictOf } from './verdict.ts'

/** Claude Code (types of @anthropic-ai/claude-agent-sdk 0.3.327). An unanswered call takes its usual way. */
export const claudeCode: HookDialect = {
  read: (json) => readClaudeFormat(json),
  answer: (event, decision) => answerClaudeFormat(verdictOf(event, decision, { canAsk: true })),
}
