import { describe, expect, it } from 'vitest'
import { pairTable } from './pair-record.ts'

describe('pairTable', () => {
  it('lists the scores of all pairs in order of agent id', () => {
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

  it('has one score for two agents', () => {
    const pair = { agentA: 'y', agentB: 'x', scoreE4: 7000 }
    expect(pairTable([pair])).toEqual({ agentIds: ['x', 'y'], scores: [7000] })
    expect(pairTable([])).toEqual({ agentIds: [], scores: [] })
  })
})
