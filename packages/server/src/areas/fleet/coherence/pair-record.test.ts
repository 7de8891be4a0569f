import { describe, expect, it } from 'vitest'
import { orderedRecords } from './pair-record.ts'

describe('orderedRecords', () => {
  it('has each pair once, the smaller id first, by ids', () => {
    const records = [
      { agentA: 'c', agentB: 'b', scoreE4: 1 },
      { agentA: 'a', agentB: 'c', scoreE4: 2 },
      { agentA: 'b', agentB: 'c', scoreE4: 3 },
      { agentA: 'B', agentB: 'a', scoreE4: 4 },
    ]
    expect(orderedRecords(records)).toEqual([
      { agentA: 'B', agentB: 'a', scoreE4: 4 },
      { agentA: 'a', agentB: 'c', scoreE4: 2 },
      { agentA: 'b', agentB: 'c', scoreE4: 3 },
    ])
  })
})
