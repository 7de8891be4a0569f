import { readFileSync } from 'node:fs'
import {
  batchRoot,
  gradeBytes,
  type Hex,
  type OnChainRecord,
  onChainId,
  packRecords,
  publicationLeaf,
} from '@touchstone/protocol/chain'
import { GRADES, type Grade } from '@touchstone/protocol/score'
import fc from 'fast-check'
import { keccak256, parseEventLogs, type TransactionReceipt, toHex } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { publishedEvents, readSlot, scoreCall } from '../../packages/server/src/chain/evm.ts'
import {
  type DeployedContracts,
  deployContracts,
  IDENTITY,
  revertError,
} from './contracts.fixture.ts'

let w: DeployedContracts

const BATCH = 200

const record = (agentId: string, score: number, grade: Grade): OnChainRecord => ({
  id: onChainId(agentId),
  score,
  grade,
  metadataHash: keccak256(toHex(`${agentId} ${score}`)),
})

const publish = (records: Hex, as: 'owner' | 'stranger' = 'owner') =>
  w[as].write({ ...w.registry, functionName: 'publishBatch', args: [records] })

const publishOne = ({ id, score, grade, metadataHash }: OnChainRecord) =>
  w.owner.write({
    ...w.registry,
    functionName: 'publishScore',
    args: [id, score, gradeBytes(grade), metadataHash],
  })

const slotOf = (id: Hex) =>
  w.reader.readContract({ ...w.registry, functionName: 'getScore', args: [id] })

const events = <N extends 'ScorePublished' | 'NewFeedback' | 'BatchPublished'>(
  receipt: TransactionReceipt,
  eventName: N,
) => parseEventLogs({ abi: w.registry.abi, logs: receipt.logs, eventName })

const latestRoot = () =>
  w.reader.readContract({ ...w.registry, functionName: 'getLatestBatchRoot' })
const totalAgents = () =>
  w.reader.readContract({ ...w.registry, functionName: 'getTotalPublishedAgents' })

beforeAll(async () => {
  w = await deployContracts()
})

describe('a batch of 200', () => {
  const batch = (scoreOf: (n: number) => number) =>
    Array.from({ length: BATCH }, (_, n) => record(`agent-${n}`, scoreOf(n), 'A'))

  it('costs at most 34,000 gas per first publication, both events included', async () => {
    const receipt = await publish(packRecords(batch((n) => 700 + (n % 99))))
    expect(Number(receipt.gasUsed) / BATCH).toBeLessThanOrEqual(34_000)
    expect(Number(receipt.gasUsed)).toBeLessThan(2 ** 24)
    expect(events(receipt, 'ScorePublished')).toHaveLength(BATCH)
    expect(events(receipt, 'NewFeedback')).toHaveLength(BATCH)
    expect(await totalAgents()).toBe(BigInt(BATCH))
  })

  it('costs at most 17,000 gas per update', async () => {
    const receipt = await publish(packRecords(batch((n) => 799 - (n % 99))))
    expect(Number(receipt.gasUsed) / BATCH).toBeLessThanOrEqual(17_000)
    expect(await totalAgents()).toBe(BigInt(BATCH))
  })

  it('has the Merkle root that anybody can compute from its records', async () => {
    const records = batch((n) => 750 + (n % 3))
    const receipt = await publish(packRecords(records))
    const root = batchRoot(records.map(publicationLeaf))
    expect(await latestRoot()).toBe(root)
    expect(events(receipt, 'BatchPublished')).toMatchObject([
      { args: { batchRoot: root, agentCount: BATCH } },
    ])
  })
})

describe('a publication', () => {
  it('fills one storage slot with everything but the full metadata hash', async () => {
    const one = record('slot-agent', 782, 'A')
    const receipt = await publish(packRecords([one]))
    const block = await w.reader.getBlock({ blockNumber: receipt.blockNumber })
    expect(await slotOf(one.id)).toEqual([
      782,
      '0x410000',
      Number(block.timestamp),
      Number(receipt.blockNumber),
      1,
      one.metadataHash.slice(0, 26),
    ])
  })

  it('emits two events: ScorePublished, and NewFeedback of ERC-8004', async () => {
    const one = record('event-agent', 0, 'CCC')
    const receipt = await publishOne(one)
    expect(events(receipt, 'ScorePublished')).toMatchObject([
      {
        args: {
          agentId: one.id,
          score: 0,
          grade: '0x434343',
          metadataHash: one.metadataHash,
          index: 1,
        },
      },
    ])
    expect(events(receipt, 'NewFeedback')).toMatchObject([
      {
        args: {
          agentId: BigInt(one.id),
          clientAddress: w.registry.address,
          feedbackIndex: 1n,
          value: 0n,
          valueDecimals: 0,
          indexedTag1: keccak256(toHex('trust-rating')),
          tag1: 'trust-rating',
          tag2: 'CCC',
          endpoint: '',
          feedbackURI: '',
          feedbackHash: one.metadataHash,
        },
      },
    ])
  })

  it('has an index counted from 1 and supersedes the previous one', async () => {
    const agent = (score: number) => record('counting-agent', score, 'AA')
    const before = await totalAgents()
    await publishOne(agent(801))
    await publish(packRecords([agent(802)]))
    await publishOne(agent(803))
    expect((await slotOf(agent(1).id)).slice(0, 5)).toMatchObject([803, '0x414100', {}, {}, 3])
    expect(await totalAgents()).toBe(before + 1n)
  })

  it('stores and emits any valid records, with the Merkle root computed off chain', async () => {
    const word = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes): Hex => toHex(bytes))
    const any = fc.record({
      id: word,
      score: fc.integer({ min: 0, max: 1000 }),
      grade: fc.constantFrom(...GRADES.map(({ grade }) => grade)),
      metadataHash: word,
    })
    const batches = fc.uniqueArray(any, { minLength: 1, maxLength: 33, selector: ({ id }) => id })
    await fc.assert(
      fc.asyncProperty(batches, async (records) => {
        const receipt = await publish(packRecords(records))
        expect(await latestRoot()).toBe(batchRoot(records.map(publicationLeaf)))
        const scores = events(receipt, 'ScorePublished').map(({ args }) => args)
        const feedback = events(receipt, 'NewFeedback').map(({ args }) => args)
        expect(scores).toEqual(
          records.map(({ id, score, grade, metadataHash }, i) => ({
            agentId: id,
            score,
            grade: gradeBytes(grade),
            metadataHash,
            index: scores[i]?.index,
          })),
        )
        expect(feedback.map(({ tag2, value }) => [tag2, value])).toEqual(
          records.map(({ grade, score }) => [grade, BigInt(score)]),
        )
      }),
      { numRuns: 15 },
    )
  })
})

describe('publishing is rejected', () => {
  const packed = packRecords([record('refused-agent', 700, 'A')])
  const withBytes = (at: number, hex: string) =>
    `0x${packed.slice(2, 2 + at * 2)}${hex}${packed.slice(2 + at * 2 + hex.length)}` as Hex

  it('for a score above 1000', async () => {
    expect(await revertError(publish(withBytes(32, '03e9')))).toBe('ScoreOutOfRange')
    await publish(withBytes(32, '03e8'))
  })

  it('for a grade other than the seven', async () => {
    for (const grade of ['000000', '434300', '4e5200', '410041', '616161', '414141ff'.slice(2)]) {
      expect(await revertError(publish(withBytes(34, grade))), grade).toBe('InvalidGrade')
    }
  })

  it('for an empty batch, 201 records, or bytes that are not whole records', async () => {
    const many = Array.from({ length: 201 }, (_, n) => record(`many-${n}`, 700, 'A'))
    expect(await revertError(publish('0x'))).toBe('InvalidBatchSize')
    expect(await revertError(publish(packRecords(many)))).toBe('InvalidBatchSize')
    expect(await revertError(publish(`${packed}00`))).toBe('InvalidRecords')
    expect(await revertError(publish(packed.slice(0, -2) as Hex))).toBe('InvalidRecords')
  })

  it('for an account that is not a publisher', async () => {
    expect(await revertError(publish(packed, 'stranger'))).toBe('NotPublisher')
  })
})

describe('the read functions of ERC-8004', () => {
  const agent = BigInt(onChainId('erc-agent'))
  const read = (functionName: string, args: readonly unknown[]) =>
    w.reader.readContract({ ...w.registry, functionName, args } as never)

  beforeAll(async () => {
    await publishOne(record('erc-agent', 650, 'BBB'))
    await publishOne(record('erc-agent', 655, 'BBB'))
  })

  it('return the registry as the only client of agents with a publication', async () => {
    expect(await read('getClients', [agent])).toEqual([w.registry.address])
    expect(await read('getClients', [1n])).toEqual([])
    expect(await read('getLastIndex', [agent, w.registry.address])).toBe(2n)
    expect(await read('getLastIndex', [agent, w.stranger.address])).toBe(0n)
    expect(await read('getIdentityRegistry', [])).toBe(IDENTITY)
  })

  it('return the latest publication and reject older ones as superseded', async () => {
    const { address } = w.registry
    expect(await read('readFeedback', [agent, address, 2n])).toEqual([
      655n,
      0,
      'trust-rating',
      'BBB',
      false,
    ])
    expect(await revertError(read('readFeedback', [agent, address, 1n]))).toBe('Superseded')
    expect(await revertError(read('readFeedback', [agent, address, 0n]))).toBe('NoFeedback')
    expect(await revertError(read('readFeedback', [agent, address, 3n]))).toBe('NoFeedback')
    expect(await revertError(read('readFeedback', [agent, w.owner.address, 2n]))).toBe('NoFeedback')
  })

  it('return the latest score as the summary if clients and tags match', async () => {
    const us = [w.stranger.address, w.registry.address]
    const summary = (clients: readonly string[], tag1 = '', tag2 = '') =>
      read('getSummary', [agent, clients, tag1, tag2])
    expect(await summary(us)).toEqual([1n, 655n, 0])
    expect(await summary(us, 'trust-rating', 'BBB')).toEqual([1n, 655n, 0])
    expect(await summary(us, 'trust-rating', 'A')).toEqual([0n, 0n, 0])
    expect(await summary(us, 'speed')).toEqual([0n, 0n, 0])
    expect(await summary([w.stranger.address])).toEqual([0n, 0n, 0])
    expect(await revertError(summary([]))).toBe('NoClients')
  })
  it('return the latest publication among all feedback if clients and tags match', async () => {
    const { address } = w.registry
    const all = (clients: readonly string[], tag1 = '', tag2 = '', revoked = true) =>
      read('readAllFeedback', [agent, clients, tag1, tag2, revoked])
    const latest = [[address], [2n], [655n], [0], ['trust-rating'], ['BBB'], [false]]
    expect(await all([])).toEqual(latest)
    expect(await all([w.stranger.address, address], 'trust-rating', 'BBB', false)).toEqual(latest)
    for (const none of [
      all([w.stranger.address]),
      all([], 'speed'),
      all([], '', 'A'),
      read('readAllFeedback', [1n, [], '', '', true]),
    ]) {
      expect(await none).toEqual([[], [], [], [], [], [], []])
    }
  })

  it('count no responses, and name the version', async () => {
    const { address } = w.registry
    expect(await read('getResponseCount', [agent, address, 2n, []])).toBe(0n)
    expect(await read('getVersion', [])).toBe('2.0.0')
  })
})

describe('a registry that was deployed before version 2.0.0', () => {
  it('is published to and read as before, and says that it has no version', async () => {
    const { bytecode } = JSON.parse(
      readFileSync(new URL('registry-1.json', import.meta.url), 'utf8'),
    )
    const { abi } = w.registry
    const args = [w.owner.address, w.owner.address, IDENTITY] as const
    const address = await w.owner.deploy({ abi, bytecode, args })
    const one = record('kept-agent', 650, 'BBB')
    const receipt = await w.owner.write({
      abi,
      address,
      functionName: 'publishBatch',
      args: [packRecords([one])],
    })
    expect(publishedEvents(receipt.logs, address.toLowerCase())).toMatchObject([
      { id: one.id, score: 650, metadataHash: one.metadataHash, index: 1 },
    ])
    const { data } = await w.reader.call({ to: address, data: scoreCall('kept-agent') })
    expect(readSlot(data ?? '0x')).toMatchObject({ score: 650, index: 1 })
    const agent = BigInt(one.id)
    const ask = (functionName: string, given: readonly unknown[]) =>
      w.reader.readContract({ abi, address, functionName, args: given } as never)
    const stored = [650n, 0, 'trust-rating', 'BBB', false]
    expect(await ask('readFeedback', [agent, address, 1n])).toEqual(stored)
    expect(await revertError(ask('getVersion', []))).not.toBe('no revert')
  })
})
