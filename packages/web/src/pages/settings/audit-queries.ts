import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Answer } from '@touchstone/sdk'
import { boundsOf, type TimeRange } from '../../range/time-range.ts'
import { api } from '../../session/session.ts'
import type { ExportFormat } from '../../ui/export-popover.tsx'
import type { AuditSearch } from './audit-search.ts'
import { settingsKey } from './queries.ts'

export type AuditEntry = Answer<'GET', '/v1/orgs/{org_id}/audit-log'>['entries'][number]

export const AUDIT_PER_PAGE = 25

export function useAuditLog(orgId: string, search: AuditSearch, range: TimeRange | undefined) {
  return useQuery({
    queryKey: settingsKey(orgId, 'audit-log', search, range),
    queryFn: () =>
      api.request('GET', '/v1/orgs/{org_id}/audit-log', {
        params: { org_id: orgId },
        query: { ...search, ...instantsOf(range), per_page: AUDIT_PER_PAGE },
      }),
    placeholderData: keepPreviousData,
  })
}

type ExportOf = { search: AuditSearch; range: TimeRange | undefined; format: ExportFormat }

/** The file of all entries that match. */
export async function fetchAuditExport(
  orgId: string,
  { search: { actor, action, target }, range, format }: ExportOf,
): Promise<{ file: Blob; name: string }> {
  const answer = await api.raw('GET', '/v1/orgs/{org_id}/audit-log/export', {
    params: { org_id: orgId },
    query: { actor, action, target, ...instantsOf(range), format },
  })
  if (!answer.ok) throw new Error(`The export failed with status ${answer.status}.`)
  return { file: await answer.blob(), name: `audit-log.${format}` }
}

function instantsOf(range: TimeRange | undefined): { from?: string; to?: string } {
  if (range === undefined) return {}
  const { from, to } = boundsOf(range, new Date())
  return { from: from.toISOString(), to: to.toISOString() }
}
