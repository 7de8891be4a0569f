import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import {
  bundlePath,
  bundlesOfGrowth,
  parseTlogPolicy,
  readBundle,
  type TlogPolicy,
  verifyByPolicy,
} from '@touchstone/protocol/log'
import { createMerkleTree, leafHash } from '@touchstone/protocol/merkle'
import { describe, expect, inject, it } from 'vitest'
import { killService, killWithDatabase } from '#harness/kill.ts'
import { type Service, startService } from '#harness/process.ts'
import { fullOrShort } from '#harness/runs.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'

/** Number of times the service is killed; LOG_KILLS overrides it. */
const kills = () => Number(process.env['LOG_KILLS'] ?? fullOrShort({ full: 20, short: 2 }))

const AGENT = 'crash-agent'
const CONNECTIONS = 8
/** The service runs at most this long before it is killed: a few rounds of the sequencer. */
const RUN_MS_MAX = 3000
const ROUND_MS_MAX = 60_000
const WAIT_MS_MAX = 30_000

type Running = { service: Service; token: string }
type Seen = Map<number, string>

async function open(dir: string): Promise<Running> {
  const store = pathToFileURL(join(dir, 'tiles')).href
  const service = await startService({ DATA_DIR: dir, LOG_STORE: store })
  const { api_key: token } = JSON.parse(await readFile(join(dir, 'credentials.json'), 'utf8'))
  return { service, token }
}

async function readText({ service }: Running, path: string): Promise<Buffer> {
  const answer = await fetch(`${service.url}${path}`)
  expect(answer.status, path).toBe(200)
  return Buffer.from(await answer.arrayBuffer())
}

async function readPolicy(running: Running): Promise<TlogPolicy> {
  const policy = parseTlogPolicy(String(await readText(running, '/v1/log/policy')))
  if (!policy.ok) throw new Error(policy.reason)
  return policy.value
}

/** Notes a checkpoint. Fails if another of its size was seen with another root. */
function note(seen: Seen, text: string, policy: TlogPolicy): number {
  const verified = verifyByPolicy(text, policy)
  if (!verified.ok) throw new Error(verified.reason)
  const { size, root } = verified.value
  const hex = Buffer.from(root).toString('hex')
  expect(seen.get(size) ?? hex, `two roots of size ${size}`).toBe(hex)
  seen.set(size, hex)
  return size
}

/** Decides and reads checkpoints until the service is gone. */
async function runUntilKilled(
  running: Running,
  seen: Seen,
  policy: TlogPolicy,
  kill: () => Promise<unknown>,
  runMs: number,
): Promise<void> {
  const { service, token } = running
  const work = async () => {
    for (;;) {
      const body = { agent_id: AGENT, tool: 'search' }
      const answer = await service
        .call('POST', '/v1/gateway/decide', { token, body })
        .catch(() => undefined)
      if (answer === undefined) return
    }
  }
  const watch = async () => {
    for (;;) {
      const text = await fetch(`${service.url}/log/checkpoint`).then(
        (answer) => (answer.status === 200 ? answer.text() : ''),
        () => undefined,
      )
      if (text === undefined) return
      if (text !== '') note(seen, text, policy)
      await sleep(20)
    }
  }
  const working = [...Array.from({ length: CONNECTIONS }, work), watch()]
  await sleep(runMs)
  await kill()
  await Promise.allSettled(working)
}

/** Waits until nothing is left to be entered. */
async function untilLogged(running: Running): Promise<void> {
  const deadline = Date.now() + WAIT_MS_MAX
  for (;;) {
    const { checks } = JSON.parse(String(await readText(running, '/health/ready')))
    expect(checks.log.fault).toBeNull()
    if (checks.log.pending === 0) return
    expect(Date.now(), 'the log does not go on').toBeLessThan(deadline)
    await sleep(100)
  }
}

/** Every checkpoint that was ever seen is one of the log as it is now. */
async function expectOneHistory(running: Running, seen: Seen, policy: TlogPolicy): Promise<void> {
  const size = note(seen, String(await readText(running, '/log/checkpoint')), policy)
  const tree = createMerkleTree()
  const entries = new Set<string>()
  for (const bundle of bundlesOfGrowth(0, size)) {
    const bytes = await readText(running, `/log/${bundlePath(bundle)}`)
    for (const entry of readBundle(bytes, bundle.width) ?? []) {
      tree.append(leafHash(entry))
      entries.add(Buffer.from(entry).toString())
    }
  }
  expect(tree.size).toBe(size)
  expect(entries.size, 'an entry is in the log twice').toBe(size)
  for (const [at, root] of seen) {
    if (at > 0) expect(Buffer.from(tree.root(at)).toString('hex'), `size ${at}`).toBe(root)
  }
}

describe('a service killed while it adds to the log', () => {
  it(
    'goes on with one history, without a gap or a second root',
    async () => {
      const dir = await temporaryDir()
      let running = await open(dir)
      const { service, token } = running
      await service.call('POST', '/v1/agents', { token, body: { agent_id: AGENT } })
      const policy = await readPolicy(running)
      const seen: Seen = new Map()
      for (let round = 0; round < kills(); round += 1) {
        const runMs = 100 + ((inject('seed') + round * 7919) % RUN_MS_MAX)
        const kill = round % 2 === 0 ? killService : killWithDatabase(dir)
        const { service } = running
        await runUntilKilled(running, seen, policy, () => kill(service), runMs)
        running = await open(dir)
      }
      await untilLogged(running)
      await expectOneHistory(running, seen, policy)
      expect(seen.size).toBeGreaterThan(1)
      expect(await running.service.end()).toBe(0)
    },
    Math.max(600_000, kills() * ROUND_MS_MAX),
  )
})
