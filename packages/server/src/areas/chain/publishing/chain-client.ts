import { type Hex, packRecords } from '@touchstone/protocol/chain'
import { chainProblem } from '../../../chain/chain-problem.ts'
import type { PublishingDeps } from './ports.ts'
import type { ChainView, StoredScore } from './proof.ts'
import type { Publishable } from './publication.ts'

/** Loads the EVM encoder on first use, because it is slow to load. */
const loadEvm = () => import('../../../chain/evm.ts')

export async function encodePublication(made: readonly Publishable[]): Promise<Hex> {
  const { publishCall } = await loadEvm()
  return publishCall(packRecords(made.map(({ record }) => record)))
}

type Receipt = {
  status: string
  blockNumber: string
  logs: { address: string; topics: string[]; data: string }[]
}

/** Throws `chain_unavailable`. */
export async function readChain(
  rpc: PublishingDeps['rpc'],
  { agentId, contract, txHash }: StoredScore,
): Promise<ChainView> {
  const { publishedEvents, readSlot, scoreCall } = await loadEvm()
  try {
    const call = { to: contract, data: scoreCall(agentId) }
    // The casts follow the JSON-RPC specification of Ethereum; the operator chooses the node.
    const slot = String(await rpc('eth_call', [call, 'latest']))
    const receipt = (await rpc('eth_getTransactionReceipt', [txHash])) as Receipt | null
    return {
      // Without a contract at the address, the answer is empty.
      slot: slot === '0x' ? NOTHING : readSlot(slot as Hex),
      receipt: receipt
        ? { succeeded: receipt.status === '0x1', blockNumber: Number(receipt.blockNumber) }
        : undefined,
      events: receipt ? publishedEvents(receipt.logs, contract) : [],
    }
  } catch (err) {
    throw chainProblem(err)
  }
}

const NOTHING: ChainView['slot'] = {
  score: 0,
  grade: '0x000000',
  index: 0,
  metadataPrefix: '0x',
  publishedAt: 0,
}
