import { type Static, Type } from 'typebox'
import { NamedObject } from '../../../http/openapi/named.ts'
import type { Contracts } from './service.ts'

export const ContractsAnswer = NamedObject('Contracts', {
  chain: Type.Literal('base'),
  chain_id: Type.Integer(),
  mode: Type.Enum(['embedded', 'rpc']),
  merkle_anchor: Type.String(),
  reputation_registry: Type.String(),
  relayer: Type.String(),
})

const RpcId = Type.Union([Type.Integer(), Type.String({ maxLength: 100 }), Type.Null()])

const RpcRequest = NamedObject('RpcRequest', {
  jsonrpc: Type.Literal('2.0'),
  id: Type.Optional(RpcId),
  method: Type.String({ maxLength: 100 }),
  params: Type.Optional(Type.Array(Type.Unknown(), { maxItems: 10 })),
})

const RpcResponse = NamedObject('RpcResponse', {
  jsonrpc: Type.Literal('2.0'),
  id: RpcId,
  result: Type.Optional(Type.Unknown()),
  error: Type.Optional(
    NamedObject('RpcError', {
      code: Type.Integer(),
      message: Type.String(),
      data: Type.Optional(Type.String()),
    }),
  ),
})

/** As many as clients put into one batch by default. */
const BATCH_MAX = 100

export const RpcBody = Type.Union([
  RpcRequest,
  Type.Array(RpcRequest, { title: 'RpcBatch', minItems: 1, maxItems: BATCH_MAX }),
])

export const RpcAnswers = Type.Union(
  [RpcResponse, Type.Array(RpcResponse, { title: 'RpcBatchResponse' })],
  { description: 'The answer, or those of a batch in the order of its calls' },
)

export function toContracts(contracts: Contracts): Static<typeof ContractsAnswer> {
  return {
    chain: 'base',
    chain_id: contracts.chainId,
    mode: contracts.mode,
    merkle_anchor: contracts.merkleAnchor,
    reputation_registry: contracts.reputationRegistry,
    relayer: contracts.relayer,
  }
}
