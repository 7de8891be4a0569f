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
        summary: 'Which chain is written to, and where the contracts are',
        tags,
        response: { 200: ContractsAnswer },
      },
    },
    async () => toContracts(await relayer.contracts()),
  )
}

/** Only with the development chain; another is asked at its own address. */
export function devChainRoutes(app: Server, relayer: RelayerService): void {
  app.post(
    '/dev/chain',
    {
      config: { access: 'public', perMinute: 30, refuses: [404, 502] },
      schema: {
        summary: 'Read-only JSON-RPC of the development chain',
        description:
          'eth_chainId, eth_blockNumber, eth_call, eth_getTransactionByHash, eth_getTransactionReceipt, eth_getLogs and eth_getCode. With CHAIN_MODE=rpc there is none: 404.',
        tags,
        body: RpcBody,
        response: { 200: RpcAnswer },
      },
    },
    async (req) => relayer.ask(req.body),
  )
}
