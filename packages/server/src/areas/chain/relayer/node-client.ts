import type { Hex } from '@touchstone/protocol/chain'
import type { ChainNode } from '../../../chain/chain-node.ts'
import { RpcError, textOf } from '../../../chain/json-rpc.ts'
import type { Mined } from './transaction.ts'

/** Typed JSON-RPC calls of the relayer. Every call can throw an `RpcError`. */
export type NodeClient = ReturnType<typeof createNodeClient>

export type Receipt = Mined & { succeeded: boolean }

/** The result of simulating a call; `data` is the contract's revert data. */
export type Simulation = { ok: true } | { ok: false; data: string | undefined }

type Asked = { from: Hex; to: Hex | null; data: Hex }

/** Messages of various nodes about a raw transaction they already have, or had. */
const KNOWN = /already known|already imported|nonce too low|known transaction/i
/** Messages of various nodes about a transaction they have certainly rejected. */
const NOT_TAKEN = new RegExp(
  [
    'insufficient ?funds',
    'intrinsic gas',
    'gas too low',
    'exceeds (the )?(block|transaction|tx) gas limit',
    'gas limit too high',
    'fee ?too ?low',
    '(?<!replacement )transaction underpriced',
    'max fee per gas less than block base fee',
    'fee cap less than block base fee',
    'priority fee per gas higher than max fee',
    'tx fee .*exceeds the configured cap',
    'invalid (sender|signature|chain ?id)',
    'oversized data',
  ].join('|'),
  'i',
)

/** Whether a broadcast that threw this error has certainly not reached the network. */
export function isSurelyNotSent(err: RpcError): boolean {
  if (err.kind === 'refused') return NOT_TAKEN.test(err.message)
  return err.kind === 'unreachable'
}

export function createNodeClient(node: ChainNode) {
  const { rpc } = node
  const number = async (method: string, params: readonly unknown[] = []): Promise<number> =>
    Number(await rpc(method, params))
  return {
    node,
    /** The number of mined transactions of this account, which is the next nonce. */
    nextNonce: (account: Hex) => number('eth_getTransactionCount', [account, 'latest']),
    /**
     * The nonce as of that many blocks ago; 0, which confirms nothing, if the node has pruned
     * that state.
     */
    async nonceBefore(account: Hex, blocks: number): Promise<number> {
      const block = Math.max(0, (await number('eth_blockNumber')) - blocks)
      const params = [account, `0x${block.toString(16)}`]
      return Number((await rpc('eth_getTransactionCount', params).catch(asRefused)) ?? 0)
    },
    blockNumber: () => number('eth_blockNumber'),
    balance: async (account: Hex) =>
      BigInt(String(await rpc('eth_getBalance', [account, 'latest']))),
    hasCode: async (address: Hex) => String(await rpc('eth_getCode', [address, 'latest'])) !== '0x',

    /** The base fee of the latest block and the node's suggested tip. */
    async fees(): Promise<{ baseFee: bigint; tip: bigint }> {
      const block = await rpc('eth_getBlockByNumber', ['latest', false])
      const baseFee = BigInt(textOf(block, 'baseFeePerGas') ?? '0x0')
      const tip = await rpc('eth_maxPriorityFeePerGas').catch(asRefused)
      return { baseFee, tip: BigInt(String(tip ?? '0x0')) }
    },

    async simulate(call: Asked): Promise<Simulation> {
      return rpc('eth_call', [callOf(call), 'latest']).then(
        (): Simulation => ({ ok: true }),
        reverted,
      )
    },

    async estimateGas(call: Asked): Promise<number | { data: string | undefined }> {
      try {
        return await number('eth_estimateGas', [callOf(call)])
      } catch (err) {
        const simulated = reverted(err)
        return simulated.ok ? 0 : simulated
      }
    },

    /** A transaction that is already known counts as accepted. */
    async broadcast(raw: Hex): Promise<void> {
      await rpc('eth_sendRawTransaction', [raw]).catch((err: unknown) => {
        if (!(err instanceof RpcError && err.kind === 'refused' && KNOWN.test(err.message)))
          throw err
      })
    },

    /** Undefined while it is in no block. */
    async findReceipt(txHash: Hex): Promise<Receipt | undefined> {
      const receipt = await rpc('eth_getTransactionReceipt', [txHash])
      const blockNumber = textOf(receipt, 'blockNumber')
      if (blockNumber === undefined) return undefined
      const block = await rpc('eth_getBlockByNumber', [blockNumber, false])
      const blockHash = textOf(receipt, 'blockHash')
      // The chain may have been reorganised between the two queries.
      if (textOf(block, 'hash') !== blockHash) return undefined
      // The casts are safe: Ethereum nodes encode hashes and addresses as hex digits after 0x.
      return {
        txHash,
        blockNumber: Number(blockNumber),
        blockHash: blockHash as Hex,
        blockAt: new Date(Number(textOf(block, 'timestamp')) * 1000),
        txIndex: Number(textOf(receipt, 'transactionIndex') ?? 0),
        gasUsed: Number(textOf(receipt, 'gasUsed')),
        contractAddress: (textOf(receipt, 'contractAddress')?.toLowerCase() ?? null) as Hex | null,
        succeeded: textOf(receipt, 'status') === '0x1',
      }
    },

    /** Only the development chain can mint ether. */
    async fund(account: Hex, wei: bigint): Promise<void> {
      await rpc('anvil_setBalance', [account, `0x${wei.toString(16)}`])
    },
  }
}

function callOf({ from, to, data }: Asked) {
  return { from, data, ...(to === null ? {} : { to }) }
}

/** A call refused for any other reason was not simulated. */
function reverted(err: unknown): Simulation {
  const isRevert =
    err instanceof RpcError &&
    err.kind === 'refused' &&
    (err.data !== undefined || /revert/i.test(err.message))
  if (isRevert) return { ok: false, data: err.data }
  throw err
}

/** Not every node supports the method. */
function asRefused(err: unknown): undefined {
  if (err instanceof RpcError && err.kind === 'refused' && !err.isPassing) return undefined
  throw err
}
