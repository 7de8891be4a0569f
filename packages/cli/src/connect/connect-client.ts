import { hostname } from 'node:os'
import { type Client as ApiClient, ApiError } from '@touchstone/sdk'
import type { HookClient } from '@touchstone/sdk/hooks'
import { createAgentKey, isAccepted } from '../agent-key.ts'
import { CliError } from '../cli-error.ts'
import {
  type Connection,
  connectionName,
  readConnections,
  type WrittenConfig,
} from '../connections.ts'
import type { Client, ClientConfig } from './clients.ts'
import {
  keepCopy,
  readConfig,
  removeConfig,
  saveConnections,
  sha256,
  withLock,
  writeConfig,
} from './config-file.ts'
import { foreignHooks, UneditableConfig, withHooks, withoutHooks } from './edit-config.ts'

export type Target = {
  name: HookClient
  client: Client
  /** The folder of the project; undefined for the connection of the user. */
  project: string | undefined
  /** The configuration file of the client. */
  file: string
  connectionsFile: string
}

/** A change of a configuration file that has not been made yet. */
export type Plan = {
  before: string | undefined
  after: string
  /** Hooks of others, which stay. */
  foreign: number
}

export async function planConnect(target: Target, config: ClientConfig): Promise<Plan> {
  const { name, file, connectionsFile } = target
  // It is written, too.
  await readConfig(connectionsFile)
  const before = await readConfig(file)
  if (config.kind === 'file' && before !== undefined && !before.startsWith(MARK)) {
    throw new CliError(
      'foreign_file',
      `${file} was not written by touchstone. Nothing was changed.`,
    )
  }
  return editing(file, () => ({
    before,
    after: withHooks(before, config, name),
    foreign: config.kind === 'file' ? 0 : foreignHooks(before, name),
  }))
}

/** The first words of a file that belongs to a connection alone. */
const MARK = '// Written by "touchstone connect'

function editing<T>(file: string, work: () => T): T {
  try {
    return work()
  } catch (err) {
    if (!(err instanceof UneditableConfig)) throw err
    throw new CliError('unreadable', `${file}: ${err.message}. Nothing was changed.`)
  }
}

export type Wanted = { url: string; agentId: string; mode: Connection['mode'] }

export type Connected = { connection: Connection; changed: boolean; agentCreated: boolean }

/** Makes the planned change. The file must still be as it was when the change was shown. */
export async function applyConnect(
  target: Target,
  shown: Plan,
  config: ClientConfig,
  { wanted, api }: { wanted: Wanted; api: ApiClient },
): Promise<Connected> {
  return withLock(target.connectionsFile, async () => {
    const plan = await planConnect(target, config)
    if (plan.before !== shown.before && plan.after !== plan.before) {
      throw new CliError('changed', `${target.file} changed meanwhile. Run the command again.`)
    }
    const name = connectionName(target.name, target.project)
    const known = readConnections(target.connectionsFile)[name]
    const { key, agentCreated } = await credentialOf(known, wanted, api)
    const kept = plan.after === plan.before ? known?.config : undefined
    const connection: Connection = {
      url: wanted.url,
      api_key: key,
      agent_id: wanted.agentId,
      mode: wanted.mode,
      on_error: wanted.mode === 'enforce' ? 'block' : 'allow',
      ...(known?.timeout_ms !== undefined && { timeout_ms: known.timeout_ms }),
      config: kept ?? (await backUp(target, plan, known)),
    }
    // First the key, so that a hook that starts at once finds it.
    await saveConnections(target.connectionsFile, (all) => ({ ...all, [name]: connection }))
    if (plan.after !== plan.before) await writeConfig(target.file, plan.after)
    const isSame = JSON.stringify(known) === JSON.stringify(connection)
    return { connection, changed: plan.after !== plan.before || !isSame, agentCreated }
  })
}

/** Keeps the text from before the first connect: the one that a disconnect restores. */
async function backUp(
  { file, name }: Target,
  { before, after }: Plan,
  known: Connection | undefined,
): Promise<WrittenConfig> {
  const kept = known?.config
  const isOurs = before !== undefined && kept?.file === file && sha256(before) === kept.sha256
  if (isOurs) return { ...kept, sha256: sha256(after) }
  const original = before === undefined || before.startsWith(MARK) ? undefined : before
  const clean = original === undefined ? undefined : withoutHooks(original, name)
  const backup = clean === undefined ? null : await keepCopy(file, clean)
  return { file, sha256: sha256(after), backup }
}

/** The key of the connection if it still fits and works, else a new one. */
async function credentialOf(
  known: Connection | undefined,
  wanted: Wanted,
  api: ApiClient,
): Promise<{ key: string; agentCreated: boolean }> {
  const fits =
    known?.url === wanted.url && known.agent_id === wanted.agentId && known.mode === wanted.mode
  if (fits && (await isAccepted(known))) return { key: known.api_key, agentCreated: false }
  const agentCreated = await registerAgent(api, wanted.agentId)
  const { agentId, mode } = wanted
  const key = await createAgentKey(api, {
    agentId,
    name: `hook on ${hostname()}`,
    client: 'hook',
    mode,
  })
  return { key, agentCreated }
}

/** Returns whether the agent was unknown before. */
async function registerAgent(api: ApiClient, agentId: string): Promise<boolean> {
  try {
    await api.request('GET', '/v1/agents/{agent_id}', { params: { agent_id: agentId } })
    return false
  } catch (err) {
    if (!(err instanceof ApiError) || err.status !== 404) throw err
  }
  const description = 'A coding agent connected with "touchstone connect".'
  await api.request('POST', '/v1/agents', {
    body: { agent_id: agentId, description, visibility: 'private' },
  })
  return true
}

export type Disconnected = {
  /** `restored`: byte for byte as before. `edited`: others had changed it, so only our hooks went. */
  file: 'restored' | 'removed' | 'edited' | 'unchanged'
  backup: string | null
}

/** Removes what connect wrote. The key stays valid until it is revoked in the dashboard. */
export async function disconnect(target: Target): Promise<Disconnected> {
  return withLock(target.connectionsFile, async () => {
    const name = connectionName(target.name, target.project)
    await readConfig(target.connectionsFile)
    const known = readConnections(target.connectionsFile)[name]
    const done = await restore(target, known)
    if (known !== undefined) {
      await saveConnections(target.connectionsFile, (all) => {
        const { [name]: _removed, ...others } = all
        return others
      })
    }
    return done
  })
}

async function restore(target: Target, known: Connection | undefined): Promise<Disconnected> {
  const { config } = known ?? {}
  const file = config?.file ?? target.file
  const backup = config?.backup ?? null
  const current = await readConfig(file)
  if (current === undefined) return { file: 'unchanged', backup }
  if (config !== undefined && sha256(current) === config.sha256) {
    const restored = await restoreWhole(config)
    if (restored !== undefined) return { file: restored, backup }
  }
  if (current.startsWith(MARK)) {
    await removeConfig(file)
    return { file: 'removed', backup }
  }
  const cleaned = editing(file, () => withoutHooks(current, target.name))
  if (cleaned === current) return { file: 'unchanged', backup }
  await writeConfig(file, cleaned)
  return { file: 'edited', backup }
}

/** Undefined if somebody removed the copy. */
async function restoreWhole({
  file,
  backup,
}: WrittenConfig): Promise<'restored' | 'removed' | undefined> {
  if (backup === null) {
    await removeConfig(file)
    return 'removed'
  }
  const original = await readConfig(backup)
  if (original === undefined) return undefined
  await writeConfig(file, original)
  return 'restored'
}
