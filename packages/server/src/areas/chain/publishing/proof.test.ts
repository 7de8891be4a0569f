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
const current = { score: 782, grade: 'A' }

describe('isVerified', () => {
  it('is true if every link is valid', () => {
    expect(isVerified(stored, view, current)).toBe(true)
  })

  it('is false if any link is broken', () => {
    const broken: [string, Partial<StoredScore>, Partial<ChainView>, typeof current | undefined][] =
      [
        ['nothing in the slot', {}, { slot: { ...slot, index: 0 } }, current],
        ['another score in the slot', {}, { slot: { ...slot, score: 781 } }, current],
        ['another grade in the slot', {}, { slot: { ...slot, grade: '0x424242' } }, current],
        ['another hash in the slot', {}, { slot: { ...slot, metadataPrefix: '0x00' } }, current],
        ['no event', {}, { events: [] }, current],
        ['the event of another agent', {}, { events: [{ ...event, id: word(2) }] }, current],
        [
          'another hash in the event',
          {},
          { events: [{ ...event, metadataHash: word(3) }] },
          current,
        ],
        ['changed metadata', { metadata: '{"agent_id":"agent-2"}' }, {}, current],
        ['no receipt', {}, { receipt: undefined }, current],
        ['a revert', {}, { receipt: { succeeded: false, blockNumber: 7 } }, current],
        ['another block', {}, { receipt: { succeeded: true, blockNumber: 8 } }, current],
        ['another score now', {}, {}, { score: 783, grade: 'A' }],
        ['another grade now', {}, {}, { score: 782, grade: 'AA' }],
        ['no score now', {}, {}, undefined],
      ]
    for (const [what, change, seen, now] of broken) {
      expect(isVerified({ ...stored, ...change }, { ...view, ...seen }, now), what).toBe(false)
    }
  })
})
