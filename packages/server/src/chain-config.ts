import type { Hex } from '@touchstone/protocol/chain'
import { Cron } from 'croner'
import type { ChainSettings } from './chain/chain-node.ts'
import { DEV_CHAIN_ID } from './chain/dev-chain.ts'
import { ConfigError, type Reader } from './config-reader.ts'

const CRON_DEFAULT = '0 0,6,12,18 * * *'
const WEI_PER_GWEI = 1e9
const WAIT_MS_MAX = 60_000

/** Base, its test network, and the development chain (spec: chain §4). */
const CHAIN_IDS = ['8453', '84532', String(DEV_CHAIN_ID)] as const

export function readChain(read: Reader, cron: string | undefined): ChainSettings {
  const mode = read.choice('CHAIN_MODE', ['embedded', 'rpc'], 'embedded')
  const rpcUrl = read.url('CHAIN_RPC_URL', ['http:', 'https:'])
  const chainId = read.choice('CHAIN_ID', CHAIN_IDS, undefined)
  const relayerKey = read.hex('RELAYER_KEY', 32)
  if (mode === 'rpc')
    assertSet({ CHAIN_RPC_URL: rpcUrl, CHAIN_ID: chainId, RELAYER_KEY: relayerKey })
  return {
    mode,
    rpcUrl,
    chainId: mode === 'embedded' ? DEV_CHAIN_ID : Number(chainId),
    relayerKey,
    anchorAddress: read.hex('ANCHOR_ADDRESS', 20),
    registryAddress: read.hex('REGISTRY_ADDRESS', 20),
    feeWeiMax: BigInt(Math.round(read.decimal('MAX_FEE_GWEI', 5) * WEI_PER_GWEI)),
    anchorCron: cronOf(cron),
    anchorRoot: read.choice('ANCHOR_ROOT', ['agents', 'log'], 'agents'),
    waitMsMax: WAIT_MS_MAX,
  }
}

/** Checked before the service starts; `chain deploy` does not need the addresses yet. */
export function assertContractsNamed({
  mode,
  anchorAddress,
  registryAddress,
}: ChainSettings): void {
  if (mode === 'embedded') return
  assertSet({ ANCHOR_ADDRESS: anchorAddress, REGISTRY_ADDRESS: registryAddress })
}

function assertSet(values: Record<string, Hex | string | undefined>): void {
  const [missing] = Object.entries(values).find(([, value]) => value === undefined) ?? []
  if (missing !== undefined) throw new ConfigError(`CHAIN_MODE=rpc needs ${missing}.`)
}

/** An empty value disables scheduled anchoring. */
function cronOf(given: string | undefined): string | undefined {
  if (given === '') return undefined
  const pattern = given ?? CRON_DEFAULT
  try {
    new Cron(pattern, { paused: true, timezone: 'UTC' })
    return pattern
  } catch {
    throw new ConfigError('ANCHOR_CRON must be a cron pattern like 0 */6 * * *, or empty.')
  }
}
