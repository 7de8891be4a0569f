import { hash, randomBytes, randomInt, randomUUID } from 'node:crypto'

declare const brand: unique symbol

/** A string with a compile-time brand for what it identifies. */
type Branded<Name extends string> = string & { readonly [brand]: Name }

export type AgentId = Branded<'AgentId'>
export type OrgId = Branded<'OrgId'>
export type TeamId = Branded<'TeamId'>
export type DecisionId = Branded<'DecisionId'>

/**
 * For code that knows what a string identifies: stores that read ids and constructors of new ones.
 * The casts add only the brand.
 */
export const toAgentId = (id: string): AgentId => id as AgentId
export const toOrgId = (id: string): OrgId => id as OrgId
export const toTeamId = (id: string): TeamId => id as TeamId
export const toDecisionId = (id: string): DecisionId => id as DecisionId

/** Generated ids are `<prefix>-<lower-case UUID>` and opaque to callers (spec: platform §1.1). */
export function newId(prefix: string): string {
  return `${prefix}-${randomUUID()}`
}

/**
 * Creates UUIDs of version 7 (RFC 9562), which sort by the given time. The 12 bits after it count the
 * ids of one millisecond, so that ids of one process also sort in the order of their creation.
 */
export function createTimedUuids(): (atMs: number) => string {
  let lastMs = 0
  let count = 0
  return (atMs) => {
    count = atMs === lastMs ? (count + 1) & 0xfff : 0
    lastMs = atMs
    const time = atMs.toString(16).padStart(12, '0')
    const counter = count.toString(16).padStart(3, '0')
    // The last two groups of a random UUID have the variant bits of every version.
    return `${time.slice(0, 8)}-${time.slice(8)}-7${counter}-${randomUUID().slice(19)}`
  }
}

/** The time in milliseconds that a UUID of version 7 was created with. */
export function timeOfUuid(uuid: string): number {
  return Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16)
}

/** The smallest UUID of version 7 of a millisecond: a bound for ranges of ids. None is older than 1970. */
export function firstUuidAt(atMs: number): string {
  const time = Math.max(0, atMs).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`
}

/** A bearer secret: a prefix that names its kind and 32 random bytes as 43 base64url characters. */
export function newToken(prefix: string): string {
  return `${prefix}${randomBytes(32).toString('base64url')}`
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

export function randomBase62(length: number): string {
  return Array.from({ length }, () => BASE62[randomInt(62)]).join('')
}

/** Tokens are stored only as hashes; they carry 256 bits, so a plain hash is enough. */
export function tokenHash(token: string): string {
  return hash('sha256', token, 'hex')
}
