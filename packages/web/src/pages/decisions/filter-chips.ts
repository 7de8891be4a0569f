import {
  DECISION_LABELS,
  type DecisionFilters,
  type DecisionSearch,
  filtersOf,
  OUTCOME_LABELS,
  SOURCE_LABELS,
} from './search.ts'

export type FilterChip = { key: keyof DecisionFilters; label: string; value: string }

type Names = {
  agentName: (agentId: string) => string
  formatTime: (at: string) => string
}

const LABELS: Record<keyof DecisionFilters, string> = {
  decision: 'Decision',
  tool: 'Tool',
  agent_id: 'Agent',
  session_id: 'Session',
  source: 'Source',
  outcome: 'Outcome',
  policy_id: 'Policy',
  escalation_id: 'Approval',
  call_id: 'Call',
  from: 'From',
  to: 'Until',
}

/** The filters that are set, each as a chip that can be removed, in a fixed order. */
export function chipsOf(search: DecisionSearch, names: Names): FilterChip[] {
  const filters = filtersOf(search)
  const keys = Object.keys(LABELS) as (keyof DecisionFilters)[]
  return keys.flatMap((key) => {
    const value = textFor(filters, key, names)
    return value === undefined ? [] : [{ key, label: LABELS[key], value }]
  })
}

function textFor(
  filters: DecisionFilters,
  key: keyof DecisionFilters,
  { agentName, formatTime }: Names,
): string | undefined {
  const { decision, source, outcome, agent_id: agentId } = filters
  if (key === 'decision') return decision?.map((word) => DECISION_LABELS[word]).join(' or ')
  if (key === 'source') return source && SOURCE_LABELS[source]
  if (key === 'outcome') return outcome && OUTCOME_LABELS[outcome]
  if (key === 'agent_id') return agentId && agentName(agentId)
  const value = filters[key]
  return value !== undefined && (key === 'from' || key === 'to') ? formatTime(value) : value
}
