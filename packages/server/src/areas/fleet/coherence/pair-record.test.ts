import { describe, expect, it } from 'vitest'
import { pairTable } from './pair-record.ts'

describe('pairTable', () => {
  it('has all pairs of the agents, by id, in a row', () => {
    const records = [
      { agentA: 'c', agentB: 'b', scoreE4: 1 },
      { agentA: 'a', agentB: 'c', scoreE4: 2 },
      { agentA: 'b', agentB: 'c', scoreE4: 3 },
      { agentA: 'B', agentB: 'a', scoreE4: 4 },
      { agentA: 'a', agentB: 'a', scoreE4: 5 },
    ]
    expect(pairTable(records)).toEqual({
      agentIds: ['B', 'a', 'b', 'c'],
      scores: [4, null, null, null, 2, 3],
    })
  })

  it('of two agents is one score', () => {
    const pair = { agentA: 'y', agentB: 'x', scoreE4: 7000 }
    expect(pairTable([pair])).toEqual({ agentIds: ['x', 'y'], scores: [7000] })
    expect(pairTable([])).toEqual({ agentIds: [], scores: [] })
  })
})
