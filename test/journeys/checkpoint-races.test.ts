import { hexToBytes } from '@touchstone/protocol/base'
import { chainHash, verifyCertificate } from '@touchstone/protocol/evidence'
import { createMerkleTree, leafHash } from '@touchstone/protocol/merkle'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  type ChainRow,
  checkpointWorld,
  MENTION,
  newCheckpointId,
  textOf,
  VIOLATION,
  type World,
} from '#harness/checkpoints.ts'

const BASE = Date.parse('2026-03-01T08:00:00.000Z')
/** Concurrent calls; each holds a database connection for part of the time. */
const CONCURRENCY = 24
const SUFFIXES = ['', MENTION, '', '', VIOLATION, '', '']

let w: World
let keys: { key_id: string; public_key: string }[]
beforeAll(async () => {
  w = await checkpointWorld()
  keys = (await w.t.call('GET', '/v1/keys')).body.keys
})

/** Every eleventh text is too short to be analysed; sessions and times vary. */
const itemOf = (agentId: string, n: number) => ({
  agent_id: agentId,
  checkpoint_id: newCheckpointId(),
  thinking: n % 11 === 10 ? `Short ${n}.` : textOf(n, SUFFIXES[n % SUFFIXES.length]),
  session_id: `s${n % 5}`,
  timestamp: new Date(BASE + n * 1009 + ((n * n) % 97) * 13).toISOString(),
})
type Item = ReturnType<typeof itemOf>

/** Sends half of the items one by one and half in batches, interleaved. */
function callsFor(items: readonly Item[]): (() => Promise<void>)[] {
  const half = items.length / 2
  const single = items.slice(0, half).map((item) => async () => {
    expect((await w.post(item.agent_id, item)).status).toBe(201)
  })
  const batches = Array.from({ length: half / 50 }, (_, i) => async () => {
    const given = items.slice(half + i * 50, half + (i + 1) * 50)
    expect((await w.batch(given)).body).toMatchObject({ accepted: 50, rejected: 0 })
  })
  const calls = [...single]
  for (const [i, batch] of batches.entries()) {
    calls.splice(Math.floor(((i + 0.5) * calls.length) / batches.length), 0, batch)
  }
  return calls
}

async function runAll(calls: readonly (() => Promise<void>)[]): Promise<void> {
  const waiting = calls.values()
  const work = async () => {
    for (const call of waiting) await call()
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
}

function expectGapless(chain: readonly ChainRow[]): void {
  let previous: string | null = null
  for (const [position, row] of chain.entries()) {
    const recordHash = row.record_hash.toString('hex')
    expect(row.position).toBe(position)
    expect(row.previous_hash?.toString('hex') ?? null).toBe(previous)
    previous = chainHash({ previous, position, recordHash })
    expect(row.chain_hash.toString('hex')).toBe(previous)
  }
}

async function expectTree(agentId: string, chain: readonly ChainRow[]): Promise<void> {
  const leaves = chain.filter((row) => row.synthetic_reason === null)
  expect(leaves.map((row) => row.leaf_index)).toEqual(leaves.map((_, index) => index))
  const tree = createMerkleTree()
  for (const row of leaves) tree.append(leafHash(hexToBytes(row.chain_hash.toString('hex'))))
  const { body } = await w.t.call('GET', `/v1/agents/${agentId}/merkle-root`)
  expect(body.leaf_count).toBe(leaves.length)
  expect(body.merkle_root).toBe(Buffer.from(tree.root()).toString('hex'))
}

async function expectCertificates(chain: readonly ChainRow[]): Promise<void> {
  const checks = chain.map((row) => async () => {
    const url = `/v1/checkpoints/${row.checkpoint_id}/certificate`
    const { body } = await w.t.call('GET', url)
    const outcome = verifyCertificate(body, keys)
    expect(outcome).toMatchObject({ wellFormed: true, verification: { valid: true } })
    expect(body.proofs.chain.chain_hash).toBe(row.chain_hash.toString('hex'))
  })
  await runAll(checks)
}

const scoredOf = (chain: readonly ChainRow[]) =>
  chain.filter((row) => row.synthetic_reason === null && !row.excluded)

/** Compares the stored counters with a recount of the checkpoints. */
async function expectCounts(agentId: string, chain: readonly ChainRow[]): Promise<void> {
  const scored = scoredOf(chain)
  const countOf = (rows: readonly ChainRow[], verdict: string) =>
    rows.filter((row) => row.verdict === verdict).length
  expect(await w.integrity(agentId)).toMatchObject({
    total_checks: chain.length,
    analyzed_checks: scored.length,
    clear_count: countOf(scored, 'clear'),
    review_count: countOf(scored, 'review_needed'),
    violation_count: countOf(scored, 'boundary_violation'),
    latest_verdict: scored.at(-1)?.verdict ?? null,
  })
  const sessions = await w.get(`/v1/agents/${agentId}/sessions`)
  expect(sessions.body.total).toBe(new Set(chain.map((row) => row.session_id)).size)
  for (const session of sessions.body.sessions) {
    const own = chain.filter((row) => row.session_id === session.session_id)
    const analysed = own.filter((row) => row.synthetic_reason === null)
    const sequence = scoredOf(own).map((row) => (row.verdict === 'clear' ? 'c' : 'x'))
    expect(session).toMatchObject({
      checkpoint_count: own.length,
      analyzed_count: analysed.length,
      verdicts: {
        clear: countOf(analysed, 'clear'),
        review_needed: countOf(analysed, 'review_needed'),
        boundary_violation: countOf(analysed, 'boundary_violation'),
      },
      stable: !sequence.join('').includes('xxx'),
    })
  }
}

async function expectConsistent(agentId: string, ids: readonly string[]): Promise<void> {
  const chain = await w.chainOf(agentId)
  expect(chain.map((row) => row.checkpoint_id).sort()).toEqual([...ids].sort())
  expectGapless(chain)
  await expectTree(agentId, chain)
  await expectCertificates(chain)
  await expectCounts(agentId, chain)
}

async function countEvents(agentIds: readonly string[]): Promise<number> {
  const found = await sql<{ count: number }>`select count(*) from event
    where type = 'integrity.checkpoint' and data ->> 'agent_id' = any(${agentIds})`.execute(
    w.t.app.kernel.db,
  )
  return found.rows[0]?.count ?? 0
}

describe('a thousand concurrent checkpoints', () => {
  it('of one agent form one chain without gaps and one tree', async () => {
    const agentId = await w.newAgent()
    const used = await w.checksUsed()
    const items = Array.from({ length: 1000 }, (_, n) => itemOf(agentId, n))
    await runAll(callsFor(items))
    await expectConsistent(
      agentId,
      items.map((item) => item.checkpoint_id),
    )
    expect(await countEvents([agentId])).toBe(1000)
    const analysed = items.filter(({ thinking }) => !thinking.startsWith('Short'))
    expect(await w.checksUsed()).toBe(used + analysed.length)
  })

  it('of a hundred agents form a hundred such chains', async () => {
    const agents = await Promise.all(Array.from({ length: 100 }, () => w.newAgent()))
    const items = Array.from({ length: 1000 }, (_, n) => itemOf(agents[(n * 37) % 100] ?? '', n))
    await runAll(callsFor(items))
    for (const agentId of agents) {
      const own = items.filter((item) => item.agent_id === agentId)
      expect(own).toHaveLength(10)
      await expectConsistent(
        agentId,
        own.map((item) => item.checkpoint_id),
      )
    }
    expect(await countEvents(agents)).toBe(1000)
  })
})
