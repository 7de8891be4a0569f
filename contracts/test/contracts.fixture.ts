import { BaseError, ContractFunctionRevertedError } from 'viem'
import { newAccount, testChain } from '#harness/chain.ts'
import {
  merkleAnchorAbi,
  merkleAnchorBytecode,
  reputationRegistryAbi,
  reputationRegistryBytecode,
} from '../../packages/server/src/chain/contracts.ts'

export const IDENTITY = '0x00000000000000000000000000000000000000A1'

type Account = Awaited<ReturnType<typeof newAccount>>

export type DeployedContracts = Awaited<ReturnType<typeof testChain>> & {
  owner: Account
  stranger: Account
  anchor: { abi: typeof merkleAnchorAbi; address: `0x${string}` }
  registry: { abi: typeof reputationRegistryAbi; address: `0x${string}` }
}

/**
 * Deploys both contracts, owned by one account that is also a publisher, and creates an account
 * without rights.
 */
export async function deployContracts(): Promise<DeployedContracts> {
  const chain = await testChain()
  const owner = await newAccount(chain)
  const stranger = await newAccount(chain)
  const anchor = {
    abi: merkleAnchorAbi,
    address: await owner.deploy({
      abi: merkleAnchorAbi,
      bytecode: merkleAnchorBytecode,
      args: [owner.address, owner.address],
    }),
  }
  const registry = {
    abi: reputationRegistryAbi,
    address: await owner.deploy({
      abi: reputationRegistryAbi,
      bytecode: reputationRegistryBytecode,
      args: [owner.address, owner.address, IDENTITY],
    }),
  }
  return { ...chain, owner, stranger, anchor, registry }
}

/** The name of the error that a contract reverted with. */
export async function revertError(work: Promise<unknown>): Promise<string> {
  try {
    await work
    return 'no revert'
  } catch (err) {
    const reverted =
      err instanceof BaseError ? err.walk((e) => e instanceof ContractFunctionRevertedError) : null
    if (!(reverted instanceof ContractFunctionRevertedError)) throw err
    return reverted.data?.errorName ?? reverted.reason ?? 'reverted'
  }
}
