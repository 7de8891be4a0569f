import { boundsOf, type TimeRange } from '../../range/time-range.ts'
import { oneOf, textOf } from '../agents/search.ts'

export const DECISIONS = ['allow', 'warn', 'escalate', 'block'] as const
export const SOURCES = ['api', 'sdk', 'mcp_guard', 'hook', 'model_gateway'] as const
export const OUTCOMES = ['executed', 'failed', 'not_executed', 'none', 'bypassed'] as const

export type DecisionWord = (typeof DECISIONS)[number]

export const DECISION_LABELS: Record<DecisionWord, string> = {
  allow: 'Allowed',
  warn: 'Warning',
  escalate: 'Escalated',
  block: 'Blocked',
}

export const SOURCE_LABELS: Record<(typeof SOURCES)[number], string> = {
  api: 'API',
  sdk: 'SDK',
  mcp_guard: 'MCP guard',
  hook: 'Hook',
  model_gateway: 'Model gateway',
}

export const OUTCOME_LABELS: Record<(typeof OUTCOMES)[number], string> = {
  executed: 'Executed',
  failed: 'Failed',
  not_executed: 'Not executed',
  none: 'Not reported',
  bypassed: 'Bypassed',
}

export type DecisionSearch = {
  agent_id?: string | undefined
  /** Exact, or a prefix that ends in `*`. */
  tool?: string | undefined
  decision?: DecisionWord[] | undefined
  source?: (typeof SOURCES)[number] | undefined
  outcome?: (typeof OUTCOMES)[number] | undefined
  session_id?: string | undefined
  policy_id?: string | undefined
  escalation_id?: string | undefined
  call_id?: string | undefined
  from?: string | undefined
  to?: string | undefined
  cursor?: string | undefined
  /** The id of the decision in the side panel. */
  open?: string | undefined
}

/** The part of the address that narrows the list: not its page, nor the decision in the panel. */
export type DecisionFilters = Omit<DecisionSearch, 'cursor' | 'open'>

/** Filters are kept in the URL, so that a view can be bookmarked and shared. */
export function readDecisionSearch(search: Record<string, unknown>): DecisionSearch {
  return {
    agent_id: textOf(search['agent_id']),
    tool: textOf(search['tool']),
    decision: decisionsOf(search['decision']),
    source: oneOf(SOURCES, search['source']),
    outcome: oneOf(OUTCOMES, search['outcome']),
    session_id: textOf(search['session_id']),
    policy_id: textOf(search['policy_id']),
    escalation_id: textOf(search['escalation_id']),
    call_id: textOf(search['call_id']),
    from: timeOf(search['from']),
    to: timeOf(search['to']),
    cursor: textOf(search['cursor']),
    open: textOf(search['open']),
  }
}

/** One word or several; unknown words do not filter. */
function decisionsOf(value: unknown): DecisionWord[] | undefined {
  const words = Array.isArray(value) ? value : [value]
  const known = DECISIONS.filter((word) => words.includes(word))
  return known.length === 0 ? undefined : known
}

function timeOf(value: unknown): string | undefined {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? value : undefined
}

/** The filters that are set. The range of the console is no filter of this list alone. */
export function filtersOf(
  search: DecisionSearch & { range?: string | undefined },
): DecisionFilters {
  const { cursor: _, open: __, range: ___, ...filters } = search
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined))
}

/** The filters of a request. The range of the console counts if the list has no times of its own. */
export function filtersIn(
  search: DecisionSearch,
  range: TimeRange | undefined,
  now: Date,
): DecisionFilters {
  const filters = filtersOf(search)
  if (range === undefined || filters.from !== undefined || filters.to !== undefined) return filters
  const { from, to } = boundsOf(range, now)
  // New decisions belong to a range that ends now.
  const end = typeof range === 'string' ? {} : { to: to.toISOString() }
  return { ...filters, from: from.toISOString(), ...end }
}

export function isFiltered(search: DecisionSearch): boolean {
  return Object.keys(filtersOf(search)).length > 0
}

const ID_FILTERS = [
  ['dec-', 'open'],
  ['esc-', 'escalation_id'],
  ['pol-', 'policy_id'],
] as const

/** The filter for a text in the search field: an id by its prefix, otherwise a tool. */
export function readSearchText(text: string): DecisionSearch {
  const wanted = text.trim()
  const [, key = 'tool'] = ID_FILTERS.find(([prefix]) => wanted.startsWith(prefix)) ?? []
  return { [key]: wanted === '' ? undefined : wanted }
}
