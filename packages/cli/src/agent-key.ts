import { ApiError, type Client, createClient } from '@touchstone/sdk'
import { CliError } from './cli-error.ts'
import type { Connection } from './connections.ts'

/** The kinds of clients that use a key. */
export const KEY_CLIENTS = ['api', 'sdk', 'mcp_guard', 'hook'] as const

type Wanted = {
  agentId: string
  name: string
  client: (typeof KEY_CLIENTS)[number]
  mode?: Connection['mode']
}

const NAME_LENGTH_MAX = 100

/** Creates a key that can only get decisions and send evidence, for this agent. */
export async function createAgentKey(
  client: Client,
  { agentId, name, client: kind, mode = 'enforce' }: Wanted,
): Promise<string> {
  const { key } = await client.request('POST', '/v1/api-keys', {
    body: {
      name: name.slice(0, NAME_LENGTH_MAX),
      agent_id: agentId,
      role: 'member',
      scopes: ['decide', 'ingest'],
      client: kind,
      ...(mode === 'observe' && { mode }),
    },
  })
  if (key === null) throw new CliError('failed', 'The service created a key but did not return it.')
  return key
}

/** Whether the service still accepts the key of a connection. */
export async function isAccepted({
  url,
  api_key: token,
  agent_id: agentId,
}: Pick<Connection, 'url' | 'api_key' | 'agent_id'>): Promise<boolean> {
  const own = createClient({ baseUrl: url, token })
  const params = { agent_id: agentId }
  try {
    await own.request('GET', '/v1/agents/{agent_id}', { params })
    return true
  } catch (err) {
    const isRefused = err instanceof ApiError && [401, 403, 404].includes(err.status)
    if (isRefused) return false
    throw err
  }
}
