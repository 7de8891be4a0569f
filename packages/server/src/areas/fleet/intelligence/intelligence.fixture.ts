import type { AlignmentCard } from '@touchstone/protocol/cards'
import { findFaultLines } from '@touchstone/protocol/intelligence'
import type { Analysis } from './item.ts'

type CardTexts = { declared: string; conflicts?: string; bounded: string; forbidden?: string }

const words = (text = '') => text.split(' ').filter((word) => word !== '')

export function teamCard(agentId: string, texts: CardTexts): AlignmentCard {
  return {
    aap_version: '0.5.0',
    agent_id: agentId,
    issued_at: '2026-01-01T00:00:00.000Z',
    principal: { type: 'organization', relationship: 'delegated_authority' },
    values: {
      declared: words(texts.declared),
      conflicts_with: words(texts.conflicts),
      hierarchy: 'lexicographic',
    },
    autonomy_envelope: {
      bounded_actions: words(texts.bounded),
      forbidden_actions: words(texts.forbidden),
    },
    audit_commitment: { trace_format: 'ap-trace-v1', retention_days: 90, queryable: true },
  }
}

/** The team of three from the test vectors. */
export const THREE = [
  teamCard('agent-a', {
    declared: 'transparency privacy accuracy',
    conflicts: 'data_hoarding',
    bounded: 'search summarize send_report',
    forbidden: 'delete_records',
  }),
  teamCard('agent-b', {
    declared: 'transparency accuracy speed',
    bounded: 'search send_report delete_records',
  }),
  teamCard('agent-c', {
    declared: 'speed accuracy data_hoarding transparency',
    conflicts: 'privacy',
    bounded: 'search archive',
    forbidden: 'send_report',
  }),
]

/** The tools that the policies of the team map to its actions. */
export const THREE_TOOLS: ReadonlyMap<string, readonly string[]> = new Map(
  ['archive', 'search', 'summarize'].map((action) => [action, [`*__${action}`, action]]),
)

export function analysisOf(cards: readonly AlignmentCard[]): Analysis {
  const { pairs: _, ...found } = findFaultLines(cards)
  return { ...found, agentsWithoutCard: [] }
}

/** A valid reply of a model about that team. */
export const FORECAST_REPLY = {
  failure_modes: [
    {
      mode: 'coordination_deadlock',
      description: 'A1 and A3 block each other over F1.',
      probability: 0.61239,
      severity: 'critical',
      triggered_by: ['F1', 'F2'],
      affected_agents: ['A1', 'A3'],
      mitigation_available: true,
    },
  ],
  overall_risk_level: 'high',
  confidence: 0.8,
}

export const RECOMMENDATION_REPLY = {
  policy: {
    capability_mappings: [{ capability: 'archive', tools: ['archive'] }],
    forbidden: [{ pattern: 'mcp__mail__*', reason: 'A3 must not mail.', severity: 'high' }],
    escalation_triggers: [
      { condition: 'tool_new', action: 'escalate', reason: 'New tools.', severity: 'high' },
    ],
    defaults: {
      unmapped_tool_action: 'block',
      unmapped_severity: 'critical',
      fail_open: false,
      enforcement_mode: 'enforce',
      grace_period_hours: 0,
    },
  },
  reasoning_chain: [
    { action: 'Keep mail away', rationale: 'F1 is about data.', fault_lines_addressed: ['F1'] },
    { action: 'Watch new tools', rationale: 'Nobody knows them.', fault_lines_addressed: [] },
  ],
  confidence: 0.75,
}
