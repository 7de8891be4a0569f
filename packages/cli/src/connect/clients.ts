import { join } from 'node:path'
import type { HookClient } from '@touchstone/sdk/hooks'
import { cursorIgnores } from './cursor-config.ts'
import { opencodePlugin } from './opencode-plugin.ts'
import type { Program } from './program.ts'

/** A hook in a client's configuration: the member of `hooks` it belongs to, and the entry. */
export type HookEntry = { event: string; entry: unknown }

export type ClientConfig =
  | { kind: 'json'; version?: number; entries: readonly HookEntry[] }
  /** A file that belongs to the connection alone. */
  | { kind: 'file'; text: string }

/** Folders that clients keep their configuration in. */
export type Folders = { home: string; env: Readonly<Record<string, string | undefined>> }

export type Client = {
  title: string
  /** Exists if the client has been used on this machine. */
  folder(folders: Folders): string
  userFile(folders: Folders): string
  projectFile(project: string): string
  /** The first entry is the hook before a call. */
  config(program: Program): ClientConfig
  /** Why the client would ignore a whole configuration file, which has foreign parts, too. */
  ignores?(text: string): string | undefined
  /** The gaps that a refusal does not cover; told by "connect test" and in docs/connect. */
  holes: readonly string[]
  /** The next step, without which the client does not run the hook. */
  next?: string
}

/** Above the time that the hook allows itself (`TIMEOUT_MS` of hook/run-hook.ts). */
export const CLIENT_TIMEOUT_SECONDS = 10
/** Codex gives hooks of SessionEnd no more. */
const SESSION_END_SECONDS = 3

const TIMEOUT_HOLE =
  'A hook that the client itself ends after its time-out lets the call run; the hook answers sooner.'

export const CLIENTS: Readonly<Record<HookClient, Client>> = {
  'claude-code': {
    title: 'Claude Code',
    folder: claudeFolder,
    userFile: (folders) => join(claudeFolder(folders), 'settings.json'),
    projectFile: (project) => join(project, '.claude', 'settings.json'),
    config: (program) => {
      const hook = { type: 'command', command: shellCommand(program), timeout: 10 }
      const blocking = program.mode === 'enforce' ? { ...hook, onFailure: 'block' } : hook
      return {
        kind: 'json',
        entries: [
          { event: 'PreToolUse', entry: { matcher: '*', hooks: [blocking] } },
          { event: 'PostToolUse', entry: { matcher: '*', hooks: [hook] } },
          { event: 'PostToolUseFailure', entry: { matcher: '*', hooks: [hook] } },
          { event: 'Stop', entry: { hooks: [hook] } },
          { event: 'SessionEnd', entry: { hooks: [hook] } },
        ],
      }
    },
    holes: [
      'disableAllHooks, or allowManagedHooksOnly in managed settings, switches the hook off.',
      'Releases without onFailure let a call run if the hook cannot be started.',
    ],
  },
  codex: {
    title: 'Codex',
    next: 'Start Codex and trust the hook (/hooks); until then Codex does not run it.',
    folder: codexFolder,
    userFile: (folders) => join(codexFolder(folders), 'hooks.json'),
    projectFile: (project) => join(project, '.codex', 'hooks.json'),
    config: (program) => {
      const hooks = (timeout: number) => [
        { type: 'command', command: shellCommand(program), timeout },
      ]
      const entry = { hooks: hooks(CLIENT_TIMEOUT_SECONDS) }
      return {
        kind: 'json',
        entries: [
          { event: 'PreToolUse', entry },
          { event: 'PostToolUse', entry },
          { event: 'Stop', entry },
          { event: 'SessionEnd', entry: { hooks: hooks(SESSION_END_SECONDS) } },
        ],
      }
    },
    holes: [
      TIMEOUT_HOLE,
      'It runs a new or changed hook only once you have trusted it; until then, calls pass.',
      '[features] hooks = false switches the hook off.',
      'It cannot ask its user, so an escalated call is refused with the page to approve it.',
      'What it types into a shell that is already running fires no hook: only the call that started the shell is decided. Rules on the arguments of Bash do not cover it.',
    ],
  },
  cursor: {
    title: 'Cursor',
    folder: ({ home }) => join(home, '.cursor'),
    userFile: ({ home }) => join(home, '.cursor', 'hooks.json'),
    projectFile: (project) => join(project, '.cursor', 'hooks.json'),
    config: (program) => {
      const hook = { command: shellCommand(program), timeout: CLIENT_TIMEOUT_SECONDS }
      const blocking = program.mode === 'enforce' ? { ...hook, failClosed: true } : hook
      const others = [
        'postToolUse',
        'postToolUseFailure',
        'afterAgentThought',
        'stop',
        'sessionEnd',
      ]
      return {
        kind: 'json',
        version: 1,
        entries: [
          { event: 'preToolUse', entry: blocking },
          ...others.map((event) => ({ event, entry: hook })),
        ],
      }
    },
    ignores: cursorIgnores,
    holes: [
      'It ignores a hooks.json with a trailing comma or an event that it does not know: no hook of it runs.',
      'Tools of MCP servers come without the name of the server: they are mcp__unknown__TOOL.',
      'Tab completions are not tool calls and are not governed.',
      'An escalated call is refused, because Cursor does not document that it asks at this step.',
    ],
  },
  'gemini-cli': {
    title: 'Gemini CLI',
    folder: ({ home }) => join(home, '.gemini'),
    userFile: ({ home }) => join(home, '.gemini', 'settings.json'),
    projectFile: (project) => join(project, '.gemini', 'settings.json'),
    config: (program) => {
      const command = shellCommand(program)
      const timeout = CLIENT_TIMEOUT_SECONDS * 1000
      const entry = { hooks: [{ type: 'command', name: 'touchstone', command, timeout }] }
      const events = ['BeforeTool', 'AfterTool', 'AfterAgent', 'SessionEnd']
      return { kind: 'json', entries: events.map((event) => ({ event, entry })) }
    },
    holes: [
      TIMEOUT_HOLE,
      'Hooks of a project run only in a trusted folder.',
      'Calls have no ids: outcomes belong to the newest equal call of the session.',
    ],
  },
  'copilot-cli': {
    title: 'Copilot CLI',
    folder: copilotFolder,
    userFile: (folders) => join(copilotFolder(folders), 'hooks', 'touchstone.json'),
    projectFile: (project) => join(project, '.github', 'hooks', 'touchstone.json'),
    config: (program) => {
      const command = shellCommand(program)
      const entry = { type: 'command', command, timeoutSec: CLIENT_TIMEOUT_SECONDS }
      const events = ['preToolUse', 'postToolUse', 'postToolUseFailure', 'agentStop', 'sessionEnd']
      return { kind: 'json', version: 1, entries: events.map((event) => ({ event, entry })) }
    },
    holes: [
      TIMEOUT_HOLE,
      'disableAllHooks switches the hook off, unless it is a policy hook of the administrator.',
      'It also reads .claude/settings.json: with Claude Code connected there, calls are decided twice.',
      'Calls have no ids: outcomes belong to the newest equal call of the session.',
    ],
  },
  opencode: {
    title: 'OpenCode',
    folder: opencodeFolder,
    userFile: (folders) => join(opencodeFolder(folders), 'plugins', 'touchstone.js'),
    projectFile: (project) => join(project, '.opencode', 'plugins', 'touchstone.js'),
    config: (program) => ({ kind: 'file', text: opencodePlugin(program) }),
    holes: [
      'The plugin runs inside OpenCode: other plugins can change arguments after it.',
      'It cannot ask its user, so an escalated call is refused with the page to approve it.',
    ],
  },
  windsurf: {
    title: 'Windsurf',
    folder: ({ home }) => join(home, '.codeium', 'windsurf'),
    userFile: ({ home }) => join(home, '.codeium', 'windsurf', 'hooks.json'),
    projectFile: (project) => join(project, '.windsurf', 'hooks.json'),
    config: (program) => {
      const entry = { command: shellCommand(program), show_output: true }
      const actions = ['run_command', 'read_code', 'write_code', 'mcp_tool_use']
      const events = actions.flatMap((action) => [`pre_${action}`, `post_${action}`])
      return {
        kind: 'json',
        entries: [...events, 'post_cascade_response'].map((event) => ({ event, entry })),
      }
    },
    holes: [
      'Only commands, reads, writes and tools of MCP servers have hooks; searches do not.',
      'A failed call is reported as executed, because Windsurf does not say that it failed.',
      'It cannot ask its user, so an escalated call is refused with the page to approve it.',
    ],
  },
  vscode: {
    title: 'VS Code',
    folder: ({ home }) => join(home, '.vscode'),
    userFile: (folders) => join(copilotFolder(folders), 'hooks', 'touchstone-vscode.json'),
    projectFile: (project) => join(project, '.github', 'hooks', 'touchstone-vscode.json'),
    config: (program) => {
      const command = shellCommand(program)
      const entry = { type: 'command', command, timeout: CLIENT_TIMEOUT_SECONDS }
      const events = ['PreToolUse', 'PostToolUse', 'Stop']
      return { kind: 'json', version: 1, entries: events.map((event) => ({ event, entry })) }
    },
    holes: [
      TIMEOUT_HOLE,
      'Copilot CLI reads the same folder: with both connected, its calls are decided twice.',
      'Agents of other providers in VS Code run the hooks of Claude Code or Codex.',
    ],
  },
}

function claudeFolder({ home, env }: Folders): string {
  return env['CLAUDE_CONFIG_DIR'] || join(home, '.claude')
}

function codexFolder({ home, env }: Folders): string {
  return env['CODEX_HOME'] || join(home, '.codex')
}

function copilotFolder({ home, env }: Folders): string {
  return env['COPILOT_HOME'] || join(home, '.copilot')
}

function opencodeFolder({ home, env }: Folders): string {
  return join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'opencode')
}

const PLAIN = /^[\w@%+=:,./-]+$/

/** One line for the shell that clients start commands with. */
function shellCommand({ command }: Program): string {
  return command.map(quoted).join(' ')
}

function quoted(word: string): string {
  if (PLAIN.test(word)) return word
  return process.platform === 'win32' ? `"${word}"` : `'${word.replaceAll("'", "'\\''")}'`
}
