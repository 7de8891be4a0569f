import { hash, randomBytes, randomInt, randomUUID } from 'node:crypto'

declare const brand: unique symbol

/** A string that says at compile time what it names; at run time it is the string. */
type Branded<Name extends string> = string & { readonly [brand]: Name }

export type AgentId = Branded<'AgentId'>
export type OrgId = Branded<'OrgId'>
export type TeamId = Branded<'TeamId'>

/** Only for code that knows what a string identifies: stores that read ids and constructors of new ones. */
export const toAgentId = (id: string): AgentId => id as AgentId
export const toOrgId = (id: string): OrgId => id as OrgId
export const toTeamId = (id: string): TeamId => id as TeamId

/** Generated ids are `<prefix>-<lower-case UUID>` and opaque to callers (spec: platform §1.1). */
export function newId(prefix: string): string {
  return `${prefix}-${randomUUID()}`
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
