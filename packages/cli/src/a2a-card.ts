import { isJsonObject } from '@touchstone/protocol/base'
import { CliError } from './cli-error.ts'

/** What a reputation says of itself for A2A; see the interface. */
export type TrustExtension = {
  extension_uri: string
  score: number | null
  grade: string
} & Record<string, unknown>

type Json = Record<string, unknown>

const DESCRIPTION = 'Reputation of this agent; verify_url says whether it holds.'

/**
 * An A2A agent card with this trust among its extensions (A2A, AgentCapabilities.extensions). All
 * else stays as it is, the place of an older entry too.
 */
export function withTrust(card: Json, trust: TrustExtension): Json {
  const { extension_uri: uri, ...params } = trust
  const capabilities = memberOf(card, 'capabilities')
  const extensions = capabilities['extensions'] ?? []
  if (!Array.isArray(extensions)) throw notACard('capabilities.extensions is not a list')
  const entry = { uri, description: DESCRIPTION, required: false, params }
  const at = extensions.findIndex((one) => isJsonObject(one) && one['uri'] === uri)
  const next = at < 0 ? [...extensions, entry] : extensions.with(at, entry)
  return { ...card, capabilities: { ...capabilities, extensions: next } }
}

function memberOf(card: Json, name: string): Json {
  const value = card[name] ?? {}
  if (!isJsonObject(value)) throw notACard(`${name} is not an object`)
  return value
}

function notACard(reason: string): CliError {
  return new CliError('unreadable', `This is no agent card: ${reason}.`)
}
