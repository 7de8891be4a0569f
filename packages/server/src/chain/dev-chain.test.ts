import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '#harness/eventually.ts'
import { readChain } from '../chain-config.ts'
import { createReader } from '../config-reader.ts'
import { findProcess } from '../postgres/processes.ts'
import { createChainNode } from './chain-node.ts'
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

const pid = async (of = dir): Promise<number> =>
  JSON.parse(await readFile(join(of, 'anvil.json'), 'utf8')).pid
const rpc = async (method: string, ...params: unknown[]) =>
  createJsonRpc((await chain.open()).url)(method, params)

describe('the development chain', () => {
  it('starts on first use, once for concurrent callers', async () => {
    expect(chain.isRunning).toBe(false)
    const [a, b] = await Promise.all([chain.open(), chain.open()])
    expect(a).toEqual(b)
    expect(await rpc('eth_chainId')).toBe('0x7a69')
  })

  it('keeps its state over a graceful stop', async () => {
    await rpc('anvil_setBalance', ACCOUNT, '0x7')
    await chain.stop()
    await expect(chain.open()).rejects.toThrow('stopping')
    chain = createDevChain({ dir, log: () => undefined })
    expect(await rpc('eth_getBalance', ACCOUNT, 'latest')).toBe('0x7')
  })

  it('is reused by the next service after the previous one was killed', async () => {
    const before = await chain.open()
    const next = createDevChain({ dir, log: () => undefined })
    expect((await next.open()).instance).toBe(before.instance)
    // It does not hold the lock of the folder, so it leaves the chain running.
    await next.stop()
    expect(chain.isRunning).toBe(true)
  })

  it('restarts after a kill, with another instance name', async () => {
    const before = await chain.open()
    process.kill(await pid(), 'SIGKILL')
    await eventually(() => expect(chain.isRunning).toBe(false))
    expect((await chain.open()).instance).not.toBe(before.instance)
  })

  it('is killed and restarted if it hangs', async () => {
    const settings = readChain(createReader({}), undefined)
    const site = { dir: join(dir, 'hung'), log: () => undefined, timeoutMs: 2000 }
    const node = createChainNode(settings, site)
    const before = await node.instance()
    process.kill(await pid(site.dir), 'SIGSTOP')
    const lost: unknown[] = []
    // Until the signal has reached its threads it may still answer.
    while ((await node.instance()) === before) {
      await node.rpc('eth_blockNumber').catch((err: unknown) => lost.push(err))
      expect(lost.length).toBeLessThanOrEqual(3)
    }
    expect(lost).not.toEqual([])
    for (const one of lost) expect(one).toMatchObject({ kind: 'lost' })
    expect(await node.rpc('eth_blockNumber')).toBe('0x0')
    await node.stop()
  })

  it('is killed by the next service if it hangs and the previous one was killed', async () => {
    const site = { dir: join(dir, 'left'), log: () => undefined }
    const before = createDevChain(site)
    await before.open()
    const left = JSON.parse(await readFile(join(site.dir, 'anvil.json'), 'utf8'))
    await before.stop()
    // Simulates a service that was killed before the chain's first answer.
    const hung = spawn('sleep', ['60'])
    const hungPid = hung.pid ?? 0
    const { startTime } = findProcess(hungPid) ?? {}
    const info = { pid: hungPid, startTime, url: left.url }
    await writeFile(join(site.dir, 'anvil.json'), JSON.stringify(info))
    const next = createDevChain(site)
    await next.open()
    expect(findProcess(hungPid)).toBeUndefined()
    await next.stop()
  })

  it('is stopped by the next service, even if that one did not use it', async () => {
    const site = { dir: join(dir, 'unused'), log: () => undefined }
    await mkdir(site.dir)
    const left = spawn('sleep', ['60'])
    const { startTime } = findProcess(left.pid ?? 0) ?? {}
    const info = { pid: left.pid, startTime, url: 'http://127.0.0.1:1' }
    await writeFile(join(site.dir, 'anvil.json'), JSON.stringify(info))
    await createDevChain(site).stop()
    expect(findProcess(left.pid ?? 0)).toBeUndefined()
  })

  it('never signals another process that reuses its pid', async () => {
    const site = { dir: join(dir, 'number'), log: () => undefined }
    const other = spawn('sleep', ['60'])
    const info = { pid: other.pid, startTime: '1', url: 'http://127.0.0.1:1', instance: 'x' }
    await mkdir(site.dir)
    await writeFile(join(site.dir, 'anvil.json'), JSON.stringify(info))
    const next = createDevChain(site)
    await next.open()
    await next.stop()
    expect(findProcess(other.pid ?? 0)).toBeDefined()
    other.kill()
  })

  it('moves an unreadable state file away', async () => {
    await chain.stop()
    await writeFile(join(dir, 'state.json'), '{"half')
    chain = createDevChain({ dir, log: () => undefined })
    expect(await rpc('eth_blockNumber')).toBe('0x0')
    expect(await readFile(join(dir, 'state.json.unreadable'), 'utf8')).toBe('{"half')
  })

  it('says what to do if the program is not installed', async () => {
    const none = createDevChain({ dir: join(dir, 'none'), log: () => undefined, program: null })
    await expect(none.open()).rejects.toThrow(
      /run npm install @foundry-rs\/anvil-\S+@\d+\.\d+\.\d+, or install anvil .* CHAIN_RPC_URL/,
    )
  })
})

describe('json-rpc', () => {
  it('distinguishes a call that certainly did not arrive from a refused one', async () => {
    const dead = createJsonRpc('http://127.0.0.1:1')
    await expect(dead('eth_chainId')).rejects.toMatchObject({ kind: 'unreachable' })
    const refused = await rpc('no_such_method').catch((err: unknown) => err)
    expect(refused).toBeInstanceOf(RpcError)
    expect(refused).toMatchObject({ kind: 'refused' })
  })

  it('treats an error of null as success, and recognises a temporary refusal', async () => {
    let answer: { status: number; body: object } = { status: 200, body: {} }
    const server = createServer((_, res) => {
      res.statusCode = answer.status
      res.end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...answer.body }))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const ask = createJsonRpc(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const told = async (status: number, body: object) => {
      answer = { status, body }
      return ask('eth_chainId').catch((err: unknown) => err)
    }
    const refused = (code: number, message: string) => ({ error: { code, message } })
    expect(await told(200, { result: '0x1', error: null })).toBe('0x1')
    expect(await told(429, refused(1, 'slow down'))).toMatchObject({ isPassing: true })
    expect(await told(200, refused(-32_005, 'limit'))).toMatchObject({ isPassing: true })
    expect(await told(200, refused(-32_603, 'reverted'))).toMatchObject({ isPassing: false })
    expect(await told(200, refused(-32_000, 'no'))).toMatchObject({ isPassing: false })
    server.closeAllConnections()
    server.close()
  })
})
