import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from '@touchstone/protocol/chain'
import type { ChainSettings } from '../../../chain/chain-node.ts'
import { chainProblem } from '../../../chain/chain-problem.ts'
import { RpcError } from '../../../chain/json-rpc.ts'
import { DAY_MS, later } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import { newId } from '../../../kernel/ids.ts'
import { createLoop, type Loop } from '../../../kernel/jobs.ts'
import { Problem } from '../../../kernel/problem.ts'
import { createNodeClient } from './node-client.ts'
import { createRoundService, type RelayerDeps } from './round-service.ts'
import { createSignerService, loadEvm, type OwnSigner } from './signer-service.ts'
import { createRelayStore } from './store.ts'
import type { Kind, NewTransaction, Transaction } from './transaction.ts'

export type Contracts = {
  chainId: number
  mode: ChainSettings['mode']
  merkleAnchor: Hex
  reputationRegistry: Hex
  relayer: Hex
}

const TOPIC = 'relay'
const ROUND_MS = 1000
const LOOK_MS = 250
/** Longer than a lease, so that the lease of a crashed node expires first. */
const RECOVERY_MS_MAX = 30_000
const FAILED_KEPT_MS = 30 * DAY_MS

export type RelayerService = ReturnType<typeof createRelayerService>

/** Sends transactions to the chain, one signer for all nodes. */
export function createRelayerService(deps: RelayerDeps) {
  const chain = createNodeClient(deps.node)
  const signer = createSignerService({ ...deps, chainId: deps.node.chainId })
  const round = createRoundService({ ...deps, chain, signer, topic: TOPIC })
  const loop = createLoop({ intervalMs: ROUND_MS, step: round.run, onError: deps.onError })
  deps.notices.on(TOPIC, () => loop.wake())
  const desk = createDesk(deps, { signer, round, loop })
  const contracts = createContractService(deps, { signer, round, desk, chain })
  return {
    prepare: desk.prepare,
    submit: desk.submit,
    follow: desk.follow,
    contracts,
    /**
     * Throws if the chain does not answer; a development chain that was never started is
     * healthy.
     */
    async assertWell(): Promise<void> {
      if (deps.node.isAwake()) await deps.node.rpc('eth_blockNumber')
    },
    start: loop.start,
    async stop(): Promise<void> {
      await loop.stop()
      await round.release()
      await deps.node.stop()
    },
    async purge(now: Date): Promise<number> {
      const store = createRelayStore(deps.db)
      const before = later(now, -FAILED_KEPT_MS)
      return (await store.purgeFailed(before)) + (await store.purgeAlerts(before))
    },
  }
}

type Parts = {
  signer(): Promise<OwnSigner>
  round: ReturnType<typeof createRoundService>
  loop: Loop
}

type Desk = ReturnType<typeof createDesk>

/** Accepts transactions from other features and waits for them. */
function createDesk(deps: RelayerDeps, { signer, round, loop }: Parts) {
  const store = createRelayStore(deps.db)
  const { waitMsMax } = deps.settings
  return {
    /**
     * Call before opening a database transaction, because it can read and write on another
     * connection.
     */
    prepare: async (): Promise<void> => void (await signer()),

    /** Runs in the requester's transaction. Undefined if the contract already exists. */
    async submit(tx: Db, wanted: NewTransaction): Promise<string | undefined> {
      const transactionId = newId('rtx')
      const asked = { ...wanted, now: deps.clock.now() }
      const added = await createRelayStore(tx).insert(transactionId, await signer(), asked)
      await deps.notices.publish(tx, TOPIC, transactionId)
      return added ? transactionId : undefined
    },

    /** Waits until it is mined; otherwise throws the problem to report. */
    async follow(transactionId: string): Promise<Transaction> {
      loop.start()
      const deadline = performance.now() + waitMsMax
      for (;;) {
        await round.run().catch(deps.onError)
        const row = await store.find(transactionId)
        if (row === undefined) throw new Error(`no such transaction: ${transactionId}`)
        if (row.state === 'mined' || row.state === 'final') return row
        if (row.state === 'failed') throw refusalOf(row, round.lastTrouble())
        if (performance.now() >= deadline) throw await tooSlow(deps, row)
        await sleep(LOOK_MS)
      }
    },
  }
}

/** Cancels the transaction if it is not signed yet; otherwise it continues without its caller. */
async function tooSlow(deps: RelayerDeps, row: Transaction): Promise<Problem> {
  const handle = deps.outcomeHandlers()[row.kind]
  const abandoned = await deps.db.transaction().execute(async (tx) => {
    const queued = { ...row, state: 'queued' as const, nonce: null }
    if (!(await createRelayStore(tx).markFailed(queued, 'abandoned', false))) return false
    if (row.subject !== null) await handle?.(tx, row.subject, { became: 'failed' })
    return true
  })
  return new Problem(
    'chain_unavailable',
    abandoned
      ? 'The chain did not answer in time; nothing was sent.'
      : `The chain has not mined transaction ${row.txHash} yet; the result will be in the history.`,
  )
}

function refusalOf(row: Transaction, trouble: string | undefined): Error {
  switch (row.failure) {
    case 'reverted AlreadyAnchored':
      return new Problem('already_anchored', 'The Merkle root is already anchored.')
    case 'fee':
      return new Problem('chain_unavailable', "The chain's fees are above the operator's limit.")
    case 'balance':
      return new Problem('chain_unavailable', 'The relayer has too little ether.')
    case 'unavailable':
    case 'abandoned':
      return new Problem('chain_unavailable', trouble ?? UNAVAILABLE)
    default:
      return new Error(`a transaction failed: ${row.failure}`)
  }
}

const UNAVAILABLE = 'The chain does not answer; nothing was sent. Try again shortly.'

const ZERO_ADDRESS: Hex = '0x0000000000000000000000000000000000000000'

/** The contracts' addresses. On the development chain they are deployed on first use. */
function createContractService(
  deps: RelayerDeps,
  parts: Pick<Parts, 'signer' | 'round'> & {
    desk: Desk
    chain: ReturnType<typeof createNodeClient>
  },
) {
  const { settings, node } = deps
  let known: { instance: string; contracts: Contracts } | undefined

  const deployed = async (own: OwnSigner): Promise<Map<Kind, Hex>> => {
    const rows = await createRelayStore(deps.db).findDeployments(own)
    return new Map(
      rows.flatMap(({ kind, state, contractAddress }): [Kind, Hex][] =>
        contractAddress !== null && state !== 'sent' ? [[kind, contractAddress]] : [],
      ),
    )
  }

  const deploy = async (own: OwnSigner): Promise<void> => {
    const { anchorDeployment, registryDeployment } = await loadEvm()
    const roles = { owner: own.relayer, publisher: own.relayer }
    const wanted: [Kind, Hex][] = [
      ['deploy_anchor', anchorDeployment(roles)],
      ['deploy_registry', registryDeployment(roles, ZERO_ADDRESS)],
    ]
    for (const [kind, data] of wanted) {
      await parts.desk.submit(deps.db, { kind, subject: null, to: null, data })
    }
    for (const row of await createRelayStore(deps.db).findDeployments(own)) {
      await parts.desk.follow(row.transactionId)
    }
  }

  const locate = async (own: OwnSigner): Promise<Contracts> => {
    const { chainId, mode } = node
    const base = { chainId, mode, relayer: own.relayer }
    if (mode === 'rpc') {
      const { anchorAddress, registryAddress } = settings
      if (anchorAddress === undefined || registryAddress === undefined) {
        throw new Error('CHAIN_MODE=rpc needs ANCHOR_ADDRESS and REGISTRY_ADDRESS')
      }
      return { ...base, merkleAnchor: anchorAddress, reputationRegistry: registryAddress }
    }
    let found = await deployed(own)
    if (found.size < 2) {
      await deploy(own)
      found = await deployed(own)
    }
    const merkleAnchor = found.get('deploy_anchor')
    const reputationRegistry = found.get('deploy_registry')
    if (merkleAnchor === undefined || reputationRegistry === undefined) {
      throw new RpcError('lost', 'The contracts are not deployed.')
    }
    return { ...base, merkleAnchor, reputationRegistry }
  }

  /**
   * Waits for recovery: a restarted chain may have lost transactions, which are resent first. If
   * a node died holding the lease, others can recover only after the lease expires.
   */
  const untilWhole = async (own: OwnSigner): Promise<void> => {
    const store = createRelayStore(deps.db)
    const deadline = performance.now() + RECOVERY_MS_MAX
    for (;;) {
      await parts.round.recover()
      if (node.mode === 'rpc') return
      const nextNonce = await parts.chain.nextNonce(own.relayer)
      if ((await store.listLost(own, nextNonce, 1)).length === 0) return
      if (performance.now() > deadline) throw new RpcError('lost', 'The chain is still recovering.')
      await sleep(LOOK_MS)
    }
  }

  return async (): Promise<Contracts> => {
    try {
      const instance = await node.instance()
      if (known?.instance === instance) return known.contracts
      const own = await parts.signer()
      await untilWhole(own)
      const contracts = await locate(own)
      known = { instance, contracts }
      return contracts
    } catch (err) {
      throw chainProblem(err)
    }
  }
}
