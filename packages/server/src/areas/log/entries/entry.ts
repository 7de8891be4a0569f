import { hash } from 'node:crypto'
import { type LogEntryType, writeLogEntry } from '@touchstone/protocol/log'

/** The owner of a salt. */
export type SaltOwner =
  | { kind: 'agent'; id: string }
  | { kind: 'org'; id: string }
  | { kind: 'deployment' }

/** Records whose salt is that of their organisation; those about agents are erased with the agent. */
const OF_ORG: readonly LogEntryType[] = ['decisions', 'policy']

/** The owner of the salt that hides a record (spec: log §1). */
export function saltOwnerOf(
  type: LogEntryType,
  { orgId, agentId }: { orgId: string | null; agentId: string | null },
): SaltOwner {
  if (type === 'key') return { kind: 'deployment' }
  const owner = OF_ORG.includes(type) ? orgOwner(orgId) : agentOwner(agentId)
  if (owner === undefined) throw new Error(`a record of type ${type} has no owner`)
  return owner
}

/** The bytes of the entry of a record; thousands are computed at a time. `record` is canonical JSON. */
export function entryOf(
  {
    type,
    recordId,
    record,
    at,
  }: { type: LogEntryType; recordId: string; record: string; at: Date },
  { salt, org }: { salt: Uint8Array; org: string },
): Uint8Array {
  const nonce = hmac(salt, `${type}\n${recordId}`)
  const commitment = hmac(nonce, record).toString('hex')
  return writeLogEntry({ at: at.toISOString(), hash: commitment, org, type, v: 1 })
}

const BLOCK_BYTES = 64

/** HMAC-SHA-256 (RFC 2104) of a key of up to 64 bytes: half the time of `createHmac`, which makes a key object. */
function hmac(key: Uint8Array, message: string): Buffer {
  const inner = Buffer.allocUnsafe(BLOCK_BYTES + Buffer.byteLength(message))
  const outer = Buffer.allocUnsafe(BLOCK_BYTES + 32)
  for (let i = 0; i < BLOCK_BYTES; i += 1) {
    const byte = key[i] ?? 0
    inner[i] = byte ^ 0x36
    outer[i] = byte ^ 0x5c
  }
  inner.write(message, BLOCK_BYTES)
  hash('sha256', inner, 'buffer').copy(outer, BLOCK_BYTES)
  return hash('sha256', outer, 'buffer')
}

export function orgOwner(orgId: string | null): SaltOwner | undefined {
  return orgId === null ? undefined : { kind: 'org', id: orgId }
}

function agentOwner(agentId: string | null): SaltOwner | undefined {
  return agentId === null ? undefined : { kind: 'agent', id: agentId }
}
