import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AlignmentCard, isGeneratedCard } from '@touchstone/protocol/cards'
import type { CompileInput, MergedPolicy, PolicyCard } from '@touchstone/protocol/policy'
import { ApiError, type Client, createClient } from '@touchstone/sdk'
import type { HookClient } from '@touchstone/sdk/hooks'
import type { Connection } from '../connections.ts'
import { reasonOf } from '../reason.ts'
import { chooseProbes, type Probe, type Probes } from './choose-probes.ts'
import type { ConfiguredHook, HookCommand } from './configured-hook.ts'

export type Fired = {
  call: 'harmless' | 'forbidden'
  tool: string
  /** The effect of the answer in the client. */
  answer: 'passed' | 'refused' | 'asked' | 'failed'
  said: string
}

export type HookTest = { fired: readonly Fired[]; problems: readonly string[] }

export type TestOptions = {
  name: HookClient
  connection: Connection
  hook: ConfiguredHook
  cwd: string
  env: Readonly<Record<string, string | undefined>>
}

/** Runs the hook as the client would, with a call that the policy allows and one that it blocks. */
export async function testHook(options: TestOptions): Promise<HookTest> {
  const { name, connection, hook } = options
  // Without a hook in the configuration, the client asks nobody.
  if (hook.run === undefined) return { fired: [], problems: hook.problems }
  const rules = await readRules(connection)
  const { harmless, forbidden } = chooseProbes(name, rules.kind === 'policy' ? rules : undefined)
  const fired = [
    ...(harmless === undefined ? [] : [await fire(options, hook.run, 'harmless', harmless)]),
    ...(forbidden === undefined ? [] : [await fire(options, hook.run, 'forbidden', forbidden)]),
  ]
  const known = { agentId: connection.agent_id, rules, harmless, forbidden }
  const ofCalls = [...problemsOfPolicy(known), ...problemsOf(options, fired)]
  return { fired, problems: [...new Set([...hook.problems, ...ofCalls])] }
}

function problemsOfPolicy({
  agentId,
  rules,
  harmless,
  forbidden,
}: Probes & { agentId: string; rules: Rules }): string[] {
  const apply = `touchstone policy apply FILE --agent ${agentId}`
  // The hook itself reports that the service or the key does not work.
  if (rules.kind === 'unreadable') return []
  if (rules.kind === 'none') {
    return [`${agentId} has no policy, so nothing would be refused. Store one: ${apply}`]
  }
  const mode = rules.policy.defaults.enforcement_mode
  if (mode !== 'enforce') return [modeProblem(agentId, mode)]
  return [
    ...(harmless === undefined ? [`The policy of ${agentId} lets no tool through.`] : []),
    ...(forbidden === undefined
      ? [
          `The policy of ${agentId} blocks no tool, so nothing would be refused. Change it: ${apply}`,
        ]
      : []),
  ]
}

function modeProblem(agentId: string, mode: string): string {
  return `The policy of ${agentId} has the mode ${mode}, so nothing would be refused. Set defaults.enforcement_mode to enforce.`
}

function problemsOf({ connection }: TestOptions, fired: readonly Fired[]): string[] {
  return fired.flatMap(({ call, answer, said, tool }) => {
    if (answer === 'failed') return [`The hook could not be run: ${said}`]
    if (said.includes('could not decide') || said.includes('did not decide')) {
      return [`There was no decision: ${said}`]
    }
    if (connection.mode !== 'enforce') return []
    if (call === 'forbidden' && answer === 'passed') {
      return [`The forbidden call of ${tool} was not refused.`]
    }
    return call === 'harmless' && answer !== 'passed'
      ? [`The harmless call of ${tool} was ${answer}.`]
      : []
  })
}

type Rules = ({ kind: 'policy' } & CompileInput) | { kind: 'none' } | { kind: 'unreadable' }

/** The policy and the card of the agent, as the service evaluates them. */
async function readRules({ url, api_key: token, agent_id }: Connection): Promise<Rules> {
  const client = createClient({ baseUrl: url, token })
  const params = { agent_id }
  try {
    const resolved = await found(
      client.request('GET', '/v1/agents/{agent_id}/policy/resolved', { params }),
    )
    if (resolved === undefined) return { kind: 'none' }
    // The service validated it before it stored it.
    const policy = resolved.resolved_policy as MergedPolicy
    return { kind: 'policy', policy, card: await readCard(client, agent_id) }
  } catch (err) {
    if (err instanceof ApiError) return { kind: 'unreadable' }
    throw err
  }
}

/** The card that policies are checked against: none if nobody declared one. */
async function readCard(client: Client, agentId: string): Promise<PolicyCard | undefined> {
  const read = (effective: boolean) => {
    const of = { params: { agent_id: agentId }, query: { effective } }
    return found(client.request('GET', '/v1/agents/{agent_id}/card', of))
  }
  const [declared, inForce] = await Promise.all([read(false), read(true)])
  if (declared === undefined || inForce === undefined) return undefined
  // The service validated both before it stored them.
  const isGenerated = isGeneratedCard(agentId, declared.card_json as AlignmentCard)
  return isGenerated ? undefined : (inForce.card_json as PolicyCard)
}

async function found<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (err) {
    if (err instanceof ApiError && err.status === 404) return undefined
    throw err
  }
}

async function fire(
  { cwd, env }: TestOptions,
  { command, args, isShell }: HookCommand,
  call: Fired['call'],
  { tool, input }: Probe,
): Promise<Fired> {
  const child = spawn(command, args, {
    cwd,
    env,
    shell: isShell,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const output = collect(child)
  child.stdin.on('error', () => undefined)
  child.stdin.end(JSON.stringify(input))
  try {
    const [code] = await once(child, 'close')
    const said = output().trim() || (code === 0 ? '' : `it ended with ${code}`)
    return { call, tool, answer: answerIn(said, code), said }
  } catch (err) {
    return { call, tool, answer: 'failed', said: reasonOf(err) }
  }
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
  if (code !== 0 && code !== 2) return 'failed'
  if (code === 2 || said.includes('"deny"')) return 'refused'
  return said.includes('"ask"') ? 'asked' : 'passed'
}
