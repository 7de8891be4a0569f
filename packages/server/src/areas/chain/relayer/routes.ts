import type { Server } from '../../../http/server.ts'
import { ContractsAnswer, RpcAnswer, RpcBody, toContracts } from './schema.ts'
import type { RelayerService } from './service.ts'

const tags = ['on-chain']

export function relayerRoutes(app: Server, relayer: RelayerService): void {
  app.get(
    '/v1/on-chain/contracts',
    {
      config: { access: 'public', perMinute: 60, refuses: [502] },
      schema: {
        operationId: 'getContracts',
        summary: 'Get the chain and the addresses of the contracts',
        tags,
        response: { 200: ContractsAnswer },
      },
    },
    async () => toContracts(await relayer.contracts()),
  )
}

/** Only for the development chain; any other chain has an RPC address of its own. */
export function devChainRoutes(app: Server, relayer: RelayerService): void {
  app.post(
    '/dev/chain',
    {
      config: { access: 'public', perMinute: 30, refuses: [404, 502] },
      schema: {
        operationId: 'callDevChain',
        summary: 'Call the development chain',
        description:
          'Read-only JSON-RPC: eth_chainId, eth_blockNumber, eth_call, eth_getTransactionByHash, eth_getTransactionReceipt, eth_getLogs and eth_getCode. 404 with CHAIN_MODE=rpc.',
        tags,
        body: RpcBody,
        response: { 200: RpcAnswer },
      },
    },
    async (req) => relayer.ask(req.body),
  )
}
