import { checkedValues } from '@touchstone/protocol/analysis'
import { type AlignmentCard, SYSTEM_BASE_VALUES } from '@touchstone/protocol/cards'
import type { AnalysisRequest } from './analyser.ts'

/** Cards may contain fields that are not in the schema. */
const THRIFT = {
  name: 'Thrift',
  description: 'Spend little.',
  priority: 2,
  note: 'hidden-in-definition',
}
const TRIGGER = {
  condition: 'amount > 5',
  action: 'escalate',
  reason: 'Money.',
  note: 'hidden-in-trigger',
} as const

export const BASE = checkedValues(SYSTEM_BASE_VALUES)

/** With every member of the schema, and some unknown ones. */
export const FULL_CARD: AlignmentCard = {
  aap_version: '0.5.0',
  card_id: 'ac-1',
  agent_id: 'agent-demo',
  issued_at: '2026-03-01T00:00:00.000Z',
  principal: {
    type: 'human',
    relationship: 'delegated_authority',
    identifier: 'jane@company.example',
    escalation_contact: 'call-me@company.example',
  },
  values: {
    declared: ['honesty', 'thrift'],
    conflicts_with: ['hidden_fees'],
    definitions: {
      thrift: THRIFT,
    },
    hierarchy: 'lexicographic',
  },
  autonomy_envelope: {
    bounded_actions: ['search'],
    forbidden_actions: ['exfiltrate_data'],
    escalation_triggers: [TRIGGER],
    max_autonomous_value: { amount: 10, currency: 'USD' },
  },
  audit_commitment: {
    trace_format: 'ap-trace-v1',
    retention_days: 30,
    queryable: true,
    query_endpoint: 'https://logs.example/query',
  },
  extensions: { 'x.example': { token: 'hidden-in-extension' } },
}

export const ANALYSIS: AnalysisRequest = {
  card: FULL_CARD,
  values: BASE,
  windowContext: [{ checkpoint_id: 'ic-earlier', verdict: 'clear', reasoning_summary: 'ok' }],
  thinking: 'I will search.',
  output: 'Here are flights.',
  actions: ['search'],
  context: { amount: 7 },
  taskContext: 'Find a cheap flight.',
  scope: 'thinking_and_output',
  timeoutMs: 15_000,
  maxTokens: 2048,
}
