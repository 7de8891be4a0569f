import { fileURLToPath } from 'node:url'
import type { Client as ApiClient } from '@touchstone/sdk'
import type { HookClient } from '@touchstone/sdk/hooks'
import { usageError } from '../cli-error.ts'
import type { Connection } from '../connections.ts'

const PROGRAM = fileURLToPath(new URL('../../bin/touchstone.mjs', import.meta.url))
const CONNECTIONS = '/v1/agents/{agent_id}/connections'

const NAMES = ['model-gateway', 'mcp'] as const

/** More of a client that can be governed beside its hooks. */
export type Also = (typeof NAMES)[number]

type Model = {
  provider: 'anthropic' | 'openai' | 'gemini'
  /** The client's own setting for this address. */
  setting(address: string): string
}

/** The clients whose model has an address that can be set. */
const MODELS: Partial<Record<HookClient, Model>> = {
  'claude-code': {
    provider: 'anthropic',
    setting: (address) => `export ANTHROPIC_BASE_URL=${address}`,
  },
  codex: {
    provider: 'openai',
    setting: (address) => `# in config.toml
model_provider = "touchstone"

[model_providers.touchstone]
name = "OpenAI through Touchstone"
base_url = "${address}"
env_key = "OPENAI_API_KEY"
wire_api = "responses"`,
  },
  'gemini-cli': {
    provider: 'gemini',
    setting: (address) => `export GOOGLE_GEMINI_BASE_URL=${address}
# in settings.json: {"security": {"auth": {"selectedType": "gemini-api-key"}}}`,
  },
  'copilot-cli': {
    provider: 'openai',
    setting: (address) => `export COPILOT_PROVIDER_BASE_URL=${address}`,
  },
  opencode: {
    provider: 'anthropic',
    setting: (address) =>
      `# in opencode.json: {"provider": {"anthropic": {"options": {"baseURL": "${address}/v1"}}}}`,
  },
}

/** Throws for a name that is unknown, and for a client that cannot do it. */
export function readAlso(given: string | undefined, client: HookClient): readonly Also[] {
  if (given === undefined) return []
  return given.split(',').map((name) => {
    const known = NAMES.find((one) => one === name.trim())
    if (known === undefined) {
      throw usageError(`--also: "${name}" is unknown. Known: ${NAMES.join(', ')}.`)
    }
    if (known === 'model-gateway' && MODELS[client] === undefined) {
      throw usageError(`${client} has no setting for the address of its model: leave out ${known}.`)
    }
    return known
  })
}

export type AlsoOptions = {
  client: HookClient
  connection: Connection
  /** Acts for the person or key that connects, because a hook's key creates no connections. */
  api: ApiClient
}

/**
 * The settings that put the rest of the client under the same agent, to be pasted: connect itself writes
 * only the file of the hook (ADR 0072).
 */
export async function alsoLines(also: readonly Also[], options: AlsoOptions): Promise<string[]> {
  const lines: string[] = []
  if (also.includes('model-gateway')) lines.push(...(await modelLines(options)))
  if (also.includes('mcp')) lines.push(...guardLines(options))
  return lines
}

/** Creates one connection of the client to the model gateway, however often connect runs. */
async function modelLines({ client, connection, api }: AlsoOptions): Promise<string[]> {
  const model = MODELS[client]
  if (model === undefined) throw new Error(`the model of ${client} has no address`)
  const { agent_id } = connection
  const params = { agent_id }
  const name = `connect ${client}`
  const { connections } = await api.request('GET', CONNECTIONS, { params })
  const known = connections.find((one) => one.name === name)
  if (known !== undefined) {
    return [
      `Model gateway: ${client} already has the connection ${known.connection_id}. For a new address:`,
      `  touchstone connections rotate ${agent_id} ${known.connection_id}`,
    ]
  }
  const { provider } = model
  const made = await api.request('POST', CONNECTIONS, { params, body: { provider, name } })
  const [address = ''] = Object.values(made.environment ?? {})
  return [
    'Model gateway: set the address of the model, which contains a token and is shown only once:',
    ...indented(model.setting(address)),
  ]
}

function guardLines({ client, connection }: AlsoOptions): string[] {
  const { url, api_key: key, agent_id: agentId } = connection
  const server = {
    command: process.execPath,
    args: [PROGRAM, 'guard', '--agent', agentId, '--name', 'SERVER', '--', 'COMMAND'],
    env: { TOUCHSTONE_URL: url, TOUCHSTONE_API_KEY: key },
  }
  return [
    `MCP: in the settings of ${client}, put the guard in front of each server. Replace SERVER with the`,
    'name of the server and COMMAND with its command and arguments. If the server has an address instead,',
    'replace "--" and "COMMAND" with "--url" and the address:',
    ...indented(JSON.stringify(server, null, 2)),
  ]
}

function indented(text: string): string[] {
  return text.split('\n').map((line) => `  ${line}`)
}
