import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Answer } from '@touchstone/sdk'
import type { TimeRange } from '../../range/time-range.ts'
import { forOrg } from '../../session/for-org.ts'
import { api } from '../../session/session.ts'
import type { ExportFormat } from '../../ui/export-popover.tsx'
import type { Checkpoint } from '../agents/queries.ts'
import { type DecisionFilters, type DecisionSearch, filtersIn, filtersOf } from './search.ts'

export type Decision = Answer<'GET', '/v1/decisions'>['decisions'][number]
/** With the proof that it is in the log. */
export type ProvenDecision = Answer<'GET', '/v1/decisions/{decision_id}'>

const ROWS_PER_PAGE = 50

/** While a list is live, it is also fetched again, because the stream keeps only a few events. */
const LIVE_REFETCH_MS = 5_000

export function useDecisions(
  orgId: string,
  search: DecisionSearch,
  { range, isLive }: { range: TimeRange | undefined; isLive: boolean },
) {
  const { cursor } = search
  return useQuery({
    queryKey: ['decisions', orgId, filtersOf(search), cursor, range],
    queryFn: () =>
      api.request('GET', '/v1/decisions', {
        ...forOrg(orgId),
        query: { ...filtersIn(search, range, new Date()), cursor, limit: ROWS_PER_PAGE },
      }),
    placeholderData: keepPreviousData,
    refetchInterval: isLive ? LIVE_REFETCH_MS : false,
  })
}

const LATEST = 6

export function useLatestDecisions(orgId: string, agentId: string) {
  return useQuery({
    queryKey: ['decisions', orgId, agentId, 'latest'],
    queryFn: () =>
      api.request('GET', '/v1/decisions', {
        ...forOrg(orgId),
        query: { agent_id: agentId, limit: LATEST },
      }),
  })
}

/** The agent's newest bypass: a refused call that was made anyway. */
export function useBypass(orgId: string, agentId: string) {
  return useQuery({
    queryKey: ['decisions', orgId, agentId, 'bypassed'],
    queryFn: () =>
      api.request('GET', '/v1/decisions', {
        ...forOrg(orgId),
        query: { agent_id: agentId, outcome: 'bypassed', limit: 1 },
      }),
  })
}

export function useDecision(orgId: string, decisionId: string) {
  return useQuery({
    queryKey: ['decision', orgId, decisionId],
    queryFn: () =>
      api.request('GET', '/v1/decisions/{decision_id}', {
        ...forOrg(orgId),
        params: { decision_id: decisionId },
      }),
  })
}

const MOMENTS_MAX = 50

export type SessionOf = Pick<Decision, 'org_id' | 'agent_id' | 'session_id' | 'decided_at'>

export type SessionPart = {
  decisions: Decision[]
  checkpoints: Checkpoint[]
  /** There is more on this side than is shown. */
  isCut: boolean
}

/**
 * The session of a decision, up to it and after it. A session can be very long, so
 * each side has its newest moments only: those before the decision are next to it.
 */
export function useSessionParts(session: SessionOf) {
  const { org_id: orgId, agent_id: agentId, session_id: sessionId, decided_at: at } = session
  const next = new Date(Date.parse(at) + 1).toISOString()
  return useQuery({
    queryKey: ['decisions', orgId, agentId, 'session', sessionId, at],
    queryFn: async () => {
      const [before, after] = await Promise.all([
        fetchSessionPart(session, { to: next }),
        fetchSessionPart(session, { from: next }),
      ])
      return { before, after }
    },
    enabled: sessionId !== null,
  })
}

async function fetchSessionPart(
  { org_id: orgId, agent_id: agentId, session_id: sessionId }: SessionOf,
  range: { from: string } | { to: string },
): Promise<SessionPart> {
  const query = { session_id: sessionId ?? '', ...range }
  const [decided, reasoned] = await Promise.all([
    api.request('GET', '/v1/decisions', {
      ...forOrg(orgId),
      query: { ...query, agent_id: agentId, limit: MOMENTS_MAX },
    }),
    api.request('GET', '/v1/agents/{agent_id}/checkpoints', {
      params: { agent_id: agentId },
      query: { ...query, per_page: MOMENTS_MAX },
    }),
  ])
  const { decisions, next_cursor: cursor } = decided
  const { checkpoints, total } = reasoned
  return { decisions, checkpoints, isCut: cursor !== null || total > checkpoints.length }
}

/** The file of all decisions that match, with the name that the service gives it. */
export async function fetchExport(
  orgId: string,
  filters: DecisionFilters,
  format: ExportFormat,
): Promise<{ file: Blob; name: string }> {
  const answer = await api.raw('GET', '/v1/decisions/export', {
    ...forOrg(orgId),
    query: { ...filters, format },
  })
  if (!answer.ok) throw new Error(`The export failed with status ${answer.status}.`)
  const named = /filename="?([^";]+)/.exec(answer.headers.get('content-disposition') ?? '')?.[1]
  return { file: await answer.blob(), name: named ?? `decisions.${format}` }
}
