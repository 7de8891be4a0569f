import { describe, expect, it } from 'vitest'
import { differencesOf } from './receipt-differences.ts'

const FIELDS = {
  decision_id: 'dec-1',
  decision: 'block',
  agent_id: 'desk-a',
  tool: 'refund',
  arguments_hash: null,
  policy_id: 'pol-1',
  policy_version: 2,
  transaction_id: null,
  escalation_id: null,
  decided_at: '2026-11-18T12:00:00.000Z',
} as const

const receipt = {
  statement: { '@context': 'urn:touchstone:decision-receipt:v1', ...FIELDS },
  signature: { algorithm: 'Ed25519', key_id: 'key-1', value: '' },
} as const

describe('a receipt', () => {
  it('belongs to the decision if every shared field is equal', () => {
    expect(differencesOf({ ...FIELDS, receipt })).toEqual([])
  })

  it('names the fields in which it differs', () => {
    const shown = { ...FIELDS, decision: 'allow', policy_version: 3, receipt } as const
    expect(differencesOf(shown)).toEqual(['decision', 'policy_version'])
  })
})
