import { describe, expect, it } from 'vitest'
import { chipsOf } from './filter-chips.ts'

const names = { agentName: (id: string) => `agent ${id}`, formatTime: (at: string) => `at ${at}` }

describe('the chips of the filters', () => {
  it('name every filter that is set, in the words of the page', () => {
    const search = {
      to: '2026-11-18T12:00:00Z',
      call_id: 'c-1',
      outcome: 'none',
      agent_id: 'desk-a',
      decision: ['escalate', 'block'],
    } as const
    expect(
      chipsOf({ ...search, decision: [...search.decision] }, names).map(
        ({ label, value }) => `${label}: ${value}`,
      ),
    ).toEqual([
      'Decision: Escalated or Blocked',
      'Agent: agent desk-a',
      'Outcome: Not reported',
      'Call: c-1',
      'Until: at 2026-11-18T12:00:00Z',
    ])
  })

  it('do not show the page or the open decision', () => {
    expect(chipsOf({ cursor: 'next', open: 'dec-1', tool: undefined }, names)).toEqual([])
  })
})
