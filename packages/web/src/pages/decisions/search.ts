import { oneOf, textOf } from '../agents/search.ts'

export const DECISIONS = ['allow', 'warn', 'escalate', 'block'] as const
export const SOURCES = ['api', 'sdk', 'mcp_guard', 'hook', 'model_gateway'] as const
export const OUTCOMES = ['executed', 'failed', 'not_executed', 'none', 'bypassed'] as const

export type DecisionWord = (typeof DECISIONS)[number]

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
}

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

/** True if any filter is set; the page of the list is not a filter. */
export function isFiltered({ cursor: _, ...filters }: DecisionSearch): boolean {
  return Object.values(filters).some((value) => value !== undefined)
}

/** A time as `datetime-local` inputs show it, in the reader's time zone. */
export function toLocalInput(at: string | undefined): string {
  if (at === undefined) return ''
  const time = new Date(at)
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** The time in a `datetime-local` input; undefined if the input is empty. */
export function fromLocalInput(text: string): string | undefined {
  return text === '' ? undefined : new Date(text).toISOString()
}
