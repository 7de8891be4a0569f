import { readFileSync } from 'node:fs'
import type { PublicationMetadata } from '@touchstone/protocol/chain'
import { describe, expect, it } from 'vitest'
import { type Computation, faultOf, judge, type Publishable } from './publication.ts'

type Vectors = { publications: { metadata: PublicationMetadata; metadata_hash: string }[] }
const file = new URL('../../../../../../vectors/chain/encodings.json', import.meta.url)
const vectors: Vectors = JSON.parse(readFileSync(file, 'utf8'))

const computations: Computation[] = vectors.publications.map(({ metadata }) => ({
  agentId: metadata.agent_id,
  score: metadata.score,
  grade: metadata.grade,
  confidence: metadata.confidence,
  checkpointCount: metadata.checkpoint_count,
  components: metadata.components,
  root: metadata.merkle_root.slice('sha256:'.length),
  computedAt: new Date(metadata.computed_at),
  assurance: null,
  assuredScore: null,
}))
const [a, b] = ['agent-7f8a9b2c', 'agent-b8e34f21'] as const

describe('judge', () => {
  it('returns the metadata of the computation, with the hashes of the test vectors', () => {
    const made = judge(
      [
        { agentId: a, score: 782, grade: 'A' },
        { agentId: b, score: 649.5, grade: 'BBB' },
      ],
      computations,
    )
    expect(made).toMatchObject(
      vectors.publications.map(({ metadata_hash: metadataHash }) => ({ record: { metadataHash } })),
    )
  })

  it('puts the assurance level into the hashed metadata of a score that has one', () => {
    const [first] = computations
    if (first === undefined) throw new Error('no vectors')
    const assured: Computation = { ...first, assurance: 2, assuredScore: 740 }
    const made = judge([{ agentId: a, score: 782, grade: 'A' }], [assured])
    if ('why' in made) throw new Error(made.why)
    expect(JSON.parse(made[0]?.metadata ?? '')).toMatchObject({
      schema: 'touchstone.publication/2',
      assurance: 2,
      assured_score: 740,
      methodology: '2',
    })
    const [old] = judge([{ agentId: a, score: 782, grade: 'A' }], computations) as Publishable[]
    expect(made[0]?.record.metadataHash).not.toBe(old?.record.metadataHash)
  })

  it('accepts an earlier computation with exactly that score', () => {
    const [first] = computations
    if (first === undefined) throw new Error('no vectors')
    const newer = { ...first, score: 790, computedAt: new Date('2026-02-26T11:00:00.000Z') }
    expect(judge([{ agentId: a, score: 782, grade: 'A' }], [newer, first])).toMatchObject([
      { record: { score: 782 } },
    ])
  })

  it('reports an agent without a score before a score that was never computed', () => {
    const wanted = [
      { agentId: a, score: 781, grade: 'A' as const },
      { agentId: 'agent-none', score: 700, grade: 'A' as const },
    ]
    expect(judge(wanted, computations)).toEqual({ why: 'ineligible', agentId: 'agent-none' })
    expect(judge(wanted.slice(0, 1), computations)).toEqual({ why: 'mismatch', agentId: a })
  })
})

describe('faultOf', () => {
  it('requires the grade of the rounded score', () => {
    expect(faultOf([{ agentId: a, score: 699.5, grade: 'A' }])).toBeUndefined()
    expect(faultOf([{ agentId: a, score: 699.4, grade: 'A' }])).toMatchObject({ grade: 'BBB' })
  })

  it('refuses a duplicate agent, after checking every grade', () => {
    const one = { agentId: a, score: 700, grade: 'A' as const }
    expect(faultOf([one, one])).toMatchObject({ why: 'twice', index: 1 })
    expect(faultOf([one, one, { ...one, grade: 'AAA' }])).toMatchObject({ why: 'grade', index: 2 })
  })
})
