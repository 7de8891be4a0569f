import { hostname } from 'node:os'
import { ApiError, createClient } from '@touchstone/sdk'
import { createAgentKey, isAccepted } from '../agent-key.ts'
import { saveConnections, sha256, withLock } from '../connect/config-file.ts'
import { connectionName, readConnections } from '../connections.ts'
import { isCode } from '../system-error.ts'

export type GuardKeyOptions = {
  url: string
  agent: string
  /** The key that the guard was given. */
  apiKey: string
  /** Where keys of agents are kept. */
  connectionsFile: string
  note(line: string): void
}

/**
 * Returns a key that can only be used for the agent: the one that an earlier guard made and kept, else
 * a new one. A key that may not create others is used itself; it is the key of the agent already, or
 * somebody chose it.
 */
export async function findGuardKey(options: GuardKeyOptions): Promise<string> {
  const { connectionsFile: file, apiKey, note } = options
  try {
    return await withLock(file, () => findOrCreate(options))
  } catch (err) {
    if (!isCode(err, 'EACCES', 'EPERM', 'EROFS', 'ENOTDIR')) throw err
    note(
      `no key of the agent can be kept in ${file}, so the given key is used, which can do more: ${String(err)}`,
    )
    return apiKey
  }
}

async function findOrCreate(options: GuardKeyOptions): Promise<string> {
  const { url, agent, apiKey, connectionsFile: file, note } = options
  const name = nameOf(options)
  const known = readConnections(file)[name]
  if (known !== undefined && (await isAccepted(known))) return known.api_key
  const key = await tryToCreate(options)
  if (key === undefined) return apiKey
  const connection = {
    url,
    api_key: key,
    agent_id: agent,
    mode: 'enforce',
    on_error: 'block',
  } as const
  await saveConnections(file, (all) => ({ ...all, [name]: connection }))
  note(`a key that can only be used for agent ${agent} was created and kept in ${file}`)
  return key
}

/** With another given key the kept one is not used: that key may stand for another organisation. */
function nameOf({ url, agent, apiKey }: GuardKeyOptions): string {
  return connectionName('mcp_guard', sha256(`${url}\n${agent}\n${apiKey}`).slice(0, 16))
}

/** Undefined if the given key may not create keys. */
async function tryToCreate({ url, agent, apiKey }: GuardKeyOptions): Promise<string | undefined> {
  const client = createClient({ baseUrl: url, token: apiKey })
  try {
    return await createAgentKey(client, {
      agentId: agent,
      name: `MCP guard on ${hostname()}`,
      client: 'mcp_guard',
    })
  } catch (err) {
    if (err instanceof ApiError && err.status === 403) return undefined
    throw err
  }
}
