import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from '@touchstone/protocol/chain'
import { type ChainSettings, createChainNode } from './chain-node.ts'
import { addressOf, anchorDeployment, registryDeployment, sign } from './evm.ts'
import { textOf } from './json-rpc.ts'

/** touchstone chain deploy: deploys both contracts to the chain of CHAIN_RPC_URL. */

export type DeployOptions = {
  settings: ChainSettings
  /** The canonical ERC-8004 identity registry of that chain, if there is one. */
  identityRegistry: Hex | undefined
  /** The account that names publishers afterwards; by default the deploying account. */
  owner?: Hex | undefined
  print(line: string): void
}

const ZERO_ADDRESS: Hex = '0x0000000000000000000000000000000000000000'
const TIP_WEI = 1_000_000n
const RECEIPT_MS_MAX = 120_000

type Rpc = ReturnType<typeof createChainNode>['rpc']
type Account = { key: Hex; address: Hex; chainId: number; feeWeiMax: bigint }

export async function deploy(options: DeployOptions): Promise<void> {
  const { settings, identityRegistry, print } = options
  const { relayerKey: key, chainId, feeWeiMax } = settings
  if (settings.mode !== 'rpc' || key === undefined) {
    throw new Error(
      'the service deploys the contracts of the embedded chain itself; for another chain set CHAIN_MODE=rpc, CHAIN_RPC_URL, CHAIN_ID and RELAYER_KEY.',
    )
  }
  const node = createChainNode(settings, { dir: '', log: () => undefined })
  const account = { key, address: addressOf(key), chainId, feeWeiMax }
  print(`Deploying to chain ${chainId} as ${account.address}.`)
  const roles = { owner: options.owner ?? account.address, publisher: account.address }
  const anchor = await create(node.rpc, account, anchorDeployment(roles))
  print(`ANCHOR_ADDRESS=${anchor}`)
  const identity = identityRegistry ?? ZERO_ADDRESS
  const registry = await create(node.rpc, account, registryDeployment(roles, identity))
  print(`REGISTRY_ADDRESS=${registry}`)
}

async function create(rpc: Rpc, account: Account, data: Hex): Promise<string> {
  const from = account.address
  const estimate = BigInt(String(await rpc('eth_estimateGas', [{ from, data }])))
  const nonce = Number(await rpc('eth_getTransactionCount', [from, 'pending']))
  const block = await rpc('eth_getBlockByNumber', ['latest', false])
  const maxFee = 2n * BigInt(textOf(block, 'baseFeePerGas') ?? '0x0') + TIP_WEI
  if (maxFee > account.feeWeiMax) throw new Error('the fees are above MAX_FEE_GWEI.')
  const { raw, hash } = await sign(account.key, {
    nonce,
    chainId: account.chainId,
    to: undefined,
    data,
    gas: (estimate * 6n) / 5n,
    maxFeePerGas: maxFee,
    maxPriorityFeePerGas: TIP_WEI,
  })
  await rpc('eth_sendRawTransaction', [raw])
  return contractOf(rpc, hash)
}

async function contractOf(rpc: Rpc, hash: Hex): Promise<string> {
  const deadline = performance.now() + RECEIPT_MS_MAX
  for (;;) {
    const receipt = await rpc('eth_getTransactionReceipt', [hash])
    const contract = textOf(receipt, 'contractAddress')
    if (textOf(receipt, 'status') === '0x1' && contract !== undefined) return contract.toLowerCase()
    if (receipt != null) throw new Error(`transaction ${hash} was reverted.`)
    if (performance.now() > deadline) throw new Error(`transaction ${hash} is not mined yet.`)
    await sleep(500)
  }
}
