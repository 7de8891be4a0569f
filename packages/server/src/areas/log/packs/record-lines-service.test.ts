import { describe, expect, it } from 'vitest'
import { createFigures } from './figures.ts'
import { policyLines } from './record-lines-service.ts'

const AT = new Date('2026-03-01T12:00:00.000Z')
const period = { from: AT, to: new Date('2026-04-01T00:00:00.000Z') }

/** An organisation whose policies are at these places of the log. */
function policiesAt(...indexes: number[]) {
  const logged = indexes.map((index) => ({
    type: 'policy' as const,
    recordId: `pol-${index}/1`,
    index,
    agentId: null,
    record: '{}',
    nonce: new Uint8Array(32),
  }))
  const stored = indexes.map((index) => ({
    policyId: `pol-${index}`,
    version: 1,
    updatedAt: AT,
    document: {},
  }))
  return {
    entries: {
      orgTags: async () => new Map<string, string>(),
      openAt: async () => [],
      policiesOf: async () => logged,
      indexesOf: async () => new Map<string, number>(),
    },
    policies: { findVersions: async () => stored },
    decisions: { batchesAfter: async () => [] },
    details: { checkpoints: async () => new Map(), containment: async () => new Map() },
  }
}

describe('the policies of a pack', () => {
  it('are those that its checkpoint covers, although the log has grown since', async () => {
    const earlier: number[] = []
    const context = {
      orgId: 'org-1',
      period,
      size: 6,
      orgEntries: {
        count: 0,
        ofType: () => [],
        open: () => undefined,
        *unopened() {},
        tags: new Map<string, string>(),
      },
      figures: createFigures(),
      earlier,
    }
    const lines: string[] = []
    for await (const text of policyLines(policiesAt(4, 5, 6, 7), context)) lines.push(text)
    expect(lines.map((text) => JSON.parse(text).index)).toEqual([4, 5])
    expect(earlier).toEqual([4, 5])
  })
})
