import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { ApiError, createClient } from '@touchstone/sdk'
import type { HookClient } from '@touchstone/sdk/hooks'
import type { Connection } from '../connections.ts'
import { sampleOf } from './samples.ts'

export type Fired = {
  call: 'harmless' | 'forbidden'
  tool: string
  /** The effect of the answer in the client. */
  answer: 'passed' | 'refused' | 'asked'
  said: string
}

export type HookTest = { fired: readonly Fired[]; problems: readonly string[] }

export type TestOptions = {
  name: HookClient
  connection: Connection
  /** The absolute paths of node and the program, as in the configuration. */
  command: readonly [string, ...string[]]
  cwd: string
  env: Readonly<Record<string, string | undefined>>
}

const SESSION = 'touchstone-connect-test'
const HARMLESS = 'touchstone_connect_test'

/** Runs the hook as the client would, with a call that does nothing and one that a rule forbids. */
export async function testHook(options: TestOptions): Promise<HookTest> {
  const forbidden = await forbiddenTool(options.connection)
  const harmless = await fire(options, 'harmless', HARMLESS)
  if (forbidden === undefined) {
    const { agent_id: agentId } = options.connection
    const problem = `The policy of ${agentId} forbids no tool, so nothing would be refused. Store one: touchstone policy apply FILE --agent ${agentId}`
    return { fired: [harmless], problems: [problem, ...problemsOf(options, [harmless])] }
  }
  const fired = [harmless, await fire(options, 'forbidden', forbidden)]
  return { fired, problems: problemsOf(options, fired) }
}

function problemsOf({ connection }: TestOptions, fired: readonly Fired[]): string[] {
  return fired.flatMap(({ call, answer, said, tool }) => {
    if (said.includes('could not decide') || said.includes('did not decide')) {
      return [`There was no decision: ${said}`]
    }
    if (call === 'forbidden' && answer === 'passed' && connection.mode === 'enforce') {
      return [`The forbidden call of ${tool} was not refused.`]
    }
    return []
  })
}

/** A tool that a rule of the agent's policy forbids. */
async function forbiddenTool(connection: Connection): Promise<string | undefined> {
  const client = createClient({ baseUrl: connection.url, token: connection.api_key })
  const params = { agent_id: connection.agent_id }
  try {
    const { resolved_policy: policy } = await client.request(
      'GET',
      '/v1/agents/{agent_id}/policy/resolved',
      { params },
    )
    return policy.forbidden?.[0]?.pattern.replaceAll('*', 'x')
  } catch (err) {
    // The hook itself reports that the service or the key does not work.
    if (err instanceof ApiError) return undefined
    throw err
  }
}

async function fire(options: TestOptions, call: Fired['call'], tool: string): Promise<Fired> {
  const { name, command, cwd, env } = options
  const [program, ...args] = command
  const child = spawn(program, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] })
  const { before } = sampleOf(name, { session: SESSION, tool, arguments: { command: 'true' } })
  child.stdin.on('error', () => undefined)
  child.stdin.end(JSON.stringify(before))
  const output = collect(child)
  const [code] = await once(child, 'close')
  const said = output().trim()
  return { call, tool, answer: answerIn(said, code), said }
}

function collect({ stdout, stderr }: ChildProcess): () => string {
  let text = ''
  for (const stream of [stdout, stderr]) {
    stream?.on('data', (chunk) => {
      text += String(chunk)
    })
  }
  return () => text
}

/** In every dialect a refusal is exit code 2 or the word `deny`, as a value or a member. */
function answerIn(said: string, code: unknown): Fired['answer'] {
  if (code === 2 || said.includes('"deny"')) return 'refused'
  return said.includes('"ask"') ? 'asked' : 'passed'
}
