import { sql } from 'kysely'
import { type Hex, parseTransaction } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { chainReader, type TestChain, testChain } from '#harness/chain.ts'
import { eventually } from '#harness/eventually.ts'
import { type RpcProxy, rpcProxy } from '#harness/rpc-proxy.ts'
import { createChainNode } from '../../packages/server/src/chain/chain-node.ts'
import { merkleAnchorAbi } from '../../packages/server/src/chain/contracts.ts'
import { deploy } from '../../packages/server/src/chain/deploy.ts'
import { readChain } from '../../packages/server/src/chain-config.ts'
import { createReader } from '../../packages/server/src/config-reader.ts'

const SECOND_MS = 1000
const key = generatePrivateKey()
const relayer = privateKeyToAccount(key).address.toLowerCase() as Hex

let chain: TestChain
let proxy: RpcProxy
let env: Record<string, string>
let t: TestApp
let count = 0

const newRoot = (): Hex => {
  count += 1
  return `0x${(0xfa_0000 + count).toString(16).padStart(64, '0')}`
}

const anchor = (merkle_root: string, app = t) =>
  app.call('POST', '/v1/on-chain/anchor-root', {
    token: t.first.api_key,
    body: { merkle_root, leaf_count: 5, tree_depth: 3 },
  })

const findInHistory = async (root: string) => {
  const answer = await t.call('GET', '/v1/on-chain/history?per_page=100', {
    token: t.first.api_key,
  })
  return answer.body.anchors.find((entry: { merkle_root: string }) => entry.merkle_root === root)
}

const isAnchored = (root: Hex) =>
  chainReader(proxy.state.target).readContract({
    abi: merkleAnchorAbi,
    address: env['ANCHOR_ADDRESS'] as Hex,
    functionName: 'isRootAnchored',
    args: [root],
  })

const setBalance = (wei: bigint) =>
  chain.rpc('anvil_setBalance', [relayer, `0x${wei.toString(16)}`])

/** Deploys both contracts as `touchstone chain deploy` does, and returns the settings for them. */
async function deployContracts(url: string): Promise<Record<string, string>> {
  const base = {
    CHAIN_MODE: 'rpc',
    CHAIN_RPC_URL: url,
    CHAIN_ID: '31337',
    RELAYER_KEY: key,
    ADMIN_EMAILS: 'admin@example.com',
  }
  const lines: string[] = []
  await deploy({
    settings: readChain(createReader(base), undefined),
    identityRegistry: undefined,
    print: (line) => void lines.push(line),
  })
  const named = lines.flatMap((line): [string, string][] => {
    const [name, value] = line.split('=')
    return name !== undefined && value !== undefined ? [[name, value]] : []
  })
  return { ...base, ...Object.fromEntries(named) }
}

beforeAll(async () => {
  chain = await testChain()
  proxy = await rpcProxy(chain.url)
  await setBalance(10n ** 20n)
  env = await deployContracts(proxy.url)
  t = await testApp({ env })
})

beforeEach(() => {
  proxy.state.fault = 'none'
  proxy.state.raws = []
  proxy.state.hook = undefined
})

describe('with an external chain', () => {
  it('shows the addresses of its contracts', async () => {
    const { body } = await t.call('GET', '/v1/on-chain/contracts')
    expect(body).toMatchObject({
      chain_id: 31_337,
      mode: 'rpc',
      merkle_anchor: env['ANCHOR_ADDRESS'],
      reputation_registry: env['REGISTRY_ADDRESS'],
      relayer,
    })
    expect((await t.call('POST', '/dev/chain', { body: rpcRequest('eth_chainId') })).status).toBe(
      404,
    )
  })

  it('rejects a node of a chain other than CHAIN_ID', async () => {
    const settings = readChain(createReader({ ...env, CHAIN_ID: '8453' }), undefined)
    const node = createChainNode(settings, { dir: '', log: () => undefined })
    await expect(node.rpc('eth_blockNumber')).rejects.toThrow(
      'CHAIN_RPC_URL is chain 31337, but CHAIN_ID is 8453',
    )
  })
})

const rpcRequest = (method: string) => ({ jsonrpc: '2.0', id: 1, method, params: [] })

describe('a node that is down', () => {
  it('causes 502, loses nothing, and is used again once it is up', async () => {
    const root = newRoot()
    await proxy.down()
    expect(await anchor(root)).toMatchObject({
      status: 502,
      body: { error: 'chain_unavailable' },
    })
    const ready = await t.app.server.inject('/health/ready')
    expect(ready.statusCode).toBe(200)
    expect(ready.json().checks.chain).toEqual({ status: 'degraded' })
    await proxy.up()
    expect(await anchor(root)).toMatchObject({ status: 200, body: { merkle_root: root } })
    expect((await t.app.server.inject('/health/ready')).json().checks.chain.status).toBe('ok')
  })

  it('can drop the connection after accepting a transaction: it is sent once and found', async () => {
    const root = newRoot()
    proxy.state.fault = 'cut'
    expect(await anchor(root)).toMatchObject({ status: 200 })
    expect(new Set(proxy.state.raws).size).toBe(1)
  })
})

describe('a node that returns errors', () => {
  it('is retried if it is only busy', async () => {
    const left = new Map([
      ['eth_getTransactionReceipt', 1],
      ['eth_estimateGas', 2],
      ['eth_sendRawTransaction', 1],
    ])
    proxy.state.hook = async ({ method }) => {
      const count = left.get(method) ?? 0
      left.set(method, count - 1)
      if (count <= 0) return undefined
      return { status: 429, error: { code: -32_005, message: 'slow down' } }
    }
    expect(await anchor(newRoot())).toMatchObject({ status: 200 })
    expect(new Set(proxy.state.raws).size).toBe(1)
  })

  it('can have accepted the transaction anyway: it is sent once and found', async () => {
    proxy.state.hook = async ({ method, params }) => {
      if (method !== 'eth_sendRawTransaction') return undefined
      await chain.rpc(method, params)
      return { error: { code: -32_000, message: 'a backend failed' } }
    }
    expect(await anchor(newRoot())).toMatchObject({ status: 200 })
    expect(new Set(proxy.state.raws).size).toBe(1)
  })
})

describe('a transaction that is not mined', () => {
  it('causes 502 with its hash after the wait, is resent, and appears in the history', async () => {
    const impatient = { databaseUrl: t.databaseUrl, clock: t.clock, chainWaitMsMax: 3 * SECOND_MS }
    const root = newRoot()
    proxy.state.fault = 'swallow'
    const waiting = anchor(root, await testApp({ env, ...impatient }))
    await eventually(() => expect(proxy.state.raws).toHaveLength(1))
    expect(await anchor(root)).toMatchObject({ status: 409, body: { error: 'already_anchored' } })
    const answer = await waiting
    expect(answer).toMatchObject({ status: 502, body: { error: 'chain_unavailable' } })
    const [hash] = /0x[0-9a-f]{64}/.exec(answer.body.message) ?? []
    expect(await findInHistory(root)).toBeUndefined()
    proxy.state.fault = 'none'
    t.clock.advance(31 * SECOND_MS)
    await eventually(async () => expect(await findInHistory(root)).toMatchObject({ tx_hash: hash }))
    expect(new Set(proxy.state.raws).size).toBe(1)
  })

  it('is replaced at the same nonce with higher fees', async () => {
    const root = newRoot()
    proxy.state.fault = 'swallow'
    const waiting = anchor(root)
    await eventually(() => expect(proxy.state.raws).toHaveLength(1))
    t.clock.advance(91 * SECOND_MS)
    await eventually(() => expect(new Set(proxy.state.raws).size).toBe(2))
    proxy.state.fault = 'none'
    t.clock.advance(31 * SECOND_MS)
    expect((await waiting).status).toBe(200)
    const [first, second] = [...new Set(proxy.state.raws)].map((raw) =>
      parseTransaction(raw as Hex),
    )
    expect(second?.nonce).toBe(first?.nonce)
    for (const fee of ['maxFeePerGas', 'maxPriorityFeePerGas'] as const) {
      expect(Number(second?.[fee])).toBeGreaterThanOrEqual(Number(first?.[fee]) * 1.125)
    }
    expect(await isAnchored(root)).toBe(true)
  })

  it('gets a new nonce if another holder of the key has used its nonce', async () => {
    const root = newRoot()
    proxy.state.fault = 'swallow'
    const waiting = anchor(root)
    await eventually(() => expect(proxy.state.raws).toHaveLength(1))
    await spendNonce()
    await chain.rpc('anvil_mine', ['0xa'])
    proxy.state.fault = 'none'
    t.clock.advance(91 * SECOND_MS)
    expect((await waiting).status).toBe(200)
    expect(await isAnchored(root)).toBe(true)
  })

  it('keeps its nonce while a reorganisation can still remove the block that used it', async () => {
    const root = newRoot()
    proxy.state.fault = 'swallow'
    const waiting = anchor(root)
    await eventually(() => expect(proxy.state.raws).toHaveLength(1))
    await spendNonce()
    t.clock.advance(91 * SECOND_MS)
    await eventually(() => expect(new Set(proxy.state.raws).size).toBe(2))
    const nonces = proxy.state.raws.map((raw) => parseTransaction(raw as Hex).nonce)
    expect(new Set(nonces).size).toBe(1)
    proxy.state.fault = 'none'
    await chain.rpc('anvil_mine', ['0xa'])
    t.clock.advance(91 * SECOND_MS)
    expect((await waiting).status).toBe(200)
  })

  it('is sent once if it is mined between two RPC calls of the relayer', async () => {
    const root = newRoot()
    proxy.state.fault = 'swallow'
    const waiting = anchor(root)
    await eventually(() => expect(proxy.state.raws).toHaveLength(1))
    proxy.state.hook = async ({ method }) => {
      if (method !== 'eth_blockNumber' && method !== 'eth_getTransactionCount') return undefined
      proxy.state.hook = undefined
      await chain.rpc('eth_sendRawTransaction', [proxy.state.raws[0]])
      await eventually(async () => expect(await isAnchored(root)).toBe(true))
      await chain.rpc('anvil_mine', ['0xa'])
      return undefined
    }
    t.clock.advance(91 * SECOND_MS)
    expect((await waiting).status).toBe(200)
    const nonces = proxy.state.raws.map((raw) => parseTransaction(raw as Hex).nonce)
    expect(new Set(nonces).size).toBe(1)
  })
})

describe('a broadcast that the node rejects late', () => {
  const rejection = { error: { code: -32_000, message: 'insufficient funds for gas' } }

  /** Rejects the first broadcast after the given work is done. */
  const rejectAfter = (work: () => Promise<unknown>) => {
    proxy.state.hook = async ({ method }) => {
      if (method !== 'eth_sendRawTransaction') return undefined
      proxy.state.hook = undefined
      await work()
      return rejection
    }
  }

  it('changes nothing if another process holds the lease by then', async () => {
    rejectAfter(() =>
      sql`update relayer_lease set holder = 'another process',
        expires_at = clock_timestamp() + interval '3 seconds'`.execute(t.app.kernel.db),
    )
    const waiting = anchor(newRoot())
    await eventually(() => expect(proxy.state.raws).toHaveLength(1))
    t.clock.advance(31 * SECOND_MS)
    expect((await waiting).status).toBe(200)
    expect(new Set(proxy.state.raws).size).toBe(1)
  })

  it('leaves no gap below a nonce that was already sent', async () => {
    rejectAfter(() =>
      sql`insert into relay_transaction (transaction_id, chain_id, relayer, kind, data, state,
          nonce, created_at)
        select 'rtx-next', chain_id, relayer, kind, data, 'sent', nonce + 1, created_at
        from relay_transaction where state = 'sent'`.execute(t.app.kernel.db),
    )
    const waiting = anchor(newRoot())
    await eventually(() => expect(proxy.state.raws).toHaveLength(1))
    t.clock.advance(31 * SECOND_MS)
    expect((await waiting).status).toBe(200)
    await sql`delete from relay_transaction where transaction_id = 'rtx-next'`.execute(
      t.app.kernel.db,
    )
    expect(new Set(proxy.state.raws).size).toBe(1)
  })

  it('frees the nonce otherwise', async () => {
    rejectAfter(async () => undefined)
    expect(await anchor(newRoot())).toMatchObject({ status: 502 })
    expect(await anchor(newRoot())).toMatchObject({ status: 200 })
    const nonces = proxy.state.raws.map((raw) => parseTransaction(raw as Hex).nonce)
    expect(new Set(nonces).size).toBe(1)
  })
})

/** Sends a transaction with the relayer's key, as another holder of the key could. */
async function spendNonce(): Promise<void> {
  const nonce = Number(await chain.rpc('eth_getTransactionCount', [relayer, 'latest']))
  const raw = await privateKeyToAccount(key).signTransaction({
    type: 'eip1559' as const,
    chainId: 31_337,
    nonce,
    to: relayer,
    gas: 30_000n,
    maxFeePerGas: 10n ** 9n,
    maxPriorityFeePerGas: 10n ** 6n,
  })
  await chain.rpc('eth_sendRawTransaction', [raw])
  await eventually(async () =>
    expect(Number(await chain.rpc('eth_getTransactionCount', [relayer, 'latest']))).toBe(nonce + 1),
  )
}

describe('nonces', () => {
  it('continue from the chain’s count if the key was used elsewhere', async () => {
    await spendNonce()
    await spendNonce()
    expect(await anchor(newRoot())).toMatchObject({ status: 200 })
  })

  it('have no gaps under concurrent requests', async () => {
    const roots = Array.from({ length: 12 }, newRoot)
    const answers = await Promise.all(roots.map((root) => anchor(root)))
    expect(answers.map(({ status }) => status)).toEqual(roots.map(() => 200))
    const nonces = proxy.state.raws.map((raw) => parseTransaction(raw as Hex).nonce ?? 0)
    expect([...nonces].sort((a, b) => a - b)).toEqual(nonces)
    expect(Number(nonces.at(-1)) - Number(nonces[0])).toBe(11)
  })
})

describe('two processes', () => {
  it('share one lease, and every root is anchored once', async () => {
    const other = await testApp({ env, databaseUrl: t.databaseUrl })
    const roots = Array.from({ length: 10 }, newRoot)
    const answers = await Promise.all(
      roots.flatMap((root) => [anchor(root, t), anchor(root, other)]),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(10)
    expect(statuses.filter((status) => status === 409)).toHaveLength(10)
    const nonces = proxy.state.raws.map((raw) => parseTransaction(raw as Hex).nonce)
    expect(new Set(nonces).size).toBe(10)
    for (const root of roots) expect(await isAnchored(root)).toBe(true)
  })

  it('take over the lease of a process that died', async () => {
    await sql`update relayer_lease set holder = 'a process that died',
      expires_at = clock_timestamp() + interval '15 seconds'`.execute(t.app.kernel.db)
    expect(await anchor(newRoot())).toMatchObject({ status: 200 })
  })
})

describe('a reorganisation of the chain', () => {
  it('makes the lost transaction be resent, and updates the block of the record', async () => {
    const snapshot = await chain.rpc('evm_snapshot')
    const root = newRoot()
    const before = (await anchor(root)).body
    await chain.rpc('evm_revert', [snapshot])
    await chain.rpc('anvil_mine', ['0x3'])
    expect(await isAnchored(root)).toBe(false)
    await eventually(async () => {
      const now = await findInHistory(root)
      expect(now?.block_number).toBeGreaterThan(before.block_number)
    })
    expect(await isAnchored(root)).toBe(true)
  })
})

describe('a lagging node behind a load balancer', () => {
  it('does not make a mined transaction be resent', async () => {
    const root = newRoot()
    const anchored = (await anchor(root)).body
    proxy.state.raws = []
    let calls = 0
    proxy.state.hook = async ({ method }) => {
      if (method !== 'eth_getTransactionCount') return undefined
      calls += 1
      return { result: '0x0' }
    }
    await eventually(() => expect(calls).toBeGreaterThan(1))
    proxy.state.hook = undefined
    expect(await anchor(newRoot())).toMatchObject({ status: 200 })
    expect(proxy.state.raws).toHaveLength(1)
    expect(await findInHistory(root)).toMatchObject({ block_number: anchored.block_number })
  })
})

describe('fees and funds', () => {
  const alerts = async () =>
    (await sql`select 1 from relayer_alert`.execute(t.app.kernel.db)).rows.length

  it('send nothing if fees exceed the limit, and alert administrators once a day', async () => {
    await chain.rpc('anvil_setNextBlockBaseFeePerGas', [`0x${(10n ** 11n).toString(16)}`])
    await chain.rpc('anvil_mine', ['0x1'])
    for (const _ of [1, 2]) {
      expect(await anchor(newRoot())).toMatchObject({
        status: 502,
        body: { error: 'chain_unavailable', message: expect.stringContaining('fees') },
      })
    }
    expect(proxy.state.raws).toEqual([])
    expect(await alerts()).toBe(1)
    await chain.rpc('anvil_setNextBlockBaseFeePerGas', ['0x1'])
    await chain.rpc('anvil_mine', ['0x1'])
  })

  it('send nothing if the balance is too low', async () => {
    await setBalance(1n)
    expect(await anchor(newRoot())).toMatchObject({
      status: 502,
      body: { message: expect.stringContaining('ether') },
    })
    await setBalance(10n ** 20n)
    expect(await anchor(newRoot())).toMatchObject({ status: 200 })
    expect(await alerts()).toBe(2)
  })
})

describe('a chain that is killed between broadcast and receipt', () => {
  it('receives the transaction again, and the caller gets 200', async () => {
    // A clean stop saves the state so far; the later SIGKILL loses everything after it.
    await restart('SIGTERM')
    const root = newRoot()
    proxy.state.fault = 'blind'
    const waiting = anchor(root)
    await eventually(async () => expect(await isAnchored(root)).toBe(true))
    await restart('SIGKILL')
    expect(await isAnchored(root)).toBe(false)
    proxy.state.fault = 'none'
    t.clock.advance(31 * SECOND_MS)
    expect((await waiting).status).toBe(200)
    expect(await isAnchored(root)).toBe(true)
  })
})

async function restart(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  process.kill(await chain.pid(), signal)
  await eventually(() => expect(chain.dev.isRunning).toBe(false))
  proxy.state.target = (await chain.dev.open()).url
}
