import { type Hex, onChainId } from '@touchstone/protocol/chain'
import {
  decodeErrorResult,
  decodeFunctionResult,
  encodeDeployData,
  encodeFunctionData,
  keccak256,
  parseEventLogs,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import {
  merkleAnchorAbi,
  merkleAnchorBytecode,
  reputationRegistryAbi,
  reputationRegistryBytecode,
} from './contracts.ts'

/**
 * Keys, signatures and ABI encoding of our contracts. Loading takes half a second, so this
 * module is imported on first use of the chain.
 */

export type Address = Hex

export type Call = {
  nonce: number
  chainId: number
  /** Undefined deploys a contract. */
  to: Address | undefined
  data: Hex
  gas: bigint
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
}

export type Log = { address: string; topics: readonly string[]; data: string }

export function addressOf(key: Hex): Address {
  return lower(privateKeyToAccount(key).address)
}

/** The raw transaction and its hash. */
export async function sign(key: Hex, call: Call): Promise<{ raw: Hex; hash: Hex }> {
  const { to, ...rest } = call
  const raw = await privateKeyToAccount(key).signTransaction({
    type: 'eip1559',
    ...rest,
    ...(to === undefined ? {} : { to }),
  })
  return { raw, hash: keccak256(raw) }
}

/** The owner of a contract, and its initial publisher. */
type Roles = { owner: Address; publisher: Address }

export function anchorDeployment({ owner, publisher }: Roles): Hex {
  const args = [owner, publisher] as const
  return encodeDeployData({ abi: merkleAnchorAbi, bytecode: merkleAnchorBytecode, args })
}

export function registryDeployment({ owner, publisher }: Roles, identityRegistry: Address): Hex {
  return encodeDeployData({
    abi: reputationRegistryAbi,
    bytecode: reputationRegistryBytecode,
    args: [owner, publisher, identityRegistry],
  })
}

export function anchorCall(root: Hex, leafCount: number, treeDepth: number): Hex {
  const args = [root, leafCount, treeDepth] as const
  return encodeFunctionData({ abi: merkleAnchorAbi, functionName: 'anchorRoot', args })
}

export function publishCall(records: Hex): Hex {
  const args = [records] as const
  return encodeFunctionData({ abi: reputationRegistryAbi, functionName: 'publishBatch', args })
}

export function scoreCall(agentId: string): Hex {
  const args = [onChainId(agentId)] as const
  return encodeFunctionData({ abi: reputationRegistryAbi, functionName: 'getScore', args })
}

/** The latest publication of an agent; the index is 0 if there is none. */
export type Slot = {
  score: number
  grade: Hex
  publishedAt: number
  blockNumber: number
  index: number
  metadataPrefix: Hex
}

export function readSlot(data: Hex): Slot {
  const [score, grade, publishedAt, blockNumber, index, metadataPrefix] = decodeFunctionResult({
    abi: reputationRegistryAbi,
    functionName: 'getScore',
    data,
  })
  return { score, grade, publishedAt, blockNumber, index, metadataPrefix }
}

export type PublishedEvent = {
  id: Hex
  score: number
  grade: Hex
  metadataHash: Hex
  index: number
}

/** The publications in the logs of one registry; logs of other contracts are ignored. */
export function publishedEvents(logs: readonly Log[], registry: string): PublishedEvent[] {
  // The cast is safe: viem's type has all fields of a log, but decoding reads topics and data only.
  const own = logs.filter((log) => log.address.toLowerCase() === registry)
  return parseEventLogs({
    abi: reputationRegistryAbi,
    eventName: 'ScorePublished',
    logs: own as never,
  }).map(({ args }) => {
    const { agentId: id, score, grade, metadataHash, index } = args
    return { id, score, grade, metadataHash, index }
  })
}

/** The name of an error of our contracts; undefined for any other. */
export function revertName(data: string | undefined): string | undefined {
  if (data === undefined || !/^0x[0-9a-f]{8,}$/i.test(data)) return undefined
  try {
    const abi = [...merkleAnchorAbi, ...reputationRegistryAbi]
    // The cast is safe after the check above.
    return decodeErrorResult({ abi, data: data as Hex }).errorName
  } catch {
    return undefined
  }
}

/** The cast is safe, because lower-casing keeps the prefix 0x. */
function lower(address: Address): Address {
  return address.toLowerCase() as Address
}
