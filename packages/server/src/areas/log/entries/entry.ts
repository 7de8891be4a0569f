import type { LogType } from '../../../log-record.ts'
import type { SaltOwner } from './salt-store.ts'

/** Records whose salt is that of their organisation; those about agents are erased with the agent. */
const OF_ORG: readonly LogType[] = ['decisions', 'policy']

/** Whose salt hides a record (spec: log §1). */
export function saltOwnerOf(
  type: LogType,
  { orgId, agentId }: { orgId: string | null; agentId: string | null },
): SaltOwner {
  if (type === 'key') return { kind: 'deployment' }
  const owner = OF_ORG.includes(type) ? orgOwner(orgId) : agentOwner(agentId)
  if (owner === undefined) throw new Error(`a record of type ${type} has no owner`)
  return owner
}

export function orgOwner(orgId: string | null): SaltOwner | undefined {
  return orgId === null ? undefined : { kind: 'org', id: orgId }
}

function agentOwner(agentId: string | null): SaltOwner | undefined {
  return agentId === null ? undefined : { kind: 'agent', id: agentId }
}
