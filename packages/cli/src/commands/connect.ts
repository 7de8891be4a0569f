import { existsSync } from 'node:fs'
import { homedir, hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { HOOK_CLIENTS, type HookClient, isHookClient } from '@touchstone/sdk/hooks/clients'
import { usageError } from '../cli-error.ts'
import { command, type ExitCode } from '../command.ts'
import { CLIENTS, type Folders } from '../connect/clients.ts'
import type { ConfiguredHook } from '../connect/configured-hook.ts'
import type { Plan, Target } from '../connect/connect-client.ts'
import type { Program } from '../connect/program.ts'
import type { HookTest } from '../connect/test-hook.ts'
import {
  type Connection,
  type Connections,
  connectionName,
  connectionsFile,
  readConnections,
} from '../connections.ts'
import type { Io } from '../io.ts'
import { reasonOf } from '../reason.ts'
import { connect as connectService } from '../service.ts'
import { withSession } from '../session.ts'
import { table } from '../table.ts'

const PROGRAM = fileURLToPath(new URL('../../bin/touchstone-hook.cjs', import.meta.url))
/** Keys are listed by their first characters. */
const KEY_PREFIX_LENGTH = 12
const CLIENT = { summary: HOOK_CLIENTS.join(', ') }

const SCOPE = {
  type: 'string',
  choices: ['user', 'project'],
  summary: 'for all projects of this user, or for the current folder; default: user',
} as const

export const connect = command({
  path: ['connect'],
  summary: 'put a coding agent under a policy, or list the agents of this machine',
  details: `Registers the agent if it is unknown, creates a key for it and writes a hook into the configuration
of the client, which is shown first. Run "touchstone disconnect" to restore the file. Connecting
twice changes nothing. The key is saved in ~/.config/touchstone/connections.json. Only a person can
create a key of mode observe, so --mode observe needs --email, and reads the password from standard
input, without echo on a terminal.`,
  flags: {
    agent: { type: 'string', value: 'ID', summary: 'the agent; default: CLIENT-HOST' },
    scope: SCOPE,
    mode: {
      type: 'string',
      choices: ['enforce', 'observe'],
      summary: 'refuse calls, or only record what would be refused; default: enforce',
    },
    also: {
      type: 'string',
      value: 'LIST',
      summary: 'print settings for more of the client: model-gateway, mcp or both with a comma',
    },
    email: {
      type: 'string',
      value: 'ADDRESS',
      summary: 'sign in as this owner or admin, for --mode observe; needs --yes',
    },
    'dry-run': { type: 'boolean', summary: 'show the change and stop' },
    yes: { type: 'boolean', summary: 'do not ask; needed without a terminal' },
  },
  args: { client: { ...CLIENT, optional: true } },
  async run({ args, flags, io }) {
    if (args.client === undefined) return list(io)
    const target = targetOf(args.client, flags.scope, io)
    const { alsoLines, readAlso } = await import('../connect/also.ts')
    const also = readAlso(flags.also, target.name)
    const known = knownConnection(target)
    const mode = flags.mode ?? known?.mode ?? 'enforce'
    const config = target.client.config(programOf(target.name, mode))
    const { applyConnect, planConnect } = await import('../connect/connect-client.ts')
    const plan = await planConnect(target, config)
    await show(target, plan, io)
    if (flags['dry-run']) return 0
    if (flags.email !== undefined && !flags.yes) {
      throw usageError('--email needs --yes: the password is read from standard input.')
    }
    const { client: api, url } = await connectService(io)
    const agentId = flags.agent ?? known?.agent_id ?? defaultAgent(target.name)
    if (plan.after !== plan.before && !flags.yes && !(await confirm(io))) {
      io.note('Nothing was changed.')
      return 1
    }
    const wanted = { url, agentId, mode }
    const apply = async (own: typeof api) => {
      const applied = await applyConnect(target, plan, config, { wanted, api: own })
      const { connection } = applied
      const more = await alsoLines(also, { client: target.name, connection, api: own })
      return { ...applied, more }
    }
    const done =
      flags.email === undefined
        ? await apply(api)
        : await withSession({ url, email: flags.email }, io, apply)
    const { changed, agentCreated, more } = done
    const test = changed ? await runTest(target, done.connection, io) : null
    const answer = { client: target.name, agent_id: agentId, mode, file: target.file, changed }
    io.result({ ...answer, agent_created: agentCreated, also: more, test }, () => {
      const { title, next = 'Start a new session of the client.' } = target.client
      const state = `as agent ${agentId} (${mode})`
      const said =
        test === null
          ? [
              `${title} is already connected ${state}; nothing was changed.`,
              `To test it: touchstone connect test ${target.name}`,
            ]
          : [`${title} is now connected ${state}.`, describeTest(test), next]
      return [...said, ...more].join('\n')
    })
    return 0
  },
})

export const connectTest = command({
  path: ['connect', 'test'],
  summary: 'fire the hook of a connected coding agent, and name what it does not cover',
  details: `Starts the hook as the client does, once with a call that the policy allows and once with one that it
blocks. Exit code 1 if an answer is not what the policy says, or if the policy would refuse nothing.
"touchstone policy learn" does not learn from these calls.`,
  flags: { scope: SCOPE },
  args: { client: CLIENT },
  async run({ args, flags, io }) {
    const target = targetOf(args.client, flags.scope, io)
    const connection = knownConnection(target)
    if (connection === undefined) throw usageError(`${target.name} is not connected.`)
    const test = await runTest(target, connection, io)
    const { holes } = target.client
    io.result({ client: target.name, ...test, holes }, () =>
      [describeTest(test), 'Not covered:', ...holes.map((hole) => `  ${hole}`)].join('\n'),
    )
    return test.problems.length === 0 ? 0 : 1
  },
})

export const disconnectCommand = command({
  path: ['disconnect'],
  summary: 'remove what "touchstone connect" wrote into the configuration of a coding agent',
  details: `A file that nobody else changed is restored byte for byte. The copy from before stays, and so do the
agent, its policy, its decisions and its key, which is valid until you revoke it.`,
  flags: { scope: SCOPE },
  args: { client: CLIENT },
  async run({ args, flags, io }) {
    const target = targetOf(args.client, flags.scope, io)
    const { disconnect } = await import('../connect/connect-client.ts')
    const known = knownConnection(target)
    const done = await disconnect(target)
    const said = {
      restored: 'is as it was before',
      removed: 'was removed',
      edited: 'was changed by others, so only the hooks were removed',
      unchanged: 'had no hook',
    }[done.file]
    const { agent_id: agentId = null } = known ?? {}
    io.result({ client: target.name, path: target.file, ...done, agent_id: agentId }, () =>
      [`${target.file} ${said}.`, ...(known === undefined ? [] : [whatStays(known)])].join('\n'),
    )
    return 0
  },
})

export const hook = command({
  path: ['hook'],
  summary: 'answer one event of a coding agent; the program that "touchstone connect" configures',
  details: `Reads the JSON of the client from standard input and prints the answer in the form that the client
expects. TOUCHSTONE_URL and TOUCHSTONE_KEY take precedence over the connection. A key that is not bound to
an agent needs TOUCHSTONE_AGENT, too.`,
  flags: {},
  args: { client: CLIENT },
  async run({ args, io }) {
    const name = clientOf(args.client)
    const { runHook } = await import('../hook/run-hook.ts')
    const output = await runHook({
      client: name,
      stdin: io.stdin,
      env: io.env.all,
      cwd: io.env.cwd,
    })
    if (output.stderr !== undefined) io.note(output.stderr)
    if (output.stdout !== undefined) io.write(`${output.stdout}\n`)
    return output.exit === 2 ? 2 : 0
  },
})

function whatStays({ url, agent_id: agentId, api_key: key }: Connection): string {
  return [
    `The agent ${agentId} stays at ${url}, with its policy and its decisions. To archive it:`,
    `  touchstone agents archive ${agentId} --email ADDRESS`,
    `Its key ${key.slice(0, KEY_PREFIX_LENGTH)}… stays valid. To revoke it:`,
    `  ${url}/settings/api-keys`,
    `If "--also model-gateway" was used, its connection stays, too: touchstone connections list ${agentId}`,
  ].join('\n')
}

function clientOf(name: string): HookClient {
  if (isHookClient(name)) return name
  throw usageError(`Unknown client "${name}". Known: ${HOOK_CLIENTS.join(', ')}.`)
}

function foldersOf({ env }: Io): Folders {
  return { home: env.all['HOME'] || homedir(), env: env.all }
}

function targetOf(given: string, scope: 'user' | 'project' | undefined, io: Io): Target {
  const name = clientOf(given)
  const client = CLIENTS[name]
  const project = scope === 'project' ? resolve(io.env.cwd) : undefined
  const file = project === undefined ? client.userFile(foldersOf(io)) : client.projectFile(project)
  return { name, client, project, file, connectionsFile: connectionsFile(io.env.all) }
}

function knownConnection({ name, project, connectionsFile: file }: Target): Connection | undefined {
  return readConnections(file)[connectionName(name, project)]
}

function programOf(name: HookClient, mode: Connection['mode']): Program {
  return { command: [process.execPath, PROGRAM, name], mode }
}

/** Ids of agents have at least three of these characters. */
function defaultAgent(name: HookClient): string {
  const host = hostname().replace(/[^A-Za-z0-9._-]/g, '-')
  return `${name}-${host}`.slice(0, 100)
}

async function show({ file, client }: Target, { before, after, foreign }: Plan, io: Io) {
  if (before === after) return
  const { lineDiff } = await import('../connect/line-diff.ts')
  io.note(`${before === undefined ? 'New file' : 'Change of'} ${file}:`)
  io.note(lineDiff(before ?? '', after))
  if (foreign > 0) io.note(`${foreign} other hooks of ${client.title} stay as they are.`)
}

/** Throws if standard input ends without an answer, as without a terminal. */
async function confirm(io: Io): Promise<boolean> {
  io.note('Write this change? [y/N]')
  const lines = createInterface({ input: io.stdin })
  for await (const line of lines) {
    lines.close()
    return /^y(es)?$/i.test(line.trim())
  }
  throw usageError('Nothing was changed: without a terminal to ask at, --yes is needed.')
}

async function runTest(target: Target, connection: Connection, io: Io): Promise<HookTest> {
  const { testHook } = await import('../connect/test-hook.ts')
  return testHook({
    name: target.name,
    connection,
    hook: await hookOf(target, connection),
    cwd: target.project ?? io.env.cwd,
    env: io.env.all,
  })
}

/** The hook that the client would run now. */
async function hookOf(
  target: Pick<Target, 'name' | 'client' | 'file'>,
  { mode }: Connection,
): Promise<ConfiguredHook> {
  const { configuredHook } = await import('../connect/configured-hook.ts')
  const { readText } = await import('../connect/config-file.ts')
  const config = target.client.config(programOf(target.name, mode))
  try {
    return configuredHook(await readText(target.file), config, target)
  } catch (err) {
    return { run: undefined, problems: [`${target.file} cannot be read: ${reasonOf(err)}`] }
  }
}

function describeTest({ fired, problems }: HookTest): string {
  return [
    ...fired.map(({ call, tool, answer, said }) => {
      const words = said === '' ? '' : `: ${said}`
      const result = answer === 'failed' ? 'got no answer' : `was ${answer}`
      return `A ${call} call of ${tool} ${result}${words}`
    }),
    ...problems,
  ].join('\n')
}

async function list(io: Io): Promise<ExitCode> {
  const connections = readConnections(connectionsFile(io.env.all))
  const folders = foldersOf(io)
  const found = await Promise.all(
    HOOK_CLIENTS.map(async (name) => {
      const { title, folder } = CLIENTS[name]
      const isFound = existsSync(folder(folders))
      return {
        client: name,
        title,
        found: isFound,
        connections: await ownOf(connections, name, io),
      }
    }),
  )
  const mcp = existsSync(join(io.env.cwd, '.mcp.json'))
  io.result({ clients: found, mcp_servers: mcp }, () => {
    const rows = found.map(({ client, title, found: isFound, connections: own }) => [
      client,
      title,
      isFound ? 'yes' : 'no',
      own.length === 0 ? 'no' : own.map(describeConnection).join('; '),
    ])
    const problems = found.flatMap(({ connections: own }) => own.flatMap((one) => one.problems))
    const more = mcp ? ['Servers in .mcp.json: put "touchstone guard" in front of each.'] : []
    return [table(['CLIENT', '', 'FOUND', 'CONNECTED'], rows), ...problems, ...more].join('\n')
  })
  return 0
}

type Listed = {
  agent_id: string
  mode: Connection['mode']
  scope: string
  file: string
  /** Why the client does not run the hook, although it was connected. */
  problems: readonly string[]
}

function ownOf(connections: Connections, name: HookClient, io: Io): Promise<Listed[]> {
  const client = CLIENTS[name]
  const own = Object.entries(connections).filter(
    ([key]) => key === name || key.startsWith(connectionName(name, '')),
  )
  return Promise.all(
    own.map(async ([key, connection]) => {
      const { agent_id, mode, config } = connection
      const file = config?.file ?? client.userFile(foldersOf(io))
      const { problems } = await hookOf({ name, client, file }, connection)
      const scope = key === name ? 'user' : key.slice(name.length + 1)
      return { agent_id, mode, scope, file, problems }
    }),
  )
}

function describeConnection({ agent_id, mode, scope, problems }: Listed): string {
  return `${agent_id}, ${mode}, ${scope}${problems.length > 0 ? ', not governed' : ''}`
}
