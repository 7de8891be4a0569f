import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ed25519PublicKey, ed25519Signer } from '@touchstone/protocol/crypto'
import {
  cosignedMessage,
  createNoteKey,
  parseLogCheckpoint,
  signatureLine,
  writeCosignature,
  writeVkey,
} from '@touchstone/protocol/log'
import { beforeAll, describe, expect, it } from 'vitest'
import { commandLine } from '#harness/cli.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'
import { createHistory, type History, LOG_VKEY, startTileLog } from './tile-log.fixture.ts'

let dir: string
let honest: History
let forked: History
let policies = 0
let states = 0

beforeAll(async () => {
  dir = await temporaryDir()
  honest = await createHistory([5, 255, 300, 600])
  forked = await createHistory([5, 255, 300, 600], 250)
})

const { start, touchstone } = commandLine(() => ({ url: '', apiKey: '', dir }))

async function policyFile(text = `log ${LOG_VKEY}\nquorum none\n`): Promise<string> {
  policies += 1
  const file = join(dir, `policy-${policies}`)
  await writeFile(file, text)
  return file
}

/** A monitor with a state of its own, which looks once whenever it is called. */
async function monitorOf(log: { url: string }, policy?: string) {
  states += 1
  const state = join(dir, `state-${states}.json`)
  const file = await policyFile(policy)
  const look = async (flags = '--once --json', url = log.url) => {
    const { code, out, err } = await touchstone(
      `monitor ${url} --policy ${file} --state ${state} ${flags}`,
    )
    return { code, body: out === '' ? undefined : JSON.parse(out), err }
  }
  return { look, state, file }
}

function witness(name: string, fill: number) {
  const seed = new Uint8Array(32).fill(fill)
  const key = createNoteKey({ name, type: 'cosignature', publicKey: ed25519PublicKey(seed) })
  return {
    vkey: writeVkey(key),
    cosign(checkpoint: string): string {
      const parsed = parseLogCheckpoint(checkpoint)
      if (!parsed.ok) throw new Error(parsed.reason)
      const message = cosignedMessage(parsed.value.body, 1_800_000_000)
      const signature = writeCosignature({
        time: 1_800_000_000,
        signature: ed25519Signer(seed)(message),
      })
      return signatureLine({ name, keyId: key.id, signature })
    },
  }
}

describe('touchstone monitor', () => {
  it('exits with 0 while the log grows, and reads only new tiles and entries', async () => {
    const log = await startTileLog(honest, 5)
    const { look } = await monitorOf(log)
    expect(await look()).toMatchObject({ code: 0, body: { status: 'consistent', size: 5 } })
    log.show(honest, 300)
    expect(await look()).toMatchObject({ code: 0, body: { size: 300 } })
    log.requests.length = 0
    expect(await look()).toMatchObject({ code: 0, body: { size: 300 } })
    expect(log.requests).toEqual(['checkpoint'])
    log.show(honest, 600)
    log.requests.length = 0
    expect(await look()).toMatchObject({ code: 0, body: { size: 600 } })
    expect(log.requests.sort()).toEqual([
      'checkpoint',
      'tile/0/001',
      'tile/0/002.p/88',
      'tile/1/000.p/2',
      'tile/entries/001',
      'tile/entries/002.p/88',
    ])
  })

  it('reads the full tile if the log has deleted the partial one', async () => {
    const log = await startTileLog(honest, 300)
    const files = new Map(honest.files)
    const growing = await createHistory([300, 512])
    for (const path of ['tile/0/001', 'tile/entries/001']) {
      files.delete(`${path}.p/44`)
      files.set(path, growing.files.get(path) ?? new Uint8Array())
    }
    log.shown.files = files
    const { look } = await monitorOf(log)
    expect(await look()).toMatchObject({ code: 0, body: { size: 300 } })
  })

  it('exits with 3 if the log forks below the known size, and prints both checkpoints', async () => {
    const log = await startTileLog(honest, 255)
    const { look, state } = await monitorOf(log)
    await look()
    const before = await readFile(state, 'utf8')
    log.show(forked, 300)
    expect(await look()).toEqual({
      code: 3,
      body: {
        status: 'fork',
        reason: 'the tree of size 300 has another root for its first 255 entries',
        checkpoints: [honest.checkpoint(255), forked.checkpoint(300)],
      },
      err: '',
    })
    expect(await readFile(state, 'utf8')).toBe(before)
    const file = await policyFile()
    const shown = await touchstone(`monitor ${log.url} --policy ${file} --state ${state} --once`)
    expect(shown.code).toBe(3)
    for (const text of [honest.checkpoint(255), forked.checkpoint(300)]) {
      expect(shown.out).toContain(text.trimEnd())
    }
  })

  it('exits with 3 if two clients were shown two trees of one size', async () => {
    const log = await startTileLog(honest, 300)
    const mine = await monitorOf(log)
    expect(await mine.look()).toMatchObject({ code: 0 })
    log.show(forked, 300)
    const yours = await monitorOf(log)
    expect(await yours.look()).toMatchObject({ code: 0 })
    await writeFile(mine.state, await readFile(yours.state, 'utf8'))
    log.show(honest, 300)
    const { code, body } = await mine.look()
    expect({ code, reason: body.reason }).toEqual({ code: 3, reason: 'two roots for size 300' })
    expect(body.checkpoints).toEqual([forked.checkpoint(300), honest.checkpoint(300)])
  })

  it('exits with 3 if the log goes back to a history that it does not contain', async () => {
    const log = await startTileLog(forked, 300)
    const { look } = await monitorOf(log)
    await look()
    log.shown.checkpoint = honest.checkpoint(255)
    expect(await look()).toMatchObject({
      code: 3,
      body: { checkpoints: [forked.checkpoint(300), honest.checkpoint(255)] },
    })
  })

  it('exits with 4 if the log goes back within one history', async () => {
    const log = await startTileLog(honest, 300)
    const { look } = await monitorOf(log)
    await look()
    log.show(honest, 255)
    expect(await look()).toMatchObject({
      code: 4,
      body: { status: 'older', reason: 'size 255 is less than the known size 300' },
    })
    log.show(honest, 600)
    expect(await look()).toMatchObject({ code: 0, body: { size: 600 } })
  })

  it('waits while the log limits its requests, but not for ever', async () => {
    const log = await startTileLog(honest, 300)
    const { look } = await monitorOf(log)
    log.shown.refusals = 3
    expect(await look()).toMatchObject({ code: 0, body: { size: 300 } })
    log.shown.refusals = 100
    expect(await look()).toMatchObject({ code: 2, body: { status: 'unreachable' } })
  })

  it('exits with 2 if the log is silent', async () => {
    const log = await startTileLog(honest, 300)
    const { look } = await monitorOf(log)
    log.shown.isSilent = true
    expect(await look()).toMatchObject({ code: 2, body: { status: 'unreachable' } })
    expect(await look('--once --json', `${log.url}/nothing`)).toMatchObject({ code: 2 })
  })

  it.each([
    'tile/0/000',
    'tile/0/001.p/44',
    'tile/1/000.p/1',
    'tile/entries/000',
    'tile/entries/001.p/44',
  ])('exits with 5 if %s was changed', async (path) => {
    const log = await startTileLog(honest, 5)
    const { look } = await monitorOf(log)
    await look()
    log.show(honest, 300)
    const bytes = Uint8Array.from(honest.files.get(path) ?? [])
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
    log.shown.files = new Map(honest.files).set(path, bytes)
    expect(await look()).toMatchObject({ code: 5, body: { status: 'invalid' } })
    log.shown.files = honest.files
    expect(await look()).toMatchObject({ code: 0, body: { size: 300 } })
  })

  it('exits with 5 if a tile is missing or a signature is changed', async () => {
    const log = await startTileLog(honest, 300)
    const { look } = await monitorOf(log)
    log.shown.files = new Map([...honest.files].filter(([path]) => path !== 'tile/0/000'))
    expect(await look()).toMatchObject({ code: 5, body: { reason: 'tile/0/000 is missing' } })
    log.show(honest, 300)
    log.shown.checkpoint = honest.checkpoint(300).replace('\n300\n', '\n255\n')
    expect(await look()).toMatchObject({ code: 5 })
    log.shown.checkpoint = 'nonsense'
    expect(await look()).toMatchObject({ code: 5 })
  })

  it('exits with 5 without the quorum of the policy', async () => {
    const [w1, w2, unknown] = [witness('w1.example', 1), witness('w2.example', 2), witness('w3', 3)]
    const log = await startTileLog(honest, 300)
    const policy = [
      `log ${LOG_VKEY}`,
      `witness w1 ${w1.vkey}`,
      `witness w2 ${w2.vkey}`,
      'group both all w1 w2',
      'quorum both\n',
    ].join('\n')
    const { look } = await monitorOf(log, policy)
    const text = honest.checkpoint(300)
    expect(await look()).toMatchObject({
      code: 5,
      body: { reason: 'the quorum both is not reached' },
    })
    log.show(honest, 300, w1.cosign(text) + unknown.cosign(text))
    expect(await look()).toMatchObject({ code: 5 })
    log.show(honest, 300, w1.cosign(text) + w2.cosign(honest.checkpoint(255)))
    expect(await look()).toMatchObject({ code: 5, body: { reason: /w2.example.*does not verify/ } })
    log.show(honest, 300, w1.cosign(text) + unknown.cosign(text) + w2.cosign(text))
    expect(await look()).toMatchObject({ code: 0 })
  })

  it('follows until stopped, and goes on after silence and after an older checkpoint', async () => {
    const log = await startTileLog(honest, 5)
    const file = await policyFile()
    const stop = new AbortController()
    const running = start(
      `monitor ${log.url} --policy ${file} --state ${dir}/following.json --interval 0.02 --json`,
      { stop: stop.signal },
    )
    await expect.poll(running.out).toContain('"size":5')
    log.shown.isSilent = true
    await expect.poll(running.out).toContain('"unreachable"')
    log.shown.isSilent = false
    log.show(honest, 300)
    await expect.poll(running.out).toContain('"size":300')
    log.show(honest, 255)
    await expect.poll(running.out).toContain('"older"')
    log.show(honest, 600)
    await expect.poll(running.out).toContain('"size":600')
    stop.abort()
    expect(await running.code).toBe(0)
  })

  it('stops following when the log forks', async () => {
    const log = await startTileLog(honest, 255)
    const file = await policyFile()
    const running = start(
      `monitor ${log.url} --policy ${file} --state ${dir}/forking.json --interval 0.02 --json`,
    )
    await expect.poll(running.out).toContain('"size":255')
    log.show(forked, 600)
    expect(await running.code).toBe(3)
  })

  it('refuses wrong usage, a policy without a log and a state that was changed', async () => {
    const log = await startTileLog(honest, 300)
    expect(await touchstone(`monitor ${log.url}`)).toMatchObject({ code: 2 })
    const without = await monitorOf(log, 'quorum none\n')
    expect(await without.look()).toMatchObject({ code: 2, err: expect.stringContaining('no log') })
    const broken = await monitorOf(log, 'log x\n')
    expect(await broken.look()).toMatchObject({ code: 2, err: expect.stringContaining('line 1') })
    const good = await monitorOf(log)
    expect(await good.look('--once', 'nonsense')).toMatchObject({ code: 2 })
    await good.look()
    const state = await readFile(good.state, 'utf8')
    await writeFile(good.state, state.replace('\\n300\\n', '\\n299\\n'))
    expect(await good.look()).toMatchObject({
      code: 2,
      err: expect.stringContaining('not the state of this monitor'),
    })
  })
})
