import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sha256Hex } from '@touchstone/protocol/crypto'
import {
  type NoteKey,
  parseLogCheckpoint,
  parseNote,
  parseVkey,
  verifyNote,
  writeVkey,
} from '@touchstone/protocol/log'
import { beforeAll, describe, expect, it } from 'vitest'
import { commandLine } from '#harness/cli.ts'
import { onFileFinished } from '#harness/on-file-finished.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'
import { createHistory, type History, LOG_VKEY, ORIGIN, startTileLog } from './tile-log.fixture.ts'

let dir: string
let honest: History
let forked: History

beforeAll(async () => {
  dir = await temporaryDir()
  honest = await createHistory([5, 300, 600])
  forked = await createHistory([5, 300, 600], 3)
})

const { start, touchstone } = commandLine(() => ({ url: '', apiKey: '', dir }))

function keyOf(vkey: string): NoteKey {
  const key = parseVkey(vkey)
  if (!key.ok) throw new Error(key.reason)
  return key.value
}

/** Runs the command until the returned `stop`; `name` also names its folder. */
async function startWitness(name: string, logs: readonly string[] = [LOG_VKEY]) {
  const stopping = new AbortController()
  const line = [
    'witness',
    '--json',
    `--name=${name}.example`,
    '--listen=127.0.0.1:0',
    `--data=${join(dir, name)}`,
    `--key=${join(dir, name)}.pem`,
    ...logs.flatMap((vkey) => ['--log', vkey]),
  ]
  const { code, out, err } = start(line, { stop: stopping.signal })
  const stop = () => {
    stopping.abort()
    return code
  }
  onFileFinished(async () => void (await stop()))
  await expect.poll(() => out() + err()).toMatch(/vkey|touchstone:/)
  const { url, vkey } = JSON.parse(out()) as { url: string; vkey: string }
  return {
    key: keyOf(vkey),
    err,
    stop,
    async add(body: string) {
      const res = await fetch(`${url}/add-checkpoint`, { method: 'POST', body })
      return { status: res.status, type: res.headers.get('content-type'), body: await res.text() }
    },
    async get(path: string, method = 'GET') {
      const res = await fetch(`${url}${path}`, { method })
      return { status: res.status, body: await res.text() }
    },
  }
}

const CHECKPOINT = `/${sha256Hex(ORIGIN)}/checkpoint`

describe('touchstone witness', () => {
  it('cosigns a growing log and serves its last checkpoint', async () => {
    const witness = await startWitness('grows')
    expect(await witness.get(CHECKPOINT)).toMatchObject({ status: 404 })
    for (const [old, size] of [
      [0, 5],
      [5, 300],
      [300, 300],
      [300, 600],
    ] as const) {
      const answer = await witness.add(await honest.addCheckpoint(old, size))
      expect(answer).toMatchObject({ status: 200, type: 'text/plain; charset=utf-8' })
      const note = parseNote(`${honest.checkpoint(size)}${answer.body}`)
      if (!note.ok) throw new Error(note.reason)
      const verified = verifyNote(note.value, [keyOf(LOG_VKEY), witness.key])
      const [ofLog, ours] = verified.ok ? verified.value : []
      expect([ofLog?.key.name, ours?.key.name]).toEqual([ORIGIN, 'grows.example'])
      expect(Math.abs((ours?.time ?? 0) - Date.now() / 1000)).toBeLessThan(60)
      const served = await witness.get(CHECKPOINT)
      expect(served).toEqual({ status: 200, body: `${honest.checkpoint(size)}${answer.body}` })
    }
  })

  it('answers 404, 403, 400, 409 and 422 in this order, and cosigns none of these', async () => {
    const witness = await startWitness('judges')
    const first = await honest.addCheckpoint(0, 300)
    expect(await witness.add(first)).toMatchObject({ status: 200 })
    const stranger = first.replaceAll(ORIGIN, 'other.example')
    expect(await witness.add(stranger)).toMatchObject({ status: 404 })
    const unsigned = first.replace('\n300\n', '\n301\n').replace('old 0', 'old 999')
    expect(await witness.add(unsigned)).toMatchObject({ status: 403 })
    const ahead = (await honest.addCheckpoint(300, 300)).replace('old 300', 'old 999')
    expect(await witness.add(ahead)).toMatchObject({ status: 400 })
    const behind = await honest.addCheckpoint(5, 600)
    expect(await witness.add(behind)).toEqual({
      status: 409,
      type: 'text/x.tlog.size',
      body: '300\n',
    })
    expect(await witness.add(await forked.addCheckpoint(300, 300))).toMatchObject({ status: 422 })
    expect(await witness.add(await forked.addCheckpoint(300, 600))).toMatchObject({ status: 422 })
    expect(await witness.add('nonsense')).toMatchObject({ status: 400 })
    const { body } = await witness.get(CHECKPOINT)
    expect(body.startsWith(honest.checkpoint(300))).toBe(true)
    expect(witness.err()).toContain('422 the consistency proof does not verify')
  })

  it('bounds bodies and knows no other addresses', async () => {
    const witness = await startWitness('bounded')
    expect(await witness.add('x'.repeat(200_000))).toMatchObject({ status: 413 })
    expect(await witness.get('/add-checkpoint')).toMatchObject({ status: 405 })
    expect(await witness.get('/')).toMatchObject({ status: 404 })
    expect(await witness.get('/../../witness.pid')).toMatchObject({ status: 404 })
    await witness.add(await honest.addCheckpoint(0, 5))
    expect(await witness.get(CHECKPOINT, 'DELETE')).toMatchObject({ status: 405 })
  })

  it('cosigns only one of two requests from the same size', async () => {
    const witness = await startWitness('races')
    await witness.add(await honest.addCheckpoint(0, 5))
    const requests = await Promise.all([
      honest.addCheckpoint(5, 300),
      forked.addCheckpoint(5, 600),
      honest.addCheckpoint(5, 600),
      honest.addCheckpoint(5, 300),
    ])
    const answers = await Promise.all(requests.map((request) => witness.add(request)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  it('remembers after a restart, with the same key', async () => {
    const witness = await startWitness('restarts')
    await witness.add(await honest.addCheckpoint(0, 300))
    expect(await witness.stop()).toBe(0)
    expect((await readdir(join(dir, 'restarts'))).sort()).toEqual([
      `${sha256Hex(ORIGIN)}.checkpoint`,
    ])
    const again = await startWitness('restarts')
    expect(again.key).toEqual(witness.key)
    expect(await again.add(await forked.addCheckpoint(0, 300))).toMatchObject({ status: 409 })
    expect(await again.add(await honest.addCheckpoint(300, 600))).toMatchObject({ status: 200 })
  })

  it('does not start with a damaged file, a file of another key, or a folder in use', async () => {
    const witness = await startWitness('damaged')
    await witness.add(await honest.addCheckpoint(0, 300))
    await witness.stop()
    const file = join(dir, 'damaged', `${sha256Hex(ORIGIN)}.checkpoint`)
    const line = `witness --name damaged.example --listen 127.0.0.1:0 --data ${dir}/damaged --log ${LOG_VKEY} --key`
    const text = await readFile(file, 'utf8')
    expect(parseLogCheckpoint(text)).toMatchObject({ ok: true })
    await writeFile(file, text.replace('\n300\n', '\n299\n'))
    expect(await touchstone(`${line} ${dir}/damaged.pem`)).toMatchObject({
      code: 2,
      err: expect.stringContaining('not a checkpoint of log.example/log'),
    })
    await writeFile(file, text)
    expect(await touchstone(`${line} ${dir}/new.pem`)).toMatchObject({ code: 2 })
    const again = await startWitness('damaged')
    expect(await touchstone(`${line} ${dir}/damaged.pem`)).toMatchObject({
      code: 2,
      err: expect.stringContaining('is in use by another process'),
    })
    expect(await again.stop()).toBe(0)
  })

  it('reaches the quorum of a policy together with a second witness', async () => {
    const log = await startTileLog(honest, 600)
    const witnesses = [await startWitness('first'), await startWitness('second')]
    const policy = join(dir, 'policy')
    const line = `monitor ${log.url} --policy ${policy} --state ${dir}/seen.json --once --json`
    const names = witnesses.map(({ key }) => `witness ${key.name} ${writeVkey(key)}`)
    const group = 'group both all first.example second.example'
    await writeFile(policy, [`log ${LOG_VKEY}`, ...names, group, 'quorum both', ''].join('\n'))
    let cosignatures = ''
    for (const witness of witnesses) {
      expect(await touchstone(line)).toMatchObject({ code: 5 })
      const answer = await witness.add(await honest.addCheckpoint(0, 600))
      cosignatures += answer.body
      log.show(honest, 600, cosignatures)
    }
    expect(await touchstone(line)).toMatchObject({ code: 0 })
  })

  it.each([
    ['witness', 'are required'],
    ['witness --name a --data d --key k', 'At least one --log'],
    ['witness --name a --data d --key k --log x', 'must have the form'],
    [`witness --name a --data d --key k --listen 80 --log ${LOG_VKEY}`, 'HOST:PORT'],
    [`witness --name a+b --data d --key k --log ${LOG_VKEY}`, 'no plus'],
  ])('refuses %s', async (line, message) => {
    expect(await touchstone(line)).toMatchObject({ code: 2, err: expect.stringContaining(message) })
  })
})
