import { gradeBytes, type Hex, onChainId } from '@touchstone/protocol/chain'
import { keccak256Hex } from '@touchstone/protocol/crypto'
import { describe, expect, it } from 'vitest'
import { type ChainView, isVerified, type StoredScore } from './proof.ts'

const metadata = '{"agent_id":"agent-1"}'
const metadataHash: Hex = `0x${keccak256Hex(metadata)}`
const word = (n: number): Hex => `0x${String(n).repeat(64)}`

const stored: StoredScore = {
  agentId: 'agent-1',
  score: 782,
  grade: 'A',
  metadata,
  metadataHash,
  contract: '0x01',
  txHash: word(1),
  blockNumber: 7,
  publishedAt: new Date(0),
}
const slot = {
  score: 782,
  grade: gradeBytes('A'),
  index: 1,
  metadataPrefix: metadataHash.slice(0, 26) as Hex,
  publishedAt: 0,
}
const event = {
  id: onChainId('agent-1'),
  score: 782,
  grade: gradeBytes('A'),
  metadataHash,
  index: 1,
}
const view: ChainView = { slot, receipt: { succeeded: true, blockNumber: 7 }, events: [event] }
type Current = NonNullable<Parameters<typeof isVerified>[2]>
const current: Current = { score: 782, grade: 'A', assurance: { level: 1 } }

describe('isVerified', () => {
  it('is true if every link is valid', () => {
    expect(isVerified(stored, view, current)).toBe(true)
  })

  it('is false once the published assurance level is not the current one', () => {
    const assured = '{"agent_id":"agent-1","assurance":2}'
    const hash: Hex = `0x${keccak256Hex(assured)}`
    const published = { ...stored, metadata: assured, metadataHash: hash }
    const seen: ChainView = {
      ...view,
      slot: { ...slot, metadataPrefix: hash.slice(0, 26) as Hex },
      events: [{ ...event, metadataHash: hash }],
    }
    const levels = ([1, 2, 3] as const).map((level) =>
      isVerified(published, seen, { ...current, assurance: { level } }),
    )
    expect(levels).toEqual([false, true, false])
    expect(isVerified(published, seen, { ...current, assurance: null })).toBe(false)
  })

  it('is false if any link is broken', () => {
    const broken: [string, Partial<StoredScore>, Partial<ChainView>, Current | undefined][] = [
      ['nothing in the slot', {}, { slot: { ...slot, index: 0 } }, current],
      ['another score in the slot', {}, { slot: { ...slot, score: 781 } }, current],
      ['another grade in the slot', {}, { slot: { ...slot, grade: '0x424242' } }, current],
      ['another hash in the slot', {}, { slot: { ...slot, metadataPrefix: '0x00' } }, current],
      ['no event', {}, { events: [] }, current],
      ['the event of another agent', {}, { events: [{ ...event, id: word(2) }] }, current],
      ['another hash in the event', {}, { events: [{ ...event, metadataHash: word(3) }] }, current],
      ['changed metadata', { metadata: '{"agent_id":"agent-2"}' }, {}, current],
      ['no receipt', {}, { receipt: undefined }, current],
      ['a revert', {}, { receipt: { succeeded: false, blockNumber: 7 } }, current],
      ['another block', {}, { receipt: { succeeded: true, blockNumber: 8 } }, current],
      ['another score now', {}, {}, { ...current, score: 783 }],
      ['another grade now', {}, {}, { ...current, grade: 'AA' }],
      ['no score now', {}, {}, undefined],
    ]
    for (const [what, change, seen, now] of broken) {
      expect(isVerified({ ...stored, ...change }, { ...view, ...seen }, now), what).toBe(false)
    }
  })
})
