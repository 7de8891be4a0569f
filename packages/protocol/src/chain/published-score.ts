import { canonicalJson } from '../base/canonical-json.ts'
import { isJsonObject } from '../base/shape.ts'
import { keccak256Hex } from '../crypto/keccak.ts'
import { type Hex, onChainId } from './publication.ts'

/**
 * Reads an agent's score from the ReputationRegistry, with the transaction that wrote it, needing
 * only a way to call a node of the chain.
 */

/** One Ethereum JSON-RPC call; returns its `result` or throws. */
export type AskNode = (method: string, params: readonly unknown[]) => Promise<unknown>

export type PublishedScore = {
  agent_id: string
  score: number
  grade: string
  published_at: string
  block_number: number
  tx_hash: string
  /** The number of scores published for this agent up to this one. */
  publication: number
  metadata_hash: Hex
}

export type PublishedScoreReading =
  | { verified: true; published: PublishedScore }
  | { verified: false; fault: string }

/** The first four bytes of keccak256 of getScore(bytes32). */
const GET_SCORE = '0x7ba53285'
/** keccak256 of ScorePublished(bytes32,uint16,bytes3,bytes32,uint32). */
const SCORE_PUBLISHED = '0x4c84c95273dc594063c843637220d0c1e9429d1a573c21bac1e650c5ee102771'

/** Score, grade, time, block, index, and the first 12 bytes of the metadata hash. */
const RECORD_WORDS = 6
/** The length of the metadata hash prefix, in hex digits. */
const PREFIX_DIGITS = 24

export async function readPublishedScore(
  ask: AskNode,
  { registry, agentId }: { registry: string; agentId: string },
): Promise<PublishedScoreReading> {
  const id = onChainId(agentId)
  const call = { to: registry, data: GET_SCORE + id.slice(2) }
  const record = wordsOf(await ask('eth_call', [call, 'latest']))
  const [score = '', grade = '', at = '', block = '', index = '', prefix = ''] = record
  if (record.length < RECORD_WORDS) return fault('no registry contract at this address')
  if (numberOf(index) === 0) return fault('the registry has no score for this agent')
  const event = await findEvent(ask, { registry, id, block: numberOf(block), index })
  if (event === undefined) return fault('no ScorePublished event in that block')
  const [eventScore, eventGrade, eventHash = ''] = event.words
  if (eventScore !== score || eventGrade !== grade) return fault('the event has a different score')
  if (!eventHash.startsWith(prefix.slice(0, PREFIX_DIGITS))) {
    return fault('the event has a different metadata hash')
  }
  const receipt = await ask('eth_getTransactionReceipt', [event.transaction])
  if (!isJsonObject(receipt) || receipt['status'] !== '0x1') {
    return fault('the transaction did not succeed')
  }
  return {
    verified: true,
    published: {
      agent_id: agentId,
      score: numberOf(score),
      grade: textOf(grade),
      published_at: new Date(numberOf(at) * 1000).toISOString(),
      block_number: numberOf(block),
      tx_hash: event.transaction,
      publication: numberOf(index),
      metadata_hash: `0x${eventHash}`,
    },
  }
}

/**
 * Why this is not the metadata published with the score; undefined if it is. Takes the metadata as
 * JSON.parse returns it.
 */
export function metadataFault(published: PublishedScore, metadata: unknown): string | undefined {
  if (!isJsonObject(metadata)) return 'not a metadata object'
  if (`0x${keccak256Hex(canonicalJson(metadata))}` !== published.metadata_hash) {
    return 'the metadata does not match the published hash'
  }
  const isSame =
    metadata['agent_id'] === published.agent_id && metadata['score'] === published.score
  return isSame ? undefined : 'the metadata belongs to a different score'
}

type Wanted = { registry: string; id: Hex; block: number; index: string }

async function findEvent(ask: AskNode, { registry, id, block, index }: Wanted) {
  const blockHex = `0x${block.toString(16)}`
  const logs = await ask('eth_getLogs', [
    {
      address: registry,
      fromBlock: blockHex,
      toBlock: blockHex,
      topics: [SCORE_PUBLISHED, id],
    },
  ])
  for (const log of Array.isArray(logs) ? logs : []) {
    if (!isJsonObject(log)) continue
    const { transactionHash: transaction, data } = log
    const words = wordsOf(data)
    if (typeof transaction === 'string' && words[3] === index) return { transaction, words }
  }
  return undefined
}

function fault(text: string): PublishedScoreReading {
  return { verified: false, fault: text }
}

/** The 32-byte words of an ABI-encoded response, as hex digits. */
function wordsOf(data: unknown): readonly string[] {
  if (typeof data !== 'string' || !/^0x(?:[0-9a-f]{64})*$/.test(data)) return []
  return data.slice(2).match(/.{64}/g) ?? []
}

function numberOf(word: string): number {
  return Number(BigInt(`0x${word}`))
}

/** Decodes up to three ASCII letters from the left of a word. */
function textOf(word: string): string {
  const bytes = word.slice(0, 6).match(/../g) ?? []
  return bytes
    .map((byte) => String.fromCharCode(Number.parseInt(byte, 16)))
    .join('')
    .replaceAll('\0', '')
}
