import type { QueryClient } from '@tanstack/react-query'
import { api } from '../../session/session.ts'

/** Who has a policy now, and who ever had one, by their ids. */
type PolicyOwners = { current: ReadonlySet<string>; ever: ReadonlySet<string> }

/** The log is kept for 400 days (04 §7.3); it says nothing of what an older organisation did before. */
const LOG_DAYS = 399
const DAY_MS = 86_400_000
const ENTRIES_MAX = 100

export const policyOwnersKey = (orgId: string) => ['policy-owners', orgId] as const

/**
 * A policy that is not there is answered with 404, which browsers report as a fault of the page. The
 * audit log knows whose there are, so that only those are asked for. Where the log cannot tell,
 * everybody may have one.
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

/** Null where the log is not for this reader, not old enough or too long. */
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

/** The last version that was written, or deleted, by owner. */
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
