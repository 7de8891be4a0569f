import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Abi,
  type Address,
  createPublicClient,
  createWalletClient,
  defineChain,
  getAddress,
  type Hex,
  http,
  type PublicClient,
  type TransactionReceipt,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import {
  createDevChain,
  DEV_CHAIN_ID,
  type DevChain,
} from '../../packages/server/src/chain/dev-chain.ts'
import { createJsonRpc, type JsonRpc } from '../../packages/server/src/chain/json-rpc.ts'
import { eventually } from './eventually.ts'
import { onFileFinished } from './on-file-finished.ts'

export type TestChain = {
  url: string
  dev: DevChain
  dir: string
  /** The id of the running process. */
  pid(): Promise<number>
  rpc: JsonRpc
  reader: PublicClient
}

const chainAt = (url: string) =>
  defineChain({
    id: DEV_CHAIN_ID,
    name: 'development',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  })

/** Starts a development chain for one test file. */
export async function testChain(): Promise<TestChain> {
  const dir = await mkdtemp(join(tmpdir(), 'touchstone-chain-'))
  const dev = createDevChain({ dir, log: () => undefined })
  const { url } = await dev.open()
  onFileFinished(async () => {
    await dev.stop()
    await rm(dir, { recursive: true, force: true })
  })
  return {
    url,
    dev,
    dir,
    pid: () => chainPid(dir),
    rpc: createJsonRpc(url),
    reader: chainReader(url),
  }
}

/** The process that runs, or last ran, the development chain of a folder. */
export async function chainPid(dir: string): Promise<number> {
  return JSON.parse(await readFile(join(dir, 'anvil.json'), 'utf8')).pid
}

/** Reads the chain as any outsider with an RPC address would. */
export function chainReader(url: string): PublicClient {
  return createPublicClient({ chain: chainAt(url), transport: http(url) })
}

export type TestAccount = {
  address: Address
  deploy(contract: { abi: Abi; bytecode: Hex; args: readonly unknown[] }): Promise<Address>
  /** Simulates the call first, so that a revert has its reason. */
  write(call: ContractCall): Promise<TransactionReceipt>
}

type ContractCall = {
  address: Address
  abi: Abi
  functionName: string
  args: readonly unknown[]
}

/** Creates an account with ether, which sends transactions as any key owner would. */
export async function newAccount(chain: TestChain): Promise<TestAccount> {
  const account = privateKeyToAccount(generatePrivateKey())
  const { url, rpc, reader } = chain
  await rpc('anvil_setBalance', [account.address, '0xd3c21bcecceda1000000'])
  const wallet = createWalletClient({ account, chain: chainAt(url), transport: http(url) })
  const mined = async (hash: Hex): Promise<TransactionReceipt> => {
    await eventually(() => reader.getTransactionReceipt({ hash }))
    return reader.getTransactionReceipt({ hash })
  }
  return {
    address: account.address,
    async deploy(contract) {
      const { contractAddress } = await mined(await wallet.deployContract(contract))
      if (contractAddress == null) throw new Error('the contract was not deployed')
      return getAddress(contractAddress)
    },
    async write(call) {
      await reader.simulateContract({ ...call, account })
      return mined(await wallet.writeContract(call))
    },
  }
}
