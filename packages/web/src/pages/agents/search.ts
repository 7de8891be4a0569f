type Status = 'active' | 'paused' | 'killed' | 'archived'

export const STANDING_FINDINGS = ['blocked', 'violations', 'drift_alerts'] as const

export const STANDING_SORTS = [
  'name',
  'score',
  'trend',
  'blocked',
  'violations',
  'drift_alerts',
  'last_seen',
  'registered',
] as const

export type AgentsSearch = {
  q?: string | undefined
  status?: Status | undefined
  with?: (typeof STANDING_FINDINGS)[number] | undefined
  sort?: (typeof STANDING_SORTS)[number] | undefined
  page?: number | undefined
}

export const STATUSES: readonly Status[] = ['active', 'paused', 'killed', 'archived']

/** Filters are kept in the URL, so that a view can be bookmarked and shared. */
export function readAgentsSearch(search: Record<string, unknown>): AgentsSearch {
  return {
    q: textOf(search['q']),
    status: oneOf(STATUSES, search['status']),
    with: oneOf(STANDING_FINDINGS, search['with']),
    sort: oneOf(STANDING_SORTS, search['sort']),
    page: pageOf(search['page']),
  }
}

export function textOf(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && text !== '' ? text : undefined
}

export function oneOf<T extends string>(allowed: readonly T[], value: unknown): T | undefined {
  return allowed.find((known) => known === value)
}

export function pageOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value > 1 ? value : undefined
}

/** Checkpoints that were not judged have the verdict `clear` too, which means nothing for them. */
export const VERDICT_FILTERS = [
  'clear',
  'review_needed',
  'boundary_violation',
  'not_judged',
] as const

export const PROVENANCES = ['observed', 'relayed', 'reported', 'imported'] as const

export type CheckpointSearch = {
  verdict?: (typeof VERDICT_FILTERS)[number] | undefined
  session_id?: string | undefined
  provenance?: (typeof PROVENANCES)[number] | undefined
  flagged?: boolean | undefined
  page?: number | undefined
}

export function readCheckpointSearch(search: Record<string, unknown>): CheckpointSearch {
  return {
    verdict: oneOf(VERDICT_FILTERS, search['verdict']),
    session_id: textOf(search['session_id']),
    provenance: oneOf(PROVENANCES, search['provenance']),
    flagged: search['flagged'] === true ? true : undefined,
    page: pageOf(search['page']),
  }
}

/** The parameters of the API for a search. */
export function checkpointFilterOf({ verdict, ...others }: CheckpointSearch) {
  if (verdict === 'not_judged') return { ...others, synthetic: true }
  return { ...others, verdict, ...(verdict === 'clear' && { synthetic: false }) }
}

export const TRACE_VIOLATIONS = [
  'CARD_MISMATCH',
  'CARD_EXPIRED',
  'UNBOUNDED_ACTION',
  'FORBIDDEN_ACTION',
  'MISSED_ESCALATION',
  'UNDECLARED_VALUE',
] as const

export const ACTION_TYPES = ['recommend', 'execute', 'escalate', 'deny'] as const

export type TraceSearch = {
  violation?: (typeof TRACE_VIOLATIONS)[number] | undefined
  action_type?: (typeof ACTION_TYPES)[number] | undefined
  action_name?: string | undefined
  provenance?: (typeof PROVENANCES)[number] | undefined
  verified?: boolean | undefined
  page?: number | undefined
}

export function readTraceSearch(search: Record<string, unknown>): TraceSearch {
  return {
    violation: oneOf(TRACE_VIOLATIONS, search['violation']),
    action_type: oneOf(ACTION_TYPES, search['action_type']),
    action_name: textOf(search['action_name']),
    provenance: oneOf(PROVENANCES, search['provenance']),
    verified: typeof search['verified'] === 'boolean' ? search['verified'] : undefined,
    page: pageOf(search['page']),
  }
}

export type ViolationSearch = {
  status?: 'open' | 'reclassified' | 'all' | undefined
  type?: string | undefined
  page?: number | undefined
}

export function readViolationSearch(search: Record<string, unknown>): ViolationSearch {
  return {
    status: oneOf(['open', 'reclassified', 'all'] as const, search['status']),
    type: textOf(search['type']),
    page: pageOf(search['page']),
  }
}
