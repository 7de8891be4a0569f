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

const listed = async (root: string) => {
  const answer = await t.call('GET', '/v1/on-chain/history?per_page=100', {
    token: t.first.api_key,
  })
  return answer.body.anchors.find((one: { merkle_root: string }) => one.merkle_root === root)
}

const isAnchored = (root: Hex) =>
  chainReader(proxy.state.target).readContract({
    abi: merkleAnchorAbi,
    address: env['ANCHOR_ADDRESS'] as Hex,
    functionName: 'isRootAnchored',
    args: [root],
  })

const balanceOf = (wei: bigint) => chain.rpc('anvil_setBalance', [relayer, `0x${wei.toString(16)}`])

/** Puts both contracts on the chain, as `touchstone chain deploy` does. */
async function deployed(url: string): Promise<Record<string, string>> {
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
  await balanceOf(10n ** 20n)
  env = await deployed(proxy.url)
  t = await testApp({ env })
})

beforeEach(() => {
  proxy.state.fault = 'none'
  proxy.state.raws = []
  proxy.state.hook = undefined
})

describe('with a chain of the operator', () => {
  it('shows where its contracts are', async () => {
    const { body } = await t.call('GET', '/v1/on-chain/contracts')
    expect(body).toMatchObject({
      chain_id: 31_337,
      mode: 'rpc',
      merkle_anchor: env['ANCHOR_ADDRESS'],
      reputation_registry: env['REGISTRY_ADDRESS'],
      relayer,
    })
    expect((await t.call('POST', '/dev/chain', { body: ask('eth_chainId') })).status).toBe(404)
  })

  it('writes to no other chain than the one that is named', async () => {
    const settings = readChain(createReader({ ...env, CHAIN_ID: '8453' }), undefined)
    const node = createChainNode(settings, { dir: '', log: () => undefined })
    await expect(node.rpc('eth_blockNumber')).rejects.toThrow('is of chain 31337, not of 8453')
  })
})

const ask = (method: string) => ({ jsonrpc: '2.0', id: 1, method, params: [] })

describe('a node that is down', () => {
  it('gives 502, loses nothing, and is used again when it is back', async () => {
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

  it('may break off after it has taken a transaction: there is one, and it is found', async () => {
    const root = newRoot()
    proxy.state.fault = 'cut'
    expect(await anchor(root)).toMatchObject({ status: 200 })
    expect(new Set(proxy.state.raws).size).toBe(1)
  })
})

describe('a node that refuses', () => {
  it('is asked again when it is only busy', async () => {
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

  it('may have taken the transaction all the same: there is one, and it is found', async () => {
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
  it('gives 502 with its hash in the end, is sent again, and appears in the history', async () => {
    const impatient = { databaseUrl: t.databaseUrl, clock: t.clock, chainWaitMsMax: 3 * SECOND_MS }
    const root = newRoot()
    proxy.state.fault = 'swallow'
    const waiting = anchor(root, await testApp({ env, ...impatient }))
    await eventually(() => expect(proxy.state.raws).toHaveLength(1))
    expect(await anchor(root)).toMatchObject({ status: 409, body: { error: 'already_anchored' } })
    const answer = await waiting
    expect(answer).toMatchObject({ status: 502, body: { error: 'chain_unavailable' } })
    const [hash] = /0x[0-9a-f]{64}/.exec(answer.body.message) ?? []
    expect(await listed(root)).toBeUndefined()
    proxy.state.fault = 'none'
    t.clock.advance(31 * SECOND_MS)
    await eventually(async () => expect(await listed(root)).toMatchObject({ tx_hash: hash }))
    expect(new Set(proxy.state.raws).size).toBe(1)
  })

  it('is replaced at the same nonce with higher fees, and the one that is mined counts', async () => {
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

  it('gets another nonce when somebody else with the key has used its own', async () => {
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

  it('keeps its nonce while the block that used it can still be undone', async () => {
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

  it('is sent once when it is mined between two questions', async () => {
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

describe('a refusal that comes late', () => {
  const refusal = { error: { code: -32_000, message: 'insufficient funds for gas' } }

  /** The first broadcast is refused, once this has happened. */
  const refuseAfter = (work: () => Promise<unknown>) => {
    proxy.state.hook = async ({ method }) => {
      if (method !== 'eth_sendRawTransaction') return undefined
      proxy.state.hook = undefined
      await work()
      return refusal
    }
  }

  it('changes nothing when another node has the lease by then', async () => {
    refuseAfter(() =>
      sql`update relayer_lease set holder = 'another node',
        expires_at = clock_timestamp() + interval '3 seconds'`.execute(t.app.kernel.db),
    )
    const waiting = anchor(newRoot())
    await eventually(() => expect(proxy.state.raws).toHaveLength(1))
    t.clock.advance(31 * SECOND_MS)
    expect((await waiting).status).toBe(200)
    expect(new Set(proxy.state.raws).size).toBe(1)
  })

  it('leaves no gap below a nonce that is out', async () => {
    refuseAfter(() =>
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

  it('frees the nonce when nothing stands against it', async () => {
    refuseAfter(async () => undefined)
    expect(await anchor(newRoot())).toMatchObject({ status: 502 })
    expect(await anchor(newRoot())).toMatchObject({ status: 200 })
    const nonces = proxy.state.raws.map((raw) => parseTransaction(raw as Hex).nonce)
    expect(new Set(nonces).size).toBe(1)
  })
})

/** Somebody else who has the key sends something. */
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
  it('go on from where the chain is, when the key was used elsewhere', async () => {
    await spendNonce()
    await spendNonce()
    expect(await anchor(newRoot())).toMatchObject({ status: 200 })
  })

  it('have no gap when many ask at once', async () => {
    const roots = Array.from({ length: 12 }, newRoot)
    const answers = await Promise.all(roots.map((root) => anchor(root)))
    expect(answers.map(({ status }) => status)).toEqual(roots.map(() => 200))
    const nonces = proxy.state.raws.map((raw) => parseTransaction(raw as Hex).nonce ?? 0)
    expect([...nonces].sort((a, b) => a - b)).toEqual(nonces)
    expect(Number(nonces.at(-1)) - Number(nonces[0])).toBe(11)
  })
})

describe('two nodes', () => {
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

  it('take over from one that died with the lease', async () => {
    await sql`update relayer_lease set holder = 'a node that is no more',
      expires_at = clock_timestamp() + interval '15 seconds'`.execute(t.app.kernel.db)
    expect(await anchor(newRoot())).toMatchObject({ status: 200 })
  })
})

describe('a chain that takes another course', () => {
  it('gets back what it lost, and the record says where it is now', async () => {
    const snapshot = await chain.rpc('evm_snapshot')
    const root = newRoot()
    const before = (await anchor(root)).body
    await chain.rpc('evm_revert', [snapshot])
    await chain.rpc('anvil_mine', ['0x3'])
    expect(await isAnchored(root)).toBe(false)
    await eventually(async () => {
      const now = await listed(root)
      expect(now?.block_number).toBeGreaterThan(before.block_number)
    })
    expect(await isAnchored(root)).toBe(true)
  })
})

describe('a node behind the address that lags', () => {
  it('makes nothing be sent again that is in a block', async () => {
    const root = newRoot()
    const made = (await anchor(root)).body
    proxy.state.raws = []
    let asked = 0
    proxy.state.hook = async ({ method }) => {
      if (method !== 'eth_getTransactionCount') return undefined
      asked += 1
      return { result: '0x0' }
    }
    await eventually(() => expect(asked).toBeGreaterThan(1))
    proxy.state.hook = undefined
    expect(await anchor(newRoot())).toMatchObject({ status: 200 })
    expect(proxy.state.raws).toHaveLength(1)
    expect(await listed(root)).toMatchObject({ block_number: made.block_number })
  })
})

describe('fees and funds', () => {
  const alerts = async () =>
    (await sql`select 1 from relayer_alert`.execute(t.app.kernel.db)).rows.length

  it('above the limit send nothing, and administrators hear of it once a day', async () => {
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

  it('that are not there send nothing either', async () => {
    await balanceOf(1n)
    expect(await anchor(newRoot())).toMatchObject({
      status: 502,
      body: { message: expect.stringContaining('ether') },
    })
    await balanceOf(10n ** 20n)
    expect(await anchor(newRoot())).toMatchObject({ status: 200 })
    expect(await alerts()).toBe(2)
  })
})

describe('a chain that is killed between broadcast and receipt', () => {
  it('gets the transaction again, and the caller an answer', async () => {
    // What it holds now is written down; what follows is not.
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
