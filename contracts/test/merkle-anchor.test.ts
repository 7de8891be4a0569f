import { parseEventLogs } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { type DeployedContracts, deployContracts, revertError } from './contracts.fixture.ts'

let w: DeployedContracts

const root = (n: number) => `0x${n.toString(16).padStart(64, '0')}` as const
const ZERO = root(0)

const anchor = (args: readonly unknown[], as: 'owner' | 'stranger' = 'owner') =>
  w[as].write({ ...w.anchor, functionName: 'anchorRoot', args })

beforeAll(async () => {
  w = await deployContracts()
})

describe('MerkleAnchor', () => {
  it('starts without roots', async () => {
    expect(await w.reader.readContract({ ...w.anchor, functionName: 'getLatestRoot' })).toBe(ZERO)
    expect(await w.reader.readContract({ ...w.anchor, functionName: 'getRootCount' })).toBe(0n)
  })

  it('stores a root with its block, emits RootAnchored, and costs at most 100,000 gas', async () => {
    const receipt = await anchor([root(1), 347, 9])
    expect(Number(receipt.gasUsed)).toBeLessThanOrEqual(100_000)
    const block = await w.reader.getBlock({ blockNumber: receipt.blockNumber })
    const record = await w.reader.readContract({
      ...w.anchor,
      functionName: 'getRecord',
      args: [root(1)],
    })
    expect(record).toEqual({
      merkleRoot: root(1),
      anchoredAt: block.timestamp,
      blockNumber: receipt.blockNumber,
      leafCount: 347,
      treeDepth: 9,
    })
    const [event] = parseEventLogs({ abi: w.anchor.abi, logs: receipt.logs })
    expect(event).toMatchObject({
      eventName: 'RootAnchored',
      args: { merkleRoot: root(1), leafCount: 347, treeDepth: 9, anchoredAt: block.timestamp },
    })
  })

  it('keeps roots in the order of anchoring', async () => {
    await anchor([root(2), 1, 0])
    await anchor([root(3), 4_294_967_295, 32])
    const read = <N extends 'getLatestRoot' | 'getRootCount'>(functionName: N) =>
      w.reader.readContract({ ...w.anchor, functionName })
    expect(await read('getLatestRoot')).toBe(root(3))
    expect(await read('getRootCount')).toBe(3n)
    expect(
      await w.reader.readContract({ ...w.anchor, functionName: 'getRootByIndex', args: [1n] }),
    ).toBe(root(2))
    expect(
      await w.reader.readContract({ ...w.anchor, functionName: 'isRootAnchored', args: [root(9)] }),
    ).toBe(false)
  })

  it('rejects a root that is already anchored', async () => {
    expect(await revertError(anchor([root(1), 5, 3]))).toBe('AlreadyAnchored')
  })

  it('rejects a zero root, an empty tree and a tree deeper than 32', async () => {
    expect(await revertError(anchor([ZERO, 5, 3]))).toBe('InvalidRoot')
    expect(await revertError(anchor([root(7), 0, 0]))).toBe('InvalidRoot')
    expect(await revertError(anchor([root(7), 5, 33]))).toBe('InvalidRoot')
  })
})

describe('access control', () => {
  const set = (as: 'owner' | 'stranger', allowed: boolean) =>
    w[as].write({
      ...w.anchor,
      functionName: 'setPublisher',
      args: [w.stranger.address, allowed],
    })

  it('lets only publishers write, and only the owner add and remove publishers', async () => {
    expect(await revertError(anchor([root(20), 1, 0], 'stranger'))).toBe('NotPublisher')
    expect(await revertError(set('stranger', true))).toBe('OwnableUnauthorizedAccount')
    await set('owner', true)
    const isPublisher = () =>
      w.reader.readContract({
        ...w.anchor,
        functionName: 'isPublisher',
        args: [w.stranger.address],
      })
    expect(await isPublisher()).toBe(true)
    await anchor([root(20), 1, 0], 'stranger')
    await set('owner', false)
    expect(await isPublisher()).toBe(false)
    expect(await revertError(anchor([root(21), 1, 0], 'stranger'))).toBe('NotPublisher')
  })

  it('keeps the owner until the new owner accepts', async () => {
    const owner = () => w.reader.readContract({ ...w.anchor, functionName: 'owner' })
    const args = [w.stranger.address]
    await w.owner.write({ ...w.anchor, functionName: 'transferOwnership', args })
    expect(await owner()).toBe(w.owner.address)
    await w.stranger.write({ ...w.anchor, functionName: 'acceptOwnership', args: [] })
    expect(await owner()).toBe(w.stranger.address)
    expect(await revertError(set('owner', true))).toBe('OwnableUnauthorizedAccount')
  })

  it('freezes the list of publishers once ownership is renounced, and they can still write', async () => {
    await w.stranger.write({ ...w.anchor, functionName: 'renounceOwnership', args: [] })
    expect(await w.reader.readContract({ ...w.anchor, functionName: 'owner' })).toMatch(/^0x0{40}$/)
    for (const as of ['owner', 'stranger'] as const) {
      expect(await revertError(set(as, true))).toBe('OwnableUnauthorizedAccount')
    }
    await anchor([root(22), 1, 0])
  })
})
