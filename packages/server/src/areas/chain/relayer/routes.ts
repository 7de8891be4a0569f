import type { Server } from '../../../http/server.ts'
import type { DevChainService } from './dev-chain-service.ts'
import { ContractsAnswer, RpcAnswers, RpcBody, toContracts } from './schema.ts'
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
export function devChainRoutes(app: Server, devChain: DevChainService): void {
  app.post(
    '/dev/chain',
    {
      config: {
        access: 'public',
        perMinute: 300,
        costFrom: 'handler',
        refuses: [404, 502],
      },
      schema: {
        operationId: 'callDevChain',
        summary: 'Call the development chain',
        description:
          'The read methods of JSON-RPC, one call or a batch of at most 100. Each call counts towards the rate limit; those that can take long, such as eth_getLogs and eth_estimateGas, count tenfold. 404 with CHAIN_MODE=rpc.',
        tags,
        body: RpcBody,
        response: { 200: RpcAnswers },
      },
    },
    async (req) => {
      const calls = Array.isArray(req.body) ? req.body : [req.body]
      // The guard has counted one already.
      await req.charge?.(devChain.costOf(calls) - 1)
      return Array.isArray(req.body) ? devChain.askAll(calls) : devChain.ask(req.body)
    },
  )
}
