import { describe, expect, it } from 'vitest'
import { newEscalations } from './new-escalations.ts'

const decided = (escalationId: string | null, decision = 'escalate') => ({
  id: undefined,
  type: 'gateway.decision',
  key: String(escalationId),
  at: '2026-11-18T12:00:00.000Z',
  data: { escalation_id: escalationId, decision, agent_id: 'desk', tool: 'pay' },
})

describe('new escalations', () => {
  it('are announced once and oldest first, and only while a person is needed', () => {
    const newestFirst = [
      decided('esc-3'),
      decided('esc-2', 'allow'),
      decided('esc-1'),
      decided('esc-3'),
      decided('esc-0'),
      decided(null),
      { ...decided('esc-9'), type: 'escalation.resolved' },
    ]
    const found = newEscalations(newestFirst, new Set(['esc-0']))
    expect(found.map(({ escalationId }) => escalationId)).toEqual(['esc-3', 'esc-1'])
    expect(found[0]).toMatchObject({ agentId: 'desk', tool: 'pay' })
  })
})
