import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { hexToBytes } from '@touchstone/protocol/base'
import { type Certificate, verifyCertificate } from '@touchstone/protocol/evidence'
import { createMerkleTree, leafHash } from '@touchstone/protocol/merkle'
import { describe, expect, it } from 'vitest'
import { CARD, MENTION, newCheckpointId, textOf, VIOLATION } from '#harness/checkpoints.ts'
import { type Service, startService, temporaryDir } from '#harness/process.ts'
import { sized } from '#harness/runs.ts'

const AGENTS = Array.from({ length: 5 }, (_, n) => `crash-agent-${n}`)
const BATCH_SIZE = 12
const CONNECTIONS = 6
const SAID = ['', MENTION, '', '', VIOLATION, '', '']

/** Every eleventh has too little to be analysed; agents of a batch overlap with those of others. */
const itemOf = (n: number) => ({
  agent_id: AGENTS[(Math.floor(n / BATCH_SIZE) + (n % 3)) % AGENTS.length] ?? '',
  checkpoint_id: newCheckpointId(),
  thinking: n % 11 === 10 ? `Short ${n}.` : textOf(n, SAID[n % SAID.length]),
  session_id: `s${n % 4}`,
})
type Batch = readonly ReturnType<typeof itemOf>[]

let made = 0
function newBatches(count: number): Batch[] {
  const batches = Array.from({ length: count }, (_, b) =>
    Array.from({ length: BATCH_SIZE }, (_item, i) => itemOf(made + b * BATCH_SIZE + i)),
  )
  made += count * BATCH_SIZE
  return batches
}

const idsOf = (batches: readonly Batch[]) => batches.flat().map((item) => item.checkpoint_id)

/** A running service, and what its database held when it started. */
type Line = { service: Service; token: string; stored: ReadonlySet<string> }

type Stored = {
  checkpoint_id: string
  verdict: string
  synthetic: boolean
  excluded_from_score: boolean
}

async function read(line: Pick<Line, 'service' | 'token'>, path: string) {
  const { status, body } = await line.service.call('GET', path, { token: line.token })
  expect(status).toBe(200)
  return body
}

async function listOf(line: Pick<Line, 'service' | 'token'>, agentId: string): Promise<Stored[]> {
  const found: Stored[] = []
  for (let page = 1; ; page += 1) {
    const path = `/v1/agents/${agentId}/checkpoints?per_page=100&page=${page}`
    const { checkpoints, total } = await read(line, path)
    found.push(...checkpoints)
    if (checkpoints.length === 0) {
      expect(total).toBe(found.length)
      return found
    }
  }
}

async function open(dir: string): Promise<Line> {
  const service = await startService({ DATA_DIR: dir })
  const { api_key: token } = JSON.parse(await readFile(join(dir, 'credentials.json'), 'utf8'))
  return { service, token, stored: new Set() }
}

async function reopen(dir: string): Promise<Line> {
  const line = await open(dir)
  const lists = await Promise.all(AGENTS.map((agentId) => listOf(line, agentId)))
  const ids = lists.flat().map((checkpoint) => checkpoint.checkpoint_id)
  expect(new Set(ids).size).toBe(ids.length)
  return { ...line, stored: new Set(ids) }
}

/** False when the answer never came, or was none. */
async function send({ service, token, stored }: Line, batch: Batch): Promise<boolean> {
  const call = { token, body: { checkpoints: batch } }
  const answer = await service.call('POST', '/v1/checkpoints/batch', call).catch(() => undefined)
  if (answer?.status !== 200) return false
  const told = batch.map(({ checkpoint_id: id }, index) => ({
    index,
    status: stored.has(id) ? 'duplicate' : 'created',
    checkpoint_id: id,
  }))
  expect(answer.body.results).toMatchObject(told)
  return true
}

/** Over several connections at once, each until it is cut off. Resolves with those answered. */
async function sendAll(
  line: Line,
  batches: readonly Batch[],
  onAnswer: (count: number) => void = () => undefined,
): Promise<Set<Batch>> {
  const answered = new Set<Batch>()
  const waiting = batches.values()
  const work = async () => {
    for (const batch of waiting) {
      if (!(await send(line, batch))) return
      answered.add(batch)
      onAnswer(answered.size)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, work))
  return answered
}

type Kill = (service: Service) => Promise<unknown>
/** Sends the batches, kills amid them, and tells which of them were answered. */
type Crash = (line: Line, batches: readonly Batch[], kill: Kill) => Promise<Set<Batch>>

const afterAnswers =
  (count: number): Crash =>
  async (line, batches, kill) => {
    let killed: Promise<unknown> | undefined
    const answered = await sendAll(line, batches, (heard) => {
      if (heard === count) killed = kill(line.service)
    })
    await killed
    return answered
  }

/** So many are stored, but nobody hears the answers: the sender does not know of any. */
const withAnswersLost =
  (count: number): Crash =>
  async (line, batches, kill) => {
    const storedNow = async () => {
      const figures = AGENTS.map((agentId) => read(line, `/v1/agents/${agentId}/integrity`))
      const totals = (await Promise.all(figures)).map((integrity) => integrity.total_checks)
      return totals.reduce((sum, total) => sum + total, 0)
    }
    const wanted = line.stored.size + count * BATCH_SIZE
    const sent = sendAll(line, batches)
    await expect.poll(storedNow, { timeout: 20_000, interval: 1 }).toBeGreaterThanOrEqual(wanted)
    await kill(line.service)
    await sent
    return new Set()
  }

const killService: Kill = (service) => service.end('SIGKILL')

/** The database and its children are in process groups of their own, so each is killed by name. */
const killWithDatabase =
  (dir: string): Kill =>
  async (service) => {
    const file = await readFile(join(dir, 'postgres', 'postmaster.pid'), 'utf8')
    const postmaster = Number(file.split('\n')[0])
    const children = await childrenOf(postmaster)
    expect(children).not.toEqual([])
    for (const pid of [postmaster, ...children]) killIfThere(pid)
    await service.end('SIGKILL')
  }

/** One of the children may have ended by itself since they were listed. */
function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (err) {
    if (!(err instanceof Error && 'code' in err && err.code === 'ESRCH')) throw err
  }
}

async function childrenOf(parent: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid='])
  const pairs = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number))
  return pairs.flatMap(([pid, ppid]) => (pid !== undefined && ppid === parent ? [pid] : []))
}

/** With nothing but the certificates and the published keys. */
async function certificatesOf(line: Line, checkpoints: readonly Stored[]): Promise<Certificate[]> {
  const { keys } = await read(line, '/v1/keys')
  const certificates: Certificate[] = []
  const waiting = checkpoints.values()
  const work = async () => {
    for (const { checkpoint_id: id } of waiting) {
      const certificate = await read(line, `/v1/checkpoints/${id}/certificate`)
      const outcome = verifyCertificate(certificate, keys)
      expect(outcome).toMatchObject({ wellFormed: true, verification: { valid: true } })
      expect(certificate.subject.checkpoint_id).toBe(id)
      certificates.push(certificate)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, work))
  return certificates.sort((a, b) => a.proofs.chain.position - b.proofs.chain.position)
}

async function expectWhole(line: Line, agentId: string): Promise<Stored[]> {
  const list = await listOf(line, agentId)
  const certificates = await certificatesOf(line, list)
  const chain = certificates.map((certificate) => certificate.proofs.chain)
  expect(chain.map((link) => link.position)).toEqual(chain.map((_, position) => position))
  const hashes = chain.map((link) => link.chain_hash)
  expect(chain.map((link) => link.prev_chain_hash)).toEqual([null, ...hashes.slice(0, -1)])

  const tree = createMerkleTree()
  const leaves = certificates.filter((certificate) => !certificate.claims.synthetic)
  for (const { proofs } of leaves) tree.append(leafHash(hexToBytes(proofs.chain.chain_hash)))
  const head = await read(line, `/v1/agents/${agentId}/merkle-root`)
  expect(head.leaf_count).toBe(leaves.length)
  expect(head.merkle_root).toBe(Buffer.from(tree.root()).toString('hex'))

  const scored = list.filter((one) => !one.synthetic && !one.excluded_from_score)
  const count = (verdict: string) => scored.filter((one) => one.verdict === verdict).length
  expect(await read(line, `/v1/agents/${agentId}/integrity`)).toMatchObject({
    total_checks: list.length,
    analyzed_checks: scored.length,
    clear_count: count('clear'),
    review_count: count('review_needed'),
    violation_count: count('boundary_violation'),
  })
  return list
}

describe('a service that is killed amid checkpoints', () => {
  it('keeps all it answered, each batch whole or not at all, and takes the rest again', async () => {
    const dir = await temporaryDir()
    const short: [Crash, Kill][] = [
      [afterAnswers(4), killService],
      [withAnswersLost(6), killWithDatabase(dir)],
    ]
    const full: [Crash, Kill][] = [
      [afterAnswers(1), killService],
      [withAnswersLost(1), killService],
      [afterAnswers(25), killService],
      [afterAnswers(4), killWithDatabase(dir)],
      [withAnswersLost(6), killWithDatabase(dir)],
      [afterAnswers(9), killService],
    ]
    let line = await open(dir)
    for (const agent_id of AGENTS) {
      const call = { token: line.token, body: { agent_id, card: CARD } }
      expect((await line.service.call('POST', '/v1/agents', call)).status).toBe(201)
    }
    const all: Batch[] = []
    const answered = new Set<Batch>()
    const unanswered = () => all.filter((batch) => !answered.has(batch))
    let unheard = 0
    for (const [crash, kill] of sized({ full, short })) {
      all.push(...newBatches(16))
      for (const batch of await crash(line, unanswered(), kill)) answered.add(batch)
      expect(unanswered()).not.toEqual([])
      line = await reopen(dir)
      const { stored } = line
      expect(idsOf([...answered]).filter((id) => !stored.has(id))).toEqual([])
      for (const batch of unanswered()) {
        const kept = idsOf([batch]).filter((id) => stored.has(id)).length
        expect([0, BATCH_SIZE]).toContain(kept)
        unheard += kept
      }
    }
    // Otherwise nothing was stored that its sender did not know of, and nothing would be repeated.
    expect(unheard).toBeGreaterThan(0)

    const rest = unanswered()
    expect(await sendAll(line, rest)).toEqual(new Set(rest))
    const lists = await Promise.all(AGENTS.map((agentId) => expectWhole(line, agentId)))
    const ids = lists.flat().map((checkpoint) => checkpoint.checkpoint_id)
    expect(ids.sort()).toEqual(idsOf(all).sort())
    expect(await line.service.end()).toBe(0)
  })
})
