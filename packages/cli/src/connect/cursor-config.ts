import jsonc from 'jsonc-parser'

/** The events of hooks that Cursor knows, read in @cursor/sdk 1.0.32. */
const EVENTS: ReadonlySet<string> = new Set([
  'beforeShellExecution',
  'beforeMCPExecution',
  'afterShellExecution',
  'afterMCPExecution',
  'beforeReadFile',
  'afterFileEdit',
  'beforeTabFileRead',
  'afterTabFileEdit',
  'stop',
  'beforeSubmitPrompt',
  'afterAgentResponse',
  'afterAgentThought',
  'sessionStart',
  'sessionEnd',
  'preCompact',
  'subagentStart',
  'subagentStop',
  'preToolUse',
  'postToolUse',
  'postToolUseFailure',
  'workspaceOpen',
])

/**
 * Why Cursor ignores a hooks.json as a whole, and so runs no hook of it; undefined if it reads the file.
 * It strips comments, and accepts nothing else that is not JSON.
 */
export function cursorIgnores(text: string): string | undefined {
  let root: { version?: unknown; hooks?: unknown }
  try {
    root = Object(JSON.parse(jsonc.stripComments(text)))
  } catch {
    return 'apart from comments it must be JSON, without trailing commas'
  }
  const { version } = root
  if (!Number.isInteger(version) || Number(version) < 1)
    return '"version" must be a number such as 1'
  // Object() returns any; the values stay unknown.
  const lists = Object.entries(Object(root.hooks) as Record<string, unknown>)
  const [unknown] = lists.find(([event]) => !EVENTS.has(event)) ?? []
  if (unknown !== undefined) return `"hooks.${unknown}" is no event that it knows`
  const [wrong] = lists.find(([, list]) => !Array.isArray(list) || !list.every(isHook)) ?? []
  return wrong === undefined ? undefined : `"hooks.${wrong}" must be a list of commands`
}

function isHook(entry: unknown): boolean {
  const { command, type } = Object(entry)
  return typeof command === 'string' || type === 'prompt'
}
