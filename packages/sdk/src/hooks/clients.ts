/** The coding agents that have hooks. */
export const HOOK_CLIENTS = [
  'claude-code',
  'codex',
  'cursor',
  'gemini-cli',
  'copilot-cli',
  'opencode',
  'windsurf',
  'vscode',
] as const

export type HookClient = (typeof HOOK_CLIENTS)[number]

export function isHookClient(name: string): name is HookClient {
  return HOOK_CLIENTS.some((client) => client === name)
}
