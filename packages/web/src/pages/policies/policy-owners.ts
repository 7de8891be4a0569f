import type { QueryClient } from '@tanstack/react-query'
import { api } from '../../session/session.ts'

/** The ids of owners that currently have a policy, and of those that ever had one. */
type PolicyOwners = { current: ReadonlySet<string>; ever: ReadonlySet<string> }

/**
 * The audit log is kept for 400 days (spec: platform §6.3), so it is incomplete for older
 * organisations.
 */
const LOG_DAYS = 399
const DAY_MS = 86_400_000
const ENTRIES_MAX = 100

export const policyOwnersKey = (orgId: string) => ['policy-owners', orgId] as const

/**
 * Whether any of these owners may have a policy. A missing policy is a 404, which browsers log as a
 * page error, so the audit log is consulted first. If the log cannot tell, the answer is true.
 */
export async function mayHavePolicy(
  queries: QueryClient,
  orgId: string,
  { ids, when }: { ids: readonly string[]; when: keyof PolicyOwners },
): Promise<boolean> {
  const owners = await queries.fetchQuery({
    queryKey: policyOwnersKey(orgId),
    queryFn: () => fetchPolicyOwners(orgId),
  })
  return owners === null || ids.some((id) => owners[when].has(id))
}

/** Null if the reader may not see the audit log, or if it is incomplete or too long. */
async function fetchPolicyOwners(orgId: string): Promise<PolicyOwners | null> {
  const params = { org_id: orgId }
  const { role, created_at: since } = await api.request('GET', '/v1/orgs/{org_id}', { params })
  const isReader = role !== null && role !== 'member'
  if (!isReader || Date.now() - Date.parse(since) > LOG_DAYS * DAY_MS) return null
  const [written, deleted] = await Promise.all([
    fetchLast(orgId, 'policy.updated'),
    fetchLast(orgId, 'policy.deleted'),
  ])
  if (written === null || deleted === null) return null
  const isThere = ([id, version]: [string, number]) => version > (deleted.get(id) ?? 0)
  return {
    current: new Set([...written].filter(isThere).map(([id]) => id)),
    ever: new Set(written.keys()),
  }
}

/** The last version per owner with this action; null if there are too many entries. */
async function fetchLast(orgId: string, action: string): Promise<Map<string, number> | null> {
  const { entries, total } = await api.request('GET', '/v1/orgs/{org_id}/audit-log', {
    params: { org_id: orgId },
    query: { action, per_page: ENTRIES_MAX },
  })
  if (total > entries.length) return null
  const last = new Map<string, number>()
  for (const { target, changes } of entries) {
    const version = Number(changes['version']?.to ?? 0)
    last.set(target.id, Math.max(version, last.get(target.id) ?? 0))
  }
  return last
}
