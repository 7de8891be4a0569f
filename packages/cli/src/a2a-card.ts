import { isDeepStrictEqual } from 'node:util'
import { isJsonObject } from '@touchstone/protocol/base'
import { CliError } from './cli-error.ts'

/** The `a2a_trust_extension` of a reputation in the API. */
export type TrustExtension = {
  extension_uri: string
  score: number | null
  grade: string
} & Record<string, unknown>

type Json = Record<string, unknown>

export type TrustedCard = { card: Json; signaturesRemoved: number }

const DESCRIPTION = 'Reputation of this agent; check it at verify_url.'

/**
 * Adds the trust extension to an A2A agent card (A2A, AgentCapabilities.extensions), or replaces an
 * older entry in its place. Leaves the rest of the card unchanged, except for signatures: they cover
 * the whole card, so a change makes them invalid, and they are removed.
 */
export function withTrust(card: Json, trust: TrustExtension): TrustedCard {
  const { extension_uri: uri, ...params } = trust
  const capabilities = objectMember(card, 'capabilities')
  const extensions = capabilities['extensions'] ?? []
  if (!Array.isArray(extensions)) throw notACard('capabilities.extensions is not a list')
  const entry = { uri, description: DESCRIPTION, required: false, params }
  const at = extensions.findIndex(
    (extension) => isJsonObject(extension) && extension['uri'] === uri,
  )
  const next = at < 0 ? [...extensions, entry] : extensions.with(at, entry)
  const changed = { ...card, capabilities: { ...capabilities, extensions: next } }
  const { signatures, ...unsigned } = changed as Json
  if (signatures === undefined || isDeepStrictEqual(changed, card)) {
    return { card: changed, signaturesRemoved: 0 }
  }
  return { card: unsigned, signaturesRemoved: Array.isArray(signatures) ? signatures.length : 1 }
}

function objectMember(card: Json, name: string): Json {
  const value = card[name] ?? {}
  if (!isJsonObject(value)) throw notACard(`${name} is not an object`)
  return value
}

function notACard(reason: string): CliError {
  return new CliError('unreadable', `Not an agent card: ${reason}.`)
}
