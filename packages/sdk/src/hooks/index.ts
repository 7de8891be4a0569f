import { claudeCode } from './claude-code.ts'
import type { HookClient } from './clients.ts'
import { codex } from './codex.ts'
import { copilotCli } from './copilot-cli.ts'
import { cursor } from './cursor.ts'
import { geminiCli } from './gemini-cli.ts'
import type { HookDialect } from './hook-event.ts'
import { opencode } from './opencode.ts'
import { vscode } from './vscode.ts'
import { windsurf } from './windsurf.ts'

export type { HookClient } from './clients.ts'
export type {
  AnsweredEvent,
  HookCall,
  HookDecision,
  HookDialect,
  HookEvent,
  HookFailure,
  HookOutcome,
  HookOutput,
} from './hook-event.ts'

/** The dialects of all clients. A program that speaks one imports `@touchstone/sdk/hooks/<client>`. */
export const DIALECTS: Readonly<Record<HookClient, HookDialect>> = {
  'claude-code': claudeCode,
  codex,
  cursor,
  'gemini-cli': geminiCli,
  'copilot-cli': copilotCli,
  opencode,
  windsurf,
  vscode,
}
