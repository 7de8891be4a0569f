import type { Hex } from '@touchstone/protocol/chain'
import { createDevChain, DEV_CHAIN_ID, NoDevChain } from './dev-chain.ts'
import { createJsonRpc, isTimeout, type JsonRpc, RpcError } from './json-rpc.ts'

export type ChainSettings = {
  mode: 'embedded' | 'rpc'
  /** Used with mode rpc. It can contain a credential and is never logged. */
  rpcUrl: string | undefined
  chainId: number
  relayerKey: Hex | undefined
  anchorAddress: Hex | undefined
  registryAddress: Hex | undefined
  feeWeiMax: bigint
  /** Undefined disables scheduled anchoring. */
  anchorCron: string | undefined
  /** The tree that scheduled anchors are over. */
  anchorRoot: 'agents' | 'log'
  /** How long a caller waits for mining; after that the relayer continues without it. */
  waitMsMax: number
}

/** The chain that the service writes to: a child process, or the operator's node. */
export type ChainNode = {
  readonly mode: ChainSettings['mode']
  readonly chainId: number
  /** Starts the development chain if it is not running. */
  rpc: JsonRpc
  /** Whether a call would not need to start the development chain. */
  isAwake(): boolean
  /** Changes with each start of the development chain, which may have lost transactions. */
  instance(): Promise<string>
  stop(): Promise<void>
}

type Site = {
  dir: string
  log(message: string): void
  /** The timeout of a call to the development chain. */
  timeoutMs?: number
}

/** Counted per method, because a chain that hangs may still answer other methods. */
const UNANSWERED_MAX = 3

export function createChainNode(settings: ChainSettings, site: Site): ChainNode {
  const { rpcUrl } = settings
  if (settings.mode === 'embedded') return embeddedNode(site)
  if (rpcUrl === undefined) throw new Error('CHAIN_MODE=rpc needs CHAIN_RPC_URL')
  return remoteNode(rpcUrl, settings.chainId)
}

function embeddedNode(site: Site): ChainNode {
  const dev = createDevChain(site)
  const unanswered = new Map<string, number>()
  let line: { instance: string; rpc: JsonRpc } | undefined
  const open = async (): Promise<{ instance: string; rpc: JsonRpc }> => {
    const { url, instance } = await dev.open().catch((err: unknown) => {
      const message = err instanceof NoDevChain ? err.message : 'The chain does not start.'
      throw new RpcError('unreachable', message, { cause: err })
    })
    if (line?.instance !== instance) line = { instance, rpc: createJsonRpc(url, site.timeoutMs) }
    return line
  }
  const noteSilence = (method: string): void => {
    const count = (unanswered.get(method) ?? 0) + 1
    unanswered.set(method, count)
    if (count < UNANSWERED_MAX) return
    unanswered.clear()
    dev.giveUp()
  }
  return {
    mode: 'embedded',
    chainId: DEV_CHAIN_ID,
    async rpc(method, params) {
      const { rpc } = await open()
      try {
        const result = await rpc(method, params)
        unanswered.delete(method)
        return result
      } catch (err) {
        if (isTimeout(err)) noteSilence(method)
        else if (err instanceof RpcError && err.kind !== 'refused') dev.doubt()
        throw err
      }
    },
    isAwake: () => dev.isRunning,
    instance: async () => (await open()).instance,
    stop: dev.stop,
  }
}

function remoteNode(url: string, chainId: number): ChainNode {
  const rpc = createJsonRpc(url)
  let right: Promise<void> | undefined
  /** Checked once: a transaction signed for one chain must not be sent to another. */
  const check = async (): Promise<void> => {
    const found = Number(await rpc('eth_chainId'))
    if (found === chainId) return
    throw new RpcError('refused', `CHAIN_RPC_URL is chain ${found}, but CHAIN_ID is ${chainId}.`)
  }
  return {
    mode: 'rpc',
    chainId,
    async rpc(method, params) {
      right ??= check()
      await right.catch((err: unknown) => {
        right = undefined
        throw err
      })
      return rpc(method, params)
    },
    isAwake: () => true,
    instance: async () => 'rpc',
    stop: async () => undefined,
  }
}
