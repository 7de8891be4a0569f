import type { ChainNode } from '../../../chain/chain-node.ts'
import { chainProblem } from '../../../chain/chain-problem.ts'
import { RpcError } from '../../../chain/json-rpc.ts'
import { Problem } from '../../../kernel/problem.ts'

/** What may be asked of the development chain: reading, nothing else (04 §6.4). */
const READ_METHODS: ReadonlySet<string> = new Set([
  'eth_chainId',
  'eth_blockNumber',
  'eth_call',
  'eth_getTransactionByHash',
  'eth_getTransactionReceipt',
  'eth_getLogs',
  'eth_getCode',
])

export type RpcRequest = {
  id?: number | string | null
  method: string
  params?: readonly unknown[]
}

type RpcReply = { jsonrpc: '2.0'; id: number | string | null } & (
  | { result: unknown }
  | { error: { code: number; message: string; data?: string } }
)

/** JSON-RPC 2.0 §5.1. */
const METHOD_NOT_FOUND = -32_601
const REFUSED = -32_000

export function createDevChainService(node: ChainNode) {
  return {
    /** As a node would answer; that the chain cannot be asked at all is our own problem. */
    async ask({ id = null, method, params = [] }: RpcRequest): Promise<RpcReply> {
      if (node.mode !== 'embedded') throw new Problem('not_found', 'There is no development chain.')
      const reply = { jsonrpc: '2.0' as const, id }
      if (!READ_METHODS.has(method)) {
        const message = 'Only reading is possible here.'
        return { ...reply, error: { code: METHOD_NOT_FOUND, message } }
      }
      try {
        return { ...reply, result: (await node.rpc(method, params)) ?? null }
      } catch (err) {
        if (!(err instanceof RpcError) || err.kind !== 'refused') throw chainProblem(err)
        const data = err.data === undefined ? {} : { data: err.data }
        return { ...reply, error: { code: REFUSED, message: err.message, ...data } }
      }
    },
  }
}
