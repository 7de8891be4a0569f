import type { ChainNode } from '../../../chain/chain-node.ts'
import { chainProblem } from '../../../chain/chain-problem.ts'
import { RpcError } from '../../../chain/json-rpc.ts'
import { Problem } from '../../../kernel/problem.ts'
import { BATCH_COST_MAX, boundQuestion, costOf } from './dev-question.ts'

export type RpcRequest = {
  id?: number | string | null
  method: string
  params?: readonly unknown[]
}

type RpcReply = { jsonrpc: '2.0'; id: number | string | null } & (
  | { result: unknown }
  | { error: { code: number; message: string; data?: string } }
)

/** Error codes of JSON-RPC 2.0 §5.1. */
const REFUSALS = {
  unknown: { code: -32_601, message: 'Only read-only methods are available.' },
  malformed: {
    code: -32_602,
    message: 'The parameters are malformed or exceed a limit.',
  },
}
const REFUSED = -32_000

/** EIP-1474, limit exceeded. */
const TOO_MUCH = {
  code: -32_005,
  message: 'The batch costs too much or its answers are too large.',
}

/** The answers of a batch, which are held in memory together. */
const BATCH_CHARACTERS_MAX = 8 * 1024 * 1024

export type DevChainService = ReturnType<typeof createDevChainService>

export function createDevChainService(node: ChainNode) {
  /** Answers like a node; an unreachable chain is a problem of the service instead. */
  const ask = async ({ id = null, method, params = [] }: RpcRequest): Promise<RpcReply> => {
    if (node.mode !== 'embedded')
      throw new Problem('not_found', 'This service runs no development chain.')
    const reply = { jsonrpc: '2.0' as const, id }
    const question = boundQuestion(method, params)
    if (typeof question === 'string') return { ...reply, error: REFUSALS[question] }
    try {
      return { ...reply, result: (await node.rpc(method, question.params)) ?? null }
    } catch (err) {
      if (!(err instanceof RpcError) || err.kind !== 'refused') throw chainProblem(err)
      const data = err.data === undefined ? {} : { data: err.data }
      return { ...reply, error: { code: REFUSED, message: err.message, ...data } }
    }
  }

  return {
    ask,

    /** How often calls count towards the rate limit. */
    costOf,

    /** One after the other, so that a batch does not keep the relayer from the chain. */
    async askAll(calls: readonly RpcRequest[]): Promise<RpcReply[]> {
      const replies: RpcReply[] = []
      let cost = 0
      let characters = 0
      for (const call of calls) {
        cost += costOf([call])
        const isTooMuch = cost > BATCH_COST_MAX || characters > BATCH_CHARACTERS_MAX
        const reply: RpcReply = isTooMuch
          ? { jsonrpc: '2.0', id: call.id ?? null, error: TOO_MUCH }
          : await ask(call)
        characters += JSON.stringify(reply).length
        replies.push(reply)
      }
      return replies
    },
  }
}
