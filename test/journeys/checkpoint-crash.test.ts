import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hexToBytes } from '@touchstone/protocol/base'
import { type Certificate, verifyCertificate } from '@touchstone/protocol/evidence'
import { createMerkleTree, leafHash } from '@touchstone/protocol/merkle'
import { describe, expect, inject, it } from 'vitest'
import { CARD, MENTION, newCheckpointId, textOf, VIOLATION } from '#harness/checkpoints.ts'
import { type Kill, killService, killWithDatabase } from '#harness/kill.ts'
import { type Service, startService } from '#harness/process.ts'
import { fullOrShort } from '#harness/runs.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'

const AGENTS = Array.from({ length: 5 }, (_, n) => `crash-agent-${n}`)
const BATCH_SIZE = 12
const CONNECTIONS = 6
const SUFFIXES = ['', MENTION, '', '', VIOLATION, '', '']

/** Every eleventh text is too short to be analysed. Batches share agents with other batches. */
const itemOf = (n: number) => ({
  agent_id: AGENTS[(Math.floor(n / BATCH_SIZE) + (n % 3)) % AGENTS.length] ?? '',
  checkpoint_id: newCheckpointId(),
  thinking: n % 11 === 10 ? `Short ${n}.` : textOf(n, SUFFIXES[n % SUFFIXES.length]),
  session_id: `s${n % 4}`,
})
type Batch = readonly ReturnType<typeof itemOf>[]

let itemCount = 0
function newBatches(count: number): Batch[] {
  const batches = Array.from({ length: count }, (_, b) =>
    Array.from({ length: BATCH_SIZE }, (_item, i) => itemOf(itemCount + b * BATCH_SIZE + i)),
  )
  itemCount += count * BATCH_SIZE
  return batches
}

const idsOf = (batches: readonly Batch[]) => batches.flat().map((item) => item.checkpoint_id)

/** A running service, with the ids of the checkpoints its database held when it started. */
type Running = { service: Service; token: string; stored: ReadonlySet<string> }

type Stored = {
  checkpoint_id: string
  verdict: string
  synthetic: boolean
  excluded_from_score: boolean
}

async function read(running: Pick<Running, 'service' | 'token'>, path: string) {
  const { status, body } = await running.service.call('GET', path, { token: running.token })
  expect(status).toBe(200)
  return body
}

async function listOf(
  running: Pick<Running, 'service' | 'token'>,
  agentId: string,
): Promise<Stored[]> {
  const found: Stored[] = []
  for (let page = 1; ; page += 1) {
    const path = `/v1/agents/${agentId}/checkpoints?per_page=100&page=${page}`
    const { checkpoints, total } = await read(running, path)
    found.push(...checkpoints)
    if (checkpoints.length === 0) {
      expect(total).toBe(found.length)
      return found
    }
  }
}

async function open(dir: string): Promise<Running> {
  const service = await startService({ DATA_DIR: dir })
  const { api_key: token } = JSON.parse(await readFile(join(dir, 'credentials.json'), 'utf8'))
  return { service, token, stored: new Set() }
}

async function reopen(dir: string): Promise<Running> {
  const running = await open(dir)
  const lists = await Promise.all(AGENTS.map((agentId) => listOf(running, agentId)))
  const ids = lists.flat().map((checkpoint) => checkpoint.checkpoint_id)
  expect(new Set(ids).size).toBe(ids.length)
  return { ...running, stored: new Set(ids) }
}

/** Sends one batch. Returns false if there was no response, or not 200. */
async function send({ service, token, stored }: Running, batch: Batch): Promise<boolean> {
  const call = { token, body: { checkpoints: batch } }
  const answer = await service.call('POST', '/v1/checkpoints/batch', call).catch(() => undefined)
  if (answer?.status !== 200) return false
  const expected = batch.map(({ checkpoint_id: id }, index) => ({
    index,
    status: stored.has(id) ? 'duplicate' : 'created',
    checkpoint_id: id,
  }))
  expect(answer.body.results).toMatchObject(expected)
  return true
}

/**
 * Sends the batches over several connections, each until it is cut off. Returns the batches that
 * were answered.
 */
async function sendAll(
  running: Running,
  batches: readonly Batch[],
  onAnswer: (count: number) => void = () => undefined,
): Promise<Set<Batch>> {
  const answered = new Set<Batch>()
  const waiting = batches.values()
  const work = async () => {
    for (const batch of waiting) {
      if (!(await send(running, batch))) return
      answered.add(batch)
      onAnswer(answered.size)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, work))
  return answered
}

/** Sends the batches, kills the service while they are sent, and returns those answered. */
type Crash = (running: Running, batches: readonly Batch[], kill: Kill) => Promise<Set<Batch>>

const afterAnswers =
  (count: number): Crash =>
  async (running, batches, kill) => {
    let killed: Promise<unknown> | undefined
    const answered = await sendAll(running, batches, (answers) => {
      if (answers === count) killed = kill(running.service)
    })
    await killed
    return answered
  }

/**
 * Kills once this many batches are stored. Reports only the first `kept` answers, as if the others were
 * lost.
 */
const withAnswersLost =
  (count: number, kept = 0): Crash =>
  async (running, batches, kill) => {
    const storedNow = async () => {
      const figures = AGENTS.map((agentId) => read(running, `/v1/agents/${agentId}/integrity`))
      const totals = (await Promise.all(figures)).map((integrity) => integrity.total_checks)
      return totals.reduce((sum, total) => sum + total, 0)
    }
    const wanted = running.stored.size + count * BATCH_SIZE
    const sent = sendAll(running, batches)
    await expect.poll(storedNow, { timeout: 120_000, interval: 1 }).toBeGreaterThanOrEqual(wanted)
    await kill(running.service)
    return new Set([...(await sent)].slice(0, kept))
  }

/** Fetches the certificates and verifies them with nothing but the published keys. */
async function verifiedCertificates(
  running: Running,
  checkpoints: readonly Stored[],
): Promise<Certificate[]> {
  const { keys } = await read(running, '/v1/keys')
  const certificates: Certificate[] = []
  const waiting = checkpoints.values()
  const work = async () => {
    for (const { checkpoint_id: id } of waiting) {
      const certificate = await read(running, `/v1/checkpoints/${id}/certificate`)
      const outcome = verifyCertificate(certificate, keys)
      expect(outcome).toMatchObject({ wellFormed: true, verification: { valid: true } })
      expect(certificate.subject.checkpoint_id).toBe(id)
      certificates.push(certificate)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, work))
  return certificates.sort((a, b) => a.proofs.chain.position - b.proofs.chain.position)
}

async function expectConsistent(running: Running, agentId: string): Promise<Stored[]> {
  const list = await listOf(running, agentId)
  const certificates = await verifiedCertificates(running, list)
  const chain = certificates.map((certificate) => certificate.proofs.chain)
  expect(chain.map((link) => link.position)).toEqual(chain.map((_, position) => position))
  const hashes = chain.map((link) => link.chain_hash)
  expect(chain.map((link) => link.prev_chain_hash)).toEqual([null, ...hashes.slice(0, -1)])

  const tree = createMerkleTree()
  const leaves = certificates.filter((certificate) => !certificate.claims.synthetic)
  for (const { proofs } of leaves) tree.append(leafHash(hexToBytes(proofs.chain.chain_hash)))
  const head = await read(running, `/v1/agents/${agentId}/merkle-root`)
  expect(head.leaf_count).toBe(leaves.length)
  expect(head.merkle_root).toBe(Buffer.from(tree.root()).toString('hex'))

  const scored = list.filter((stored) => !stored.synthetic && !stored.excluded_from_score)
  const count = (verdict: string) => scored.filter((stored) => stored.verdict === verdict).length
  expect(await read(running, `/v1/agents/${agentId}/integrity`)).toMatchObject({
    total_checks: list.length,
    analyzed_checks: scored.length,
    clear_count: count('clear'),
    review_count: count('review_needed'),
    violation_count: count('boundary_violation'),
  })
  return list
}

describe('a service killed while it receives checkpoints', () => {
  it('keeps every answered batch, stores batches atomically, and accepts retries', async () => {
    const dir = await temporaryDir()
    const kinds = [killService, killWithDatabase(dir)]
    // At most six of the ten stored batches, one per connection, are not answered yet.
    const short = [[withAnswersLost(10, 2), kinds[inject('seed') % 2] ?? killService]] as const
    const full: readonly (readonly [Crash, Kill])[] = [
      [afterAnswers(1), killService],
      [withAnswersLost(1), killService],
      [afterAnswers(25), killService],
      [afterAnswers(4), killWithDatabase(dir)],
      [withAnswersLost(6), killWithDatabase(dir)],
      [afterAnswers(9), killService],
    ]
    let running = await open(dir)
    for (const agent_id of AGENTS) {
      const call = { token: running.token, body: { agent_id, card: CARD } }
      expect((await running.service.call('POST', '/v1/agents', call)).status).toBe(201)
    }
    const all: Batch[] = []
    const answered = new Set<Batch>()
    const unanswered = () => all.filter((batch) => !answered.has(batch))
    let storedUnanswered = 0
    for (const [crash, kill] of fullOrShort<typeof full>({ full, short })) {
      all.push(...newBatches(16))
      for (const batch of await crash(running, unanswered(), kill)) answered.add(batch)
      expect(unanswered()).not.toEqual([])
      running = await reopen(dir)
      const { stored } = running
      expect(idsOf([...answered]).filter((id) => !stored.has(id))).toEqual([])
      for (const batch of unanswered()) {
        const kept = idsOf([batch]).filter((id) => stored.has(id)).length
        expect([0, BATCH_SIZE]).toContain(kept)
        storedUnanswered += kept
      }
    }
    // Otherwise no batch was stored without an answer, and no retry would send a duplicate.
    expect(storedUnanswered).toBeGreaterThan(0)

    const rest = unanswered()
    expect(await sendAll(running, rest)).toEqual(new Set(rest))
    const lists = await Promise.all(AGENTS.map((agentId) => expectConsistent(running, agentId)))
    const ids = lists.flat().map((checkpoint) => checkpoint.checkpoint_id)
    expect(ids.sort()).toEqual(idsOf(all).sort())
    expect(await running.service.end()).toBe(0)
  })
})
