import type { Answer, Body } from '@touchstone/sdk'
import { usageError } from '../cli-error.ts'
import { command } from '../command.ts'
import { numberFlag } from '../number-flag.ts'
import { readSecret } from '../read-secret.ts'
import { connect } from '../service.ts'
import { fields, printable, table } from '../table.ts'

const ALL = '/v1/agents/{agent_id}/connections'
const ONE = '/v1/agents/{agent_id}/connections/{connection_id}'
const ROTATE = '/v1/agents/{agent_id}/connections/{connection_id}/rotate'

type Connection = Answer<'GET', typeof ONE>
type WithToken = Answer<'POST', typeof ALL>

const PROVIDERS = ['anthropic', 'openai', 'gemini', 'openai_compatible'] as const

const AGENT = { agent: { summary: 'the agent id' } } as const
const CONNECTION = { ...AGENT, connection: { summary: 'the id of the connection' } } as const

export const connectionsList = command({
  path: ['connections', 'list'],
  summary: "list an agent's connections to model providers",
  flags: {},
  args: AGENT,
  async run({ args, io }) {
    const { client } = await connect(io)
    const found = await client.request('GET', ALL, { params: { agent_id: args.agent } })
    const head = ['ID', 'NAME', 'PROVIDER', 'KEY', 'MODE', 'TOKEN', 'LAST USED']
    io.result(found, () =>
      found.connections.length === 0
        ? 'No connections found.'
        : table(head, found.connections.map(rowOf)),
    )
    return 0
  },
})

function rowOf(one: Connection): string[] {
  return [
    one.connection_id,
    printable(one.name),
    one.provider,
    one.credential,
    one.mode,
    `${one.token_prefix}…`,
    one.last_used_at ?? 'never',
  ]
}

export const connectionsCreate = command({
  path: ['connections', 'create'],
  summary: 'connect an agent to a model provider through the model gateway',
  details: `Prints the environment of the agent's program, with the token, which is shown once. With --seal the
provider's key is read from standard input, without echo on a terminal. The service then holds it, and the
agent cannot call the provider except through the gateway.`,
  flags: {
    provider: { type: 'string', choices: PROVIDERS, summary: 'the API of the provider; required' },
    'upstream-url': {
      type: 'string',
      value: 'URL',
      summary: 'of an openai_compatible server, without /v1; the operator must have listed it',
    },
    seal: { type: 'boolean', summary: "keep the provider's key in the service" },
    name: { type: 'string', value: 'TEXT', summary: 'display name' },
    mode: {
      type: 'string',
      choices: ['enforce', 'observe'],
      summary: 'observe only records; default: enforce',
    },
    'on-contained': {
      type: 'string',
      choices: ['refuse', 'turn'],
      summary: 'how a contained agent is answered: with an error (default), or a turn of the model',
    },
    'on-error': {
      type: 'string',
      choices: ['fail_closed', 'fail_open'],
      summary: 'whether tool calls pass if the gateway fails; default: fail_closed',
    },
  },
  args: AGENT,
  async run({ args, flags, io }) {
    const { provider } = flags
    if (provider === undefined) throw usageError('--provider is required.')
    const { client } = await connect(io)
    const sealed = flags.seal ? await readSecret("The provider's key", io) : undefined
    const body: Body<'POST', typeof ALL> = {
      provider,
      ...(flags['upstream-url'] !== undefined && { upstream_url: flags['upstream-url'] }),
      ...(sealed !== undefined && { credential: { sealed } }),
      ...(flags.name !== undefined && { name: flags.name }),
      ...(flags.mode !== undefined && { mode: flags.mode }),
      ...(flags['on-contained'] !== undefined && { on_contained: flags['on-contained'] }),
      ...(flags['on-error'] !== undefined && { on_error: flags['on-error'] }),
    }
    const made = await client.request('POST', ALL, { params: { agent_id: args.agent }, body })
    io.result(made, () =>
      [`Created the connection ${made.connection_id}.`, ...environmentLines(made)].join('\n'),
    )
    return 0
  },
})

/** The environment as lines to paste into a shell. */
function environmentLines({ environment, provider, credential }: WithToken): string[] {
  const lines = Object.entries(environment ?? {}).map(
    ([name, value]) => `  export ${printable(name)}=${quoted(printable(value))}`,
  )
  const key = credential === 'sealed' ? [] : [`The program keeps using its own key of ${provider}.`]
  return ["The environment of the agent's program, shown only once:", ...lines, ...key]
}

/** Plain words stay as they are, because they are easier to read. */
function quoted(text: string): string {
  return /^[\w./:@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

export const connectionsShow = command({
  path: ['connections', 'show'],
  summary: 'show one connection of an agent',
  flags: {},
  args: CONNECTION,
  async run({ args, io }) {
    const { client } = await connect(io)
    const found = await client.request('GET', ONE, { params: paramsOf(args) })
    io.result(found, () =>
      fields(Object.entries(found).map(([name, value]) => [name, printable(value ?? 'none')])),
    )
    return 0
  },
})

function paramsOf({ agent, connection }: { agent: string; connection: string }) {
  return { agent_id: agent, connection_id: connection }
}

export const connectionsRotate = command({
  path: ['connections', 'rotate'],
  summary: 'replace the token of a connection',
  flags: {
    'grace-hours': {
      type: 'string',
      value: 'N',
      summary: 'the old token works for N more hours, up to 168; default: 0',
    },
  },
  args: CONNECTION,
  async run({ args, flags, io }) {
    const hours = numberFlag('grace-hours', flags['grace-hours'], { min: 0, max: 168 })
    const { client } = await connect(io)
    const made = await client.request('POST', ROTATE, {
      params: paramsOf(args),
      body: hours === undefined ? {} : { grace_hours: hours },
    })
    io.result(made, () =>
      [`Rotated the token of ${made.connection_id}.`, ...environmentLines(made)].join('\n'),
    )
    return 0
  },
})

export const connectionsRevoke = command({
  path: ['connections', 'revoke'],
  summary: 'revoke a connection; its token stops working within a second',
  flags: {},
  args: CONNECTION,
  async run({ args, io }) {
    const { client } = await connect(io)
    const revoked = await client.request('DELETE', ONE, { params: paramsOf(args) })
    io.result(revoked, () => `Revoked ${args.connection}.`)
    return 0
  },
})
