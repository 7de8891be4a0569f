import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import type { HookClient } from '@touchstone/sdk/hooks'
import { CLIENTS } from '../../packages/cli/src/connect/clients.ts'
import { type SampleCall, sampleOf } from '../../packages/cli/src/connect/samples.ts'

type Ended = { code: number | null; stdout: string; stderr: string }

/** The end of a call in a coding agent: whether the tool ran, and the text the agent saw if not. */
export type Made = { ran: boolean; said: string }

export type ConnectedAgent = {
  /** Its configuration. */
  file: string
  make(call: SampleCall): Promise<Made>
}

/**
 * A coding agent that runs the hooks in its own configuration as its contract says, before and after a
 * call. It stops a call only for what the client itself takes for a refusal.
 */
export function codingAgent(client: HookClient, home: string) {
  const env = { PATH: process.env['PATH'] ?? '', HOME: home }
  const file = CLIENTS[client].userFile({ home, env })

  /** Commands of an event, and whether the client stops if one of them fails. */
  async function commandsOf(event: string): Promise<{ command: string; blocks: boolean }[]> {
    const { hooks = {} } = JSON.parse(withoutComments(await readFile(file, 'utf8')))
    const entries: Record<string, unknown>[] = hooks[event] ?? []
    return entries
      .flatMap((entry) => (Array.isArray(entry['hooks']) ? entry['hooks'] : [entry]))
      .map((one) => ({
        command: String(one.command ?? one.bash),
        blocks: one.onFailure === 'block' || one.failClosed === true,
      }))
  }

  async function run(command: string, input: object): Promise<Ended> {
    const child = spawn('sh', ['-c', command], { env, cwd: home, stdio: ['pipe', 'pipe', 'pipe'] })
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (chunk) => {
      stdout += String(chunk)
    })
    child.stderr.on('data', (chunk) => {
      stderr += String(chunk)
    })
    child.stdin.on('error', () => undefined)
    child.stdin.end(JSON.stringify(input))
    const [code] = await once(child, 'close')
    return { code, stdout: stdout.trim(), stderr: stderr.trim() }
  }

  async function fire(event: string, input: object): Promise<(Ended & { blocks: boolean })[]> {
    const ended = []
    for (const { command, blocks } of await commandsOf(event)) {
      ended.push({ ...(await run(command, input)), blocks })
    }
    return ended
  }

  async function makeOpencode(call: SampleCall, error?: string): Promise<Made> {
    const { before, after } = sampleOf(client, call)
    const plugin = await import(`${pathToFileURL(file).href}?${Math.random()}`)
    // The plugin's hook programs inherit the environment of OpenCode.
    const saved = process.env['HOME']
    process.env['HOME'] = home
    const hooks = await plugin.Touchstone({})
    const part = { callID: Object(before).callID, state: { status: 'error', error } }
    const fail = () =>
      hooks.event({ event: { type: 'message.part.updated', properties: { part } } })
    try {
      await hooks['tool.execute.before'](before, { args: call.arguments })
      if (error === undefined) await hooks['tool.execute.after'](after, { output: 'done' })
      else await fail()
      const ended = { type: 'session.idle', properties: { sessionID: call.session } }
      await hooks.event({ event: ended })
      return { ran: true, said: '' }
    } catch (err) {
      await fail()
      return { ran: false, said: String(err) }
    } finally {
      process.env['HOME'] = saved
    }
  }

  return {
    file,
    /** With an error, the tool fails; only for OpenCode. */
    async make(call: SampleCall, error?: string): Promise<Made> {
      if (client === 'opencode') return makeOpencode(call, error)
      const { before, after } = sampleOf(client, call)
      const [first, second] = eventsOf(client, before)
      for (const ended of await fire(first, before)) {
        if (isStopped(client, ended)) {
          return { ran: false, said: `${ended.stdout}${ended.stderr}` }
        }
      }
      await fire(second, after)
      return { ran: true, said: '' }
    },
    /** Ends the turn of the session. */
    async stop(input: object): Promise<void> {
      await fire(STOP[client], input)
    },
  }
}

/** Clients read JSON with comments, and most of them also trailing commas. */
function withoutComments(text: string): string {
  return text.replace(/\/\/.*|\/\*.*?\*\//g, '').replace(/,(\s*[}\]])/g, '$1')
}

const STOP: Record<HookClient, string> = {
  'claude-code': 'Stop',
  codex: 'Stop',
  vscode: 'Stop',
  cursor: 'stop',
  'gemini-cli': 'AfterAgent',
  'copilot-cli': 'agentStop',
  opencode: 'session.idle',
  windsurf: 'post_cascade_response',
}

function eventsOf(client: HookClient, before: object): [string, string] {
  switch (client) {
    case 'cursor':
    case 'copilot-cli':
      return ['preToolUse', 'postToolUse']
    case 'gemini-cli':
      return ['BeforeTool', 'AfterTool']
    case 'windsurf': {
      const name = String(Object(before).agent_action_name)
      return [name, name.replace('pre_', 'post_')]
    }
    default:
      return ['PreToolUse', 'PostToolUse']
  }
}

/** Only what the client's own documentation or code takes for a refusal. */
function isStopped(client: HookClient, ended: Ended & { blocks: boolean }): boolean {
  const { code, stdout, stderr, blocks } = ended
  const said = parsed(stdout)
  switch (client) {
    case 'windsurf':
      return code === 2
    case 'copilot-cli':
      return code !== 0 || said['permissionDecision'] === 'deny'
    case 'cursor':
      if (code === 2 || said['permission'] === 'deny') return true
      return blocks && (code !== 0 || stdout === '')
    case 'gemini-cli':
      if (stdout !== '') return ['deny', 'block'].includes(String(said['decision']))
      return code !== 0 && code !== 1 && stderr !== ''
    default: {
      if (code === 2) return true
      if (code !== 0) return blocks
      return Object(said['hookSpecificOutput']).permissionDecision === 'deny'
    }
  }
}

function parsed(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}
