import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { HookClient } from '@touchstone/sdk/hooks'
import { expect } from 'vitest'
import { type ConnectedAgent, codingAgent } from './coding-agent.ts'

const POLICY = {
  meta: { schema_version: '1.0', name: 'Coding', scope: 'agent' },
  capability_mappings: { reading: { tools: ['Read'], card_actions: ['search'] } },
  forbidden: [{ pattern: 'Bash', reason: 'No shell here', severity: 'critical' }],
  defaults: { enforcement_mode: 'enforce', unmapped_tool_action: 'allow', grace_period_hours: 0 },
}

/** A configuration that somebody wrote by hand, with comments, tabs and hooks of others. */
const OTHERS = `{
\t// Kept as it is.
\t"theme": "dark", /* really */
\t"hooks": {
\t\t"Other": [{ "command": "true" }],
\t}
}
`

type Ran = { code: unknown; output: string }

type Place = {
  /** Runs the command line for a user with this home folder. */
  touchstone(args: readonly string[], home: string): Promise<Ran>
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of a body
  api(method: string, path: string, body?: unknown): Promise<any>
}

/** An agent whose policy forbids the shell. */
export async function addCodingAgent({ api }: Pick<Place, 'api'>, agentId: string): Promise<void> {
  await api('POST', '/v1/agents', { agent_id: agentId })
  await api('PUT', `/v1/agents/${agentId}/policy`, POLICY)
}

type Journey = {
  client: HookClient
  home: string
  agent?: ConnectedAgent
  /** Its configuration before, which has the comment of OTHERS. */
  original?: string | undefined
}

/** The plugin of OpenCode is a file of its own. */
function originalOf(client: HookClient): string | undefined {
  return client === 'opencode' ? undefined : OTHERS
}

/**
 * Connects a client, lets it make a forbidden and a harmless call, reads both decisions, and disconnects
 * it. Returns the configuration while it was connected.
 */
export async function connectAndDisconnect(
  place: Place,
  { client, home, agent = codingAgent(client, home), original = originalOf(client) }: Journey,
): Promise<string> {
  const { touchstone, api } = place
  const agentId = `${client}-journey`
  await addCodingAgent(place, agentId)
  if (original !== undefined) {
    await mkdir(dirname(agent.file), { recursive: true })
    await writeFile(agent.file, original)
  }
  const connect = ['connect', client, '--agent', agentId, '--yes']
  const connected = await touchstone(connect, home)
  expect(connected.output).toContain(`is now connected as agent ${agentId} (enforce)`)
  expect(connected.output).toContain('A forbidden call of Bash was refused')
  expect(connected.code).toBe(0)

  const written = await readFile(agent.file, 'utf8')
  if (original !== undefined) {
    expect(written).toContain('// Kept as it is.')
    expect(written).toContain('{ "command": "true" }')
  }
  const session = `journey-${client}`
  const bash = { session, tool: 'Bash', arguments: { command: 'rm -rf /' } }
  const refused = await agent.make(bash)
  expect(refused).toMatchObject({ ran: false, said: expect.stringContaining('No shell here') })
  const read = { session, tool: 'Read', arguments: { file_path: '/etc/hosts' } }
  expect(await agent.make(read)).toEqual({ ran: true, said: '' })
  const { decisions } = await api('GET', `/v1/decisions?session_id=${session}`)
  expect(decisions).toMatchObject([
    { tool: 'Read', decision: 'allow', source: 'hook', outcome: { status: 'executed' } },
    { tool: 'Bash', decision: 'block', source: 'hook', outcome: null },
  ])

  const again = await touchstone(connect, home)
  expect(again.output).toContain('is already connected as agent')
  expect(await readFile(agent.file, 'utf8')).toBe(written)

  const { code } = await touchstone(['disconnect', client], home)
  expect(code).toBe(0)
  const left = await readFile(agent.file, 'utf8').catch(() => undefined)
  expect(left).toBe(original)
  return written
}
