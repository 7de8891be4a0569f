import { parseJson } from '../parse-json.ts'
import type { Program } from './program.ts'

/** The plugin that gives OpenCode the hook program of the other clients. */
export function opencodePlugin({ command, mode }: Program): string {
  return `// Written by "touchstone connect opencode". "touchstone disconnect opencode" removes it.
import { spawn } from 'node:child_process'

const [PROGRAM, ...ARGUMENTS] = ${JSON.stringify(command)}
const TIMEOUT_MS = 10_000
const BLOCKS_ON_FAILURE = ${mode === 'enforce'}

/** The answer of the hook to an event; a hook that fails or does not answer in time says \`deny\`. */
function ask(event) {
  return new Promise((resolve) => {
    const fail = (reason) => resolve(BLOCKS_ON_FAILURE ? { deny: reason } : {})
    const child = spawn(PROGRAM, ARGUMENTS, { stdio: ['pipe', 'pipe', 'pipe'] })
    const timer = setTimeout(() => {
      child.kill()
      fail('The Touchstone hook did not answer in time.')
    }, TIMEOUT_MS)
    let out = ''
    let err = ''
    child.stdout.on('data', (chunk) => (out += chunk))
    child.stderr.on('data', (chunk) => (err += chunk))
    child.stdin.on('error', () => undefined)
    child.on('error', (error) => fail(\`The Touchstone hook could not be started: \${error.message}\`))
    child.on('close', (code) => {
      clearTimeout(timer)
      if (code !== 0) return fail(err.trim() || \`The Touchstone hook ended with \${code}.\`)
      try {
        resolve(out.trim() === '' ? {} : JSON.parse(out))
      } catch {
        fail('The answer of the Touchstone hook is not JSON.')
      }
    })
    child.stdin.end(JSON.stringify(event))
  })
}

/** Calls that may run and have not ended: OpenCode reports a failed one as an event only. */
const running = new Map()

async function end(callID, outcome) {
  const call = running.get(callID)
  running.delete(callID)
  if (call !== undefined) await ask({ ...call, ...outcome })
}

export const Touchstone = async () => ({
  'tool.execute.before': async ({ tool, sessionID, callID }, { args }) => {
    const { deny } = await ask({ hook: 'tool.execute.before', tool, sessionID, callID, args })
    if (deny !== undefined) throw new Error(deny)
    running.set(callID, { tool, sessionID, callID, args })
  },
  'tool.execute.after': async ({ callID }, { output }) => {
    await end(callID, { hook: 'tool.execute.after', output })
  },
  event: async ({ event }) => {
    const { callID, state } = event.properties?.part ?? {}
    if (event.type === 'message.part.updated' && state?.status === 'error') {
      return end(callID, { hook: 'tool.execute.error', error: state.error })
    }
    if (event.type !== 'session.idle' && event.type !== 'session.deleted') return
    const { sessionID, info } = event.properties
    await ask({ hook: event.type, sessionID: sessionID ?? info?.id })
  },
})
`
}

/** The program that a plugin of ours starts, with its arguments; undefined if the text is none. */
export function programIn(plugin: string): string[] | undefined {
  const [, words = ''] = /^const \[PROGRAM, \.\.\.ARGUMENTS\] = (\[.*\])$/m.exec(plugin) ?? []
  const parsed = parseJson(words)
  return Array.isArray(parsed) ? parsed.map(String) : undefined
}
