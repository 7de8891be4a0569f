import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { HookClient } from '@touchstone/sdk/hooks'
import type { TurnPart } from '../../packages/server/src/demo/provider/turn.ts'

const PROGRAMS = fileURLToPath(new URL('./node_modules/.bin', import.meta.url))
const GUIDE = new URL('../../docs/guide/model-gateway.md', import.meta.url)

export type RealClient = {
  name: string
  client: HookClient
  /** The heading of its lines in the guide of the model gateway. */
  heading: string
  provider: 'anthropic' | 'openai' | 'gemini'
  /** Calls that its model asks for: one that may be made, such as to read notes, and one of the shell. */
  allowed(notes: string): TurnPart
  shell: TurnPart
  /** Its own name of the shell, as the model gateway sees it. */
  shellTool: string
  /** The name of the allowed call in policies of hooks. */
  allowedTool: string
  /** Adds the flags without which it asks its user, whom a test does not have. */
  asFunction: string
  env?: Record<string, string>
  /** Prepares its home, as if it had been used before. */
  prepare?(home: string): Promise<void>
}

const TOUCH = 'touch made-by-agent'

const CODEX = {
  client: 'codex',
  heading: 'Codex',
  provider: 'openai',
} as const

export const REAL_CLIENTS: readonly RealClient[] = [
  {
    name: 'Claude Code',
    client: 'claude-code',
    heading: 'Claude Code',
    provider: 'anthropic',
    allowed: (file_path) => ({ tool: 'Read', input: { file_path }, id: 'toolu_allowed' }),
    shell: { tool: 'Bash', input: { command: TOUCH }, id: 'toolu_shell' },
    shellTool: 'Bash',
    allowedTool: 'Read',
    asFunction: 'claude() { command claude --dangerously-skip-permissions "$@"; }',
    env: {
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      // Otherwise it refuses to skip permissions for root, which containers of CI often are.
      IS_SANDBOX: '1',
    },
  },
  {
    ...CODEX,
    name: 'Codex, whose model has a shell',
    allowed: () => ({ tool: 'exec_command', input: { cmd: 'true' }, id: 'call_allowed' }),
    shell: { tool: 'exec_command', input: { cmd: TOUCH }, id: 'call_shell' },
    shellTool: 'exec_command',
    allowedTool: 'Bash',
    asFunction: codexFunction('-m gpt-5'),
  },
  {
    ...CODEX,
    name: 'Codex, whose model writes programs',
    allowed: () => program('allowed', 'tools.exec_command({cmd: "true"})'),
    shell: program('shell', `tools.exec_command({cmd: ${JSON.stringify(TOUCH)}})`),
    shellTool: 'exec',
    allowedTool: 'Bash',
    asFunction: codexFunction(''),
  },
  {
    name: 'Gemini CLI',
    client: 'gemini-cli',
    heading: 'Gemini CLI',
    provider: 'gemini',
    allowed: (file_path) => ({ tool: 'read_file', input: { file_path } }),
    shell: { tool: 'run_shell_command', input: { command: TOUCH } },
    shellTool: 'run_shell_command',
    allowedTool: 'Read',
    // With a model of its own choice, it first asks which model to use.
    asFunction: 'gemini() { command gemini -m gemini-2.5-flash --yolo "$@"; }',
  },
  {
    name: 'Copilot CLI',
    client: 'copilot-cli',
    heading: 'Copilot CLI',
    provider: 'openai',
    allowed: (path) => ({ tool: 'view', input: { path }, id: 'call_allowed' }),
    shell: { tool: 'bash', input: { command: TOUCH, description: 'Touch' }, id: 'call_shell' },
    shellTool: 'bash',
    allowedTool: 'Read',
    asFunction: 'copilot() { command copilot --allow-all-tools "$@"; }',
    env: { COPILOT_OFFLINE: 'true' },
  },
  {
    name: 'OpenCode',
    client: 'opencode',
    heading: 'OpenCode',
    provider: 'anthropic',
    allowed: (filePath) => ({ tool: 'read', input: { filePath }, id: 'toolu_allowed' }),
    shell: { tool: 'bash', input: { command: TOUCH, description: 'Touch' }, id: 'toolu_shell' },
    shellTool: 'bash',
    allowedTool: 'Read',
    asFunction: '',
    env: { OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' },
    prepare: preparePluginTypes,
  },
]

function codexFunction(flags: string): string {
  const own = '--dangerously-bypass-approvals-and-sandbox --dangerously-bypass-hook-trust'
  return `codex() { command codex "$@" ${flags} ${own}; }`
}

function program(id: string, call: string): TurnPart {
  return { tool: 'exec', custom: true, input: `text(await ${call})`, id: `call_${id}` }
}

/** OpenCode would install the types for plugins from npm, which a plugin of ours does not use. */
async function preparePluginTypes(home: string): Promise<void> {
  const manifest = new URL('./package.json', import.meta.url)
  const { dependencies } = JSON.parse(await readFile(manifest, 'utf8'))
  const version = dependencies['opencode-ai']
  const name = '@opencode-ai/plugin'
  const root = { dependencies: { [name]: version } }
  const folder = join(home, '.config', 'opencode')
  const types = join(folder, 'node_modules', name)
  await mkdir(types, { recursive: true })
  const write = (file: string, json: object) => writeFile(file, JSON.stringify(json))
  await write(join(types, 'package.json'), { name, version })
  await write(join(folder, 'package.json'), root)
  await write(join(folder, 'package-lock.json'), { lockfileVersion: 3, packages: { '': root } })
}

/** The commands of a client in the guide: all that set it up, and those that start it. */
export async function commandsOf({ heading }: RealClient): Promise<{ all: string; start: string }> {
  const guide = await readFile(GUIDE, 'utf8')
  const [, rest = ''] = guide.split(`\n### ${heading}\n`)
  const [section = ''] = rest.split(/^##/m)
  const blocks = [...section.matchAll(/^```\n(.*?)^```$/gms)].map(([, block = '']) =>
    block.replaceAll(/(sk-ant-|sk-|AIza)…/g, 'none'),
  )
  return { all: blocks.join('\n'), start: blocks.at(-1) ?? '' }
}

/** The environment of a user who installed the clients, without settings of this machine. */
export function environmentOf({ env }: RealClient, home: string): Record<string, string> {
  const node = join(process.execPath, '..')
  return {
    PATH: [PROGRAMS, node, process.env['PATH']].join(delimiter),
    HOME: home,
    LANG: 'C.UTF-8',
    ...env,
  }
}
