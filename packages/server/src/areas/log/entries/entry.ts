import { bytesToHex } from '@touchstone/protocol/base'
import { hmacSha256 } from '@touchstone/protocol/crypto'
import { type LogEntryType, recordNonce, writeLogEntry } from '@touchstone/protocol/log'

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

/** The bytes of the entry of a record. `record` is canonical JSON. */
export function entryOf(
  {
    type,
    recordId,
    record,
    at,
  }: { type: LogEntryType; recordId: string; record: string; at: Date },
  { salt, org }: { salt: Uint8Array; org: string },
): Uint8Array {
  const nonce = recordNonce(salt, { type, recordId })
  const commitment = bytesToHex(hmacSha256(nonce, record))
  return writeLogEntry({ at: at.toISOString(), hash: commitment, org, type, v: 1 })
}

export function orgOwner(orgId: string | null): SaltOwner | undefined {
  return orgId === null ? undefined : { kind: 'org', id: orgId }
}

function agentOwner(agentId: string | null): SaltOwner | undefined {
  return agentId === null ? undefined : { kind: 'agent', id: agentId }
}
