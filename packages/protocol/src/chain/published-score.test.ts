import { describe, expect, it } from 'vitest'
import { keccak256Hex } from '../crypto/keccak.ts'
import { gradeBytes, metadataHash, onChainId, type PublicationMetadata } from './publication.ts'
import { type AskNode, metadataFault, readPublishedScore } from './published-score.ts'

const REGISTRY = `0x${'1'.repeat(40)}`
const TX = `0x${'a'.repeat(64)}`
const METADATA: PublicationMetadata = {
  schema: 'touchstone.publication/1',
  agent_id: 'agent-1',
  score: 812,
  grade: 'AA',
  confidence: 'high',
  checkpoint_count: 347,
  merkle_root: `sha256:${'0'.repeat(64)}`,
  components: {
    integrity_ratio: 900,
    compliance: 800,
    drift_stability: 700,
    trace_completeness: 600,
    coherence_compatibility: 750,
  },
  computed_at: '2026-03-01T12:00:00.000Z',
}
const HASH = metadataHash(METADATA).slice(2)

const word = (value: number) => value.toString(16).padStart(64, '0')
const left = (hex: string) => hex.padEnd(64, '0')
const GRADE = left(gradeBytes('AA').slice(2))

/** A chain with one publication, in which single responses can be falsified. */
function chain(changes: Record<string, unknown> = {}): AskNode {
  const record = [word(812), GRADE, word(1_772_366_400), word(77), word(3), left(HASH.slice(0, 24))]
  const answers: Record<string, unknown> = {
    eth_call: `0x${record.join('')}`,
    eth_getLogs: [
      {
        transactionHash: `0x${'b'.repeat(64)}`,
        data: `0x${[word(1), GRADE, HASH, word(2)].join('')}`,
      },
      { transactionHash: TX, data: `0x${[word(812), GRADE, HASH, word(3)].join('')}` },
    ],
    eth_getTransactionReceipt: { status: '0x1' },
    ...changes,
  }
  return async (method) => answers[method]
}

const read = (ask: AskNode) => readPublishedScore(ask, { registry: REGISTRY, agentId: 'agent-1' })

describe('readPublishedScore', () => {
  it('returns the published score and its transaction', async () => {
    const asked: unknown[] = []
    const ask: AskNode = (method, params) => {
      asked.push([method, params])
      return chain()(method, params)
    }
    expect(await read(ask)).toEqual({
      verified: true,
      published: {
        agent_id: 'agent-1',
        score: 812,
        grade: 'AA',
        published_at: '2026-03-01T12:00:00.000Z',
        block_number: 77,
        tx_hash: TX,
        publication: 3,
        metadata_hash: `0x${HASH}`,
      },
    })
    expect(asked).toEqual([
      [
        'eth_call',
        [{ to: REGISTRY, data: `0x7ba53285${onChainId('agent-1').slice(2)}` }, 'latest'],
      ],
      [
        'eth_getLogs',
        [
          {
            address: REGISTRY,
            fromBlock: '0x4d',
            toBlock: '0x4d',
            topics: [
              `0x${keccak256Hex('ScorePublished(bytes32,uint16,bytes3,bytes32,uint32)')}`,
              onChainId('agent-1'),
            ],
          },
        ],
      ],
      ['eth_getTransactionReceipt', [TX]],
    ])
    expect(keccak256Hex('getScore(bytes32)').slice(0, 8)).toBe('7ba53285')
  })

  it.each([
    [{ eth_call: '0x' }, 'no registry contract at this address'],
    [{ eth_call: null }, 'no registry contract at this address'],
    [{ eth_call: `0x${word(0).repeat(6)}` }, 'the registry has no score for this agent'],
    [{ eth_getLogs: [] }, 'no ScorePublished event in that block'],
    [{ eth_getLogs: [null, { data: 'x' }] }, 'no ScorePublished event in that block'],
    [
      {
        eth_getLogs: [
          { transactionHash: TX, data: `0x${[word(813), GRADE, HASH, word(3)].join('')}` },
        ],
      },
      'the event has a different score',
    ],
    [
      {
        eth_getLogs: [
          { transactionHash: TX, data: `0x${[word(812), GRADE, word(5), word(3)].join('')}` },
        ],
      },
      'the event has a different metadata hash',
    ],
    [{ eth_getTransactionReceipt: { status: '0x0' } }, 'the transaction did not succeed'],
    [{ eth_getTransactionReceipt: null }, 'the transaction did not succeed'],
  ])('rejects an inconsistent chain (%#)', async (changes, fault) => {
    expect(await read(chain(changes))).toEqual({ verified: false, fault })
  })
})

describe('metadataFault', () => {
  it('recognises the published metadata and no other', async () => {
    const reading = await read(chain())
    if (!reading.verified) throw new Error(reading.fault)
    const { published } = reading
    expect(metadataFault(published, METADATA)).toBeUndefined()
    expect(metadataFault(published, { ...METADATA, confidence: 'low' })).toBe(
      'the metadata does not match the published hash',
    )
    expect(metadataFault({ ...published, score: 1 }, METADATA)).toBe(
      'the metadata belongs to a different score',
    )
    expect(metadataFault(published, null)).toBe('not a metadata object')
  })
})
