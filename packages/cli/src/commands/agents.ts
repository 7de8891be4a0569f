import { ApiError, type Client, type Item, items, type Query } from '@touchstone/sdk'
import { createAgentKey, KEY_CLIENTS } from '../agent-key.ts'
import { usageError } from '../cli-error.ts'
import { command } from '../command.ts'
import { readYaml } from '../documents.ts'
import { numberFlag } from '../number-flag.ts'
import { connect, connectPublic, getAccess } from '../service.ts'
import { withSession } from '../session.ts'
import { fields, printable, table } from '../table.ts'

type Agent = Item<'/v1/agents'>
type AgentQuery = Query<'GET', '/v1/agents'>

const STATUSES = ['active', 'paused', 'killed', 'archived'] as const
const VISIBILITIES = ['public', 'unlisted', 'private'] as const

const USER_OF_KEY = {
  type: 'string',
  choices: KEY_CLIENTS,
  summary: 'what will use its key; default: sdk',
} as const

export const agentsList = command({
  path: ['agents', 'list'],
  summary: "list the organisation's agents",
  flags: {
    search: { type: 'string', value: 'TEXT', summary: 'only agents with TEXT in their name or id' },
    status: { type: 'string', choices: STATUSES, summary: 'only agents with this status' },
    visibility: {
      type: 'string',
      choices: VISIBILITIES,
      summary: 'only agents with this visibility',
    },
    limit: { type: 'string', value: 'N', summary: 'at most N agents; default: all' },
  },
  args: {},
  async run({ flags, io }) {
    const { client } = await connect(io)
    const limit = numberFlag('limit', flags.limit, { min: 1, max: 1e6 }) ?? Number.POSITIVE_INFINITY
    const query: AgentQuery = {
      ...(flags.search !== undefined && { q: flags.search }),
      ...(flags.status !== undefined && { status: flags.status }),
      ...(flags.visibility !== undefined && { visibility: flags.visibility }),
    }
    const shown: Agent[] = []
    for await (const agent of items(client, '/v1/agents', { query })) {
      if (shown.push(agent) >= limit) break
      io.progress(`${shown.length} agents`)
    }
    io.result({ agents: shown }, () =>
      shown.length === 0
        ? 'No agents found.'
        : table(['ID', 'NAME', 'STATUS', 'VISIBILITY', 'LAST SEEN'], shown.map(rowOf)),
    )
    return 0
  },
})

function rowOf(agent: Agent): string[] {
  const { agent_id, name, status, visibility, last_seen_at } = agent
  return [agent_id, printable(name), status, visibility, last_seen_at ?? 'never']
}

export const agentsRegister = command({
  path: ['agents', 'register'],
  summary: 'register an agent and create its API key',
  details: `The key can only be used for this agent, to get decisions and to send evidence: give it to the
agent's guard, hook or SDK. It is shown once. Creating it needs the scope write.`,
  flags: {
    name: { type: 'string', value: 'TEXT', summary: 'display name' },
    description: { type: 'string', value: 'TEXT', summary: 'what the agent does' },
    visibility: {
      type: 'string',
      choices: VISIBILITIES,
      summary: 'who can see its score; default: public',
    },
    card: { type: 'string', value: 'FILE', summary: 'its alignment card, JSON or YAML' },
    client: USER_OF_KEY,
    'no-key': { type: 'boolean', summary: 'do not create a key' },
  },
  args: { agent: { summary: 'the agent id; default: a generated one', optional: true } },
  async run({ args, flags, io }) {
    const card = flags.card === undefined ? undefined : await readYaml(flags.card, io)
    const { client, url } = await connect(io)
    const answer = await client.request('POST', '/v1/agents', {
      body: {
        ...(args.agent !== undefined && { agent_id: args.agent }),
        ...(flags.name !== undefined && { name: flags.name }),
        ...(flags.description !== undefined && { description: flags.description }),
        ...(flags.visibility !== undefined && { visibility: flags.visibility }),
        ...(card !== undefined && { card }),
      },
    })
    const { agent, agent_secret: secret } = answer
    const kind = flags.client ?? 'sdk'
    const made = flags['no-key'] ? undefined : await tryToCreateKey(client, agent.agent_id, kind)
    io.result({ ...answer, api_key: made?.key ?? null }, () =>
      [
        `Registered ${agent.agent_id}.`,
        ...(secret ? [`Agent secret, shown only once: ${secret}`] : []),
        ...(made === undefined ? [] : linesOf(made, { agentId: agent.agent_id, url })),
      ].join('\n'),
    )
    return 0
  },
})

type AgentKey = { key: string | undefined; problem: string | undefined }

async function tryToCreateKey(
  client: Client,
  agentId: string,
  kind: (typeof KEY_CLIENTS)[number],
): Promise<AgentKey> {
  try {
    const key = await createAgentKey(client, { agentId, name: agentId, client: kind })
    return { key, problem: undefined }
  } catch (err) {
    // The agent is registered, so the command reports both.
    if (err instanceof ApiError && err.status === 403)
      return { key: undefined, problem: err.message }
    throw err
  }
}

/** The key as lines to paste into the environment of the agent. */
function linesOf({ key, problem }: AgentKey, of: { agentId: string; url: string }): string[] {
  if (key === undefined) return [`No API key was created. ${problem ?? ''}`.trimEnd()]
  return [
    'API key of the agent, shown only once:',
    `  export TOUCHSTONE_URL=${of.url}`,
    `  export TOUCHSTONE_API_KEY=${key}`,
    `  export TOUCHSTONE_AGENT=${of.agentId}`,
  ]
}

export const agentsKey = command({
  path: ['agents', 'key'],
  summary: 'create another API key of an agent',
  details: `Like the key that "touchstone agents register" creates: only for this agent, to get decisions and
to send evidence. What a guard or hook sends with it counts as relayed. It is shown once.`,
  flags: { client: USER_OF_KEY },
  args: { agent: { summary: 'the agent id' } },
  async run({ args, flags, io }) {
    const { client, url } = await connect(io)
    const kind = flags.client ?? 'sdk'
    const { agent: agentId } = args
    const key = await createAgentKey(client, { agentId, name: agentId, client: kind })
    io.result({ agent_id: agentId, client: kind, api_key: key }, () =>
      linesOf({ key, problem: undefined }, { agentId, url }).join('\n'),
    )
    return 0
  },
})

export const agentsShow = command({
  path: ['agents', 'show'],
  summary: 'show one agent',
  flags: {},
  args: { agent: { summary: 'the agent id' } },
  async run({ args, io }) {
    const { client } = await connectPublic(io)
    const agent = await client.request('GET', '/v1/agents/{agent_id}', {
      params: { agent_id: args.agent },
    })
    io.result(agent, () =>
      fields(Object.entries(agent).map(([name, value]) => [name, text(value)])),
    )
    return 0
  },
})

function text(value: unknown): string {
  return printable(typeof value === 'string' ? value : JSON.stringify(value))
}

export const agentsArchive = command({
  path: ['agents', 'archive'],
  summary: 'archive an agent; its evidence is kept',
  details: `Only an owner can archive an agent, not an API key. The password of the account is read from
standard input, without echo on a terminal.`,
  flags: {
    email: { type: 'string', value: 'ADDRESS', summary: 'e-mail address of the owner; required' },
  },
  args: { agent: { summary: 'the agent id' } },
  async run({ args, flags, io }) {
    const { email } = flags
    if (email === undefined)
      throw usageError('--email is required: only an owner can archive an agent.')
    const { url } = await getAccess(io)
    const params = { agent_id: args.agent }
    await withSession({ url, email }, io, (client) =>
      client.request('DELETE', '/v1/agents/{agent_id}', { params }),
    )
    io.result({ agent_id: args.agent, archived: true }, () => `Archived ${args.agent}.`)
    return 0
  },
})
