import type { Hex } from '@touchstone/protocol/chain'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestChain, testChain } from '#harness/chain.ts'
import { readChain } from '../chain-config.ts'
import { createReader } from '../config-reader.ts'
import { merkleAnchorAbi } from './contracts.ts'
import { deploy } from './deploy.ts'

const key = generatePrivateKey()
const relayer = privateKeyToAccount(key).address

let chain: TestChain

beforeAll(async () => {
  chain = await testChain()
  await chain.rpc('anvil_setBalance', [relayer, '0xde0b6b3a7640000'])
})

async function deployed(owner?: Hex): Promise<Hex[]> {
  const env = { CHAIN_MODE: 'rpc', CHAIN_RPC_URL: chain.url, CHAIN_ID: '31337', RELAYER_KEY: key }
  const lines: string[] = []
  await deploy({
    settings: readChain(createReader(env), undefined),
    identityRegistry: undefined,
    owner,
    print: (line) => void lines.push(line),
  })
  return lines.flatMap((line) => line.match(/^[A-Z]+_ADDRESS=(0x.*)$/)?.[1] ?? []) as Hex[]
}

/** A function that both contracts share. */
const ownerOf = (address: Hex) =>
  chain.reader.readContract({ abi: merkleAnchorAbi, address, functionName: 'owner' })
const isPublisher = (address: Hex) =>
  chain.reader.readContract({
    abi: merkleAnchorAbi,
    address,
    functionName: 'isPublisher',
    args: [relayer],
  })

describe('deployed contracts', () => {
  it('belong to the account that deploys them, which is their publisher', async () => {
    const made = await deployed()
    expect(made).toHaveLength(2)
    for (const address of made) {
      expect([await ownerOf(address), await isPublisher(address)]).toEqual([relayer, true])
    }
  })

  it('belong to the named owner, and the relayer can still publish', async () => {
    const owner = privateKeyToAccount(generatePrivateKey()).address
    for (const address of await deployed(owner)) {
      expect([await ownerOf(address), await isPublisher(address)]).toEqual([owner, true])
    }
  })
})
