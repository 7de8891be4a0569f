import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DIRECTORY_SORTS, type DirectorySort, directoryOrder } from './directory-order.ts'
import { readVectors } from './score-input.fixture.ts'

type Vectors = {
  agents: {
    agent_id: string
    name: string
    score: number
    trend_30d: number
    checkpoint_count: number
    assurance: number | null
  }[]
  orders: Record<DirectorySort, string[]>
}
const vectors = readVectors<Vectors>('directory-order')
const agents = vectors.agents.map((agent) => ({
  agentId: agent.agent_id,
  name: agent.name,
  score: agent.score,
  trend30d: agent.trend_30d,
  checkpointCount: agent.checkpoint_count,
  assurance: agent.assurance,
}))

describe('directoryOrder', () => {
  it.each(DIRECTORY_SORTS)('by %s matches the vectors, from any input order', (sort) => {
    const shuffled = fc.shuffledSubarray(agents, { minLength: agents.length })
    fc.assert(
      fc.property(shuffled, (all) => {
        const sorted = all.toSorted(directoryOrder(sort))
        expect(sorted.map(({ agentId }) => agentId)).toEqual(vectors.orders[sort])
      }),
    )
  })

  it('by name matches the order of UTF-8 bytes', () => {
    const name = fc.string({ unit: 'binary', maxLength: 6 })
    const of = (text: string) => ({
      agentId: 'a',
      name: text,
      score: 1,
      trend30d: 0,
      checkpointCount: 1,
      assurance: null,
    })
    fc.assert(
      fc.property(name, name, (a, b) => {
        const bytes = Buffer.compare(Buffer.from(a.toLowerCase()), Buffer.from(b.toLowerCase()))
        expect(Math.sign(directoryOrder('name')(of(a), of(b)))).toBe(bytes)
      }),
    )
  })
})
