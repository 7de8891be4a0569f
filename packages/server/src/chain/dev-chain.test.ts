import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '#harness/eventually.ts'
import { createDevChain, type DevChain } from './dev-chain.ts'
import { createJsonRpc, RpcError } from './json-rpc.ts'

let dir: string
let chain: DevChain
const ACCOUNT = '0x00000000000000000000000000000000000000aa'

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'touchstone-devchain-'))
  chain = createDevChain({ dir, log: () => undefined })
})

afterAll(async () => {
  await chain.stop()
  await rm(dir, { recursive: true, force: true })
})

const pid = async (): Promise<number> =>
  JSON.parse(await readFile(join(dir, 'anvil.json'), 'utf8')).pid
const rpc = async (method: string, ...params: unknown[]) =>
  createJsonRpc((await chain.open()).url)(method, params)

describe('the development chain', () => {
  it('starts on first need, once, whoever asks', async () => {
    expect(chain.isRunning).toBe(false)
    const [a, b] = await Promise.all([chain.open(), chain.open()])
    expect(a).toEqual(b)
    expect(await rpc('eth_chainId')).toBe('0x7a69')
  })

  it('keeps its state over a stop in order', async () => {
    await rpc('anvil_setBalance', ACCOUNT, '0x7')
    await chain.stop()
    await expect(chain.open()).rejects.toThrow('stopping')
    chain = createDevChain({ dir, log: () => undefined })
    expect(await rpc('eth_getBalance', ACCOUNT, 'latest')).toBe('0x7')
  })

  it('is found again by the next service when the one before was killed', async () => {
    const before = await chain.open()
    const next = createDevChain({ dir, log: () => undefined })
    expect((await next.open()).instance).toBe(before.instance)
    // It is not the one that holds the folder, so it leaves the chain alone.
    await next.stop()
    expect(chain.isRunning).toBe(true)
  })

  it('starts anew after a kill, under another name', async () => {
    const before = await chain.open()
    process.kill(await pid(), 'SIGKILL')
    await eventually(() => expect(chain.isRunning).toBe(false))
    expect((await chain.open()).instance).not.toBe(before.instance)
  })

  it('sets a state aside that it cannot read', async () => {
    await chain.stop()
    await writeFile(join(dir, 'state.json'), '{"half')
    chain = createDevChain({ dir, log: () => undefined })
    expect(await rpc('eth_blockNumber')).toBe('0x0')
    expect(await readFile(join(dir, 'state.json.unreadable'), 'utf8')).toBe('{"half')
  })

  it('says what to do where there is no such program', async () => {
    const none = createDevChain({ dir: join(dir, 'none'), log: () => undefined, program: null })
    await expect(none.open()).rejects.toThrow('set CHAIN_RPC_URL')
  })
})

describe('json-rpc', () => {
  it('tells a call that surely did not arrive from one that was refused', async () => {
    const dead = createJsonRpc('http://127.0.0.1:1')
    await expect(dead('eth_chainId')).rejects.toMatchObject({ kind: 'unreachable' })
    const refused = await rpc('no_such_method').catch((err: unknown) => err)
    expect(refused).toBeInstanceOf(RpcError)
    expect(refused).toMatchObject({ kind: 'refused' })
  })
})
