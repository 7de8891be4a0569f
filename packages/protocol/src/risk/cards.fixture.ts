import type { AlignmentCard } from '../cards/card.ts'
import type { ValueHolder } from './coherence.ts'

type Said = { declared: string; conflicts?: string; bounded: string; forbidden?: string }

const words = (text: string) => text.split(' ').filter((word) => word !== '')

export function cardOf(agentId: string, said: Said): AlignmentCard {
  return {
    aap_version: '0.5.0',
    agent_id: agentId,
    issued_at: '2026-01-01T00:00:00.000Z',
    principal: { type: 'organization', relationship: 'delegated_authority' },
    values: {
      declared: words(said.declared),
      conflicts_with: words(said.conflicts ?? ''),
      hierarchy: 'lexicographic',
    },
    autonomy_envelope: {
      bounded_actions: words(said.bounded),
      forbidden_actions: words(said.forbidden ?? ''),
    },
    audit_commitment: { trace_format: 'ap-trace-v1', retention_days: 90, queryable: true },
  }
}

/** The three cards of the team vectors. */
export const CARD_A = cardOf('a', {
  declared: 'transparency privacy accuracy',
  conflicts: 'data_hoarding',
  bounded: 'search summarize send_report',
  forbidden: 'delete_records',
})
export const CARD_B = cardOf('b', {
  declared: 'transparency accuracy speed',
  bounded: 'search send_report delete_records',
})
export const CARD_C = cardOf('c', {
  declared: 'speed accuracy data_hoarding transparency',
  conflicts: 'privacy',
  bounded: 'search archive',
  forbidden: 'send_report',
})

export function holderOf({ agent_id, values }: AlignmentCard): ValueHolder {
  return {
    agentId: agent_id,
    declared: values.declared,
    conflictsWith: values.conflicts_with ?? [],
  }
}
