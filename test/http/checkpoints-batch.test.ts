import { chainHash } from '@touchstone/protocol/evidence'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  checkpointWorld,
  MENTION,
  newCheckpointId,
  textOf,
  VIOLATION,
  type World,
} from '#harness/checkpoints.ts'

let w: World
beforeAll(async () => {
  w = await checkpointWorld()
})

const item = (agentId: string, n: number, changes: object = {}) => ({
  agent_id: agentId,
  thinking: textOf(n),
  ...changes,
})

/** Asserts that the chain is gapless, linked, and in the order of the ids. */
async function expectChain(agentId: string, ids: readonly string[]): Promise<void> {
  const chain = await w.chainOf(agentId)
  expect(chain.map((row) => row.checkpoint_id)).toEqual(ids)
  let previous: string | null = null
  for (const [position, row] of chain.entries()) {
    expect(row.position).toBe(position)
    expect(row.previous_hash?.toString('hex') ?? null).toBe(previous)
    const recordHash = row.record_hash.toString('hex')
    const hash = row.chain_hash.toString('hex')
    expect(hash).toBe(chainHash({ previous, position, recordHash }))
    previous = hash
  }
}

describe('a batch', () => {
  it('of fifty for several agents is stored in the given order', async () => {
    const agents = await Promise.all(Array.from({ length: 4 }, () => w.newAgent()))
    const said = ['', MENTION, '', VIOLATION, '']
    const verdicts = ['clear', 'review_needed', 'clear', 'boundary_violation', 'clear']
    const given = Array.from({ length: 50 }, (_, i) => ({
      agent_id: agents[(i * 7) % 4] ?? '',
      checkpoint_id: newCheckpointId(),
      // Every fifth one has too little evidence to be analysed.
      thinking: i % 5 === 4 ? `Short ${i}.` : textOf(i, said[i % 5]),
      timestamp: new Date(Date.parse('2026-03-01T11:00:00Z') + i * i * 37).toISOString(),
    }))
    const used = await w.checksUsed()
    const answer = await w.batch(given)
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({
      results: given.map(({ checkpoint_id }, index) => ({
        index,
        status: 'created',
        checkpoint_id,
        verdict: verdicts[index % 5],
      })),
      accepted: 50,
      duplicates: 0,
      rejected: 0,
    })
    for (const agentId of agents) {
      const own = given.filter((one) => one.agent_id === agentId)
      await expectChain(
        agentId,
        own.map((one) => one.checkpoint_id),
      )
    }
    // Every fifth is too short to be analysed, so it is not metered.
    expect(await w.checksUsed()).toBe(used + 40)
  })

  it('rejects the invalid checkpoints with a reason and stores the rest without a gap', async () => {
    const [one, two] = [await w.newAgent(), await w.newAgent()]
    const elsewhere = await w.newAgent({}, w.foreign)
    const archived = await w.newAgent()
    const owner = await w.t.ownerToken()
    await w.t.call('DELETE', `/v1/agents/${archived}`, { token: owner })
    const ids = Array.from({ length: 3 }, newCheckpointId)
    const stored = newCheckpointId()
    await w.post(two, { thinking: textOf(60), checkpoint_id: stored })
    const given: [object | string | null, string][] = [
      [item(one, 61, { checkpoint_id: ids[0] }), 'created'],
      ['not a checkpoint', 'invalid_request'],
      [{ thinking: textOf(62) }, 'invalid_request'],
      [item(one, 63, { verdict: 'clear' }), 'invalid_request'],
      [item(one, 64, { thinking: '' }), 'invalid_request'],
      [item(two, 65, { timestamp: '2030-01-01T00:00:00Z' }), 'invalid_request'],
      [item(two, 66, { checkpoint_id: ids[1] }), 'created'],
      [item('agent-unknown', 67), 'agent_not_found'],
      [item(elsewhere, 68), 'agent_not_found'],
      [item(archived, 69), 'conflict'],
      [item(one, 70, { checkpoint_id: 'ic-no' }), 'invalid_request'],
      [item(two, 60, { checkpoint_id: stored }), 'duplicate'],
      [item(two, 71, { checkpoint_id: stored }), 'conflict'],
      [item(one, 72, { dry_run: true }), 'invalid_request'],
      [null, 'invalid_request'],
      [item(one, 73, { checkpoint_id: ids[2] }), 'created'],
    ]
    const { status, body } = await w.batch(given.map(([sent]) => sent))
    expect(status).toBe(200)
    expect(body).toMatchObject({ accepted: 3, duplicates: 1, rejected: 12 })
    for (const [index, [, expected]] of given.entries()) {
      const result = body.results[index]
      expect(result.index).toBe(index)
      if (expected === 'created' || expected === 'duplicate') {
        expect(result).toMatchObject({ status: expected, verdict: 'clear' })
      } else {
        expect(result, JSON.stringify(given[index])).toEqual({
          index,
          status: 'rejected',
          error: expected,
          message: expect.any(String),
        })
      }
    }
    await expectChain(one, [ids[0] ?? '', ids[2] ?? ''])
    await expectChain(two, [stored, ids[1] ?? ''])
    expect(await w.chainOf(archived)).toEqual([])
  })

  it('that repeats an id stores the first, and returns or rejects the second', async () => {
    const [one, two] = [await w.newAgent(), await w.newAgent()]
    const [same, other] = [newCheckpointId(), newCheckpointId()]
    const { body } = await w.batch([
      item(one, 80, { checkpoint_id: same }),
      item(one, 80, { checkpoint_id: same }),
      item(one, 81, { checkpoint_id: same }),
      item(one, 82, { checkpoint_id: other }),
      item(two, 82, { checkpoint_id: other }),
    ])
    expect(body.results.map((one: { status: string }) => one.status)).toEqual([
      'created',
      'duplicate',
      'rejected',
      'created',
      'rejected',
    ])
    expect(body.results[2].error).toBe('conflict')
    expect(body.results[4].error).toBe('conflict')
    await expectChain(one, [same, other])
    expect(await w.chainOf(two)).toEqual([])
  })

  it('sent twice stores nothing more', async () => {
    const agentId = await w.newAgent()
    const given = Array.from({ length: 5 }, (_, n) =>
      item(agentId, 90 + n, { checkpoint_id: newCheckpointId() }),
    )
    await w.batch(given)
    const again = await w.batch(given)
    expect(again.body).toMatchObject({ accepted: 0, duplicates: 5, rejected: 0 })
    expect(await w.chainOf(agentId)).toHaveLength(5)
  })

  it('leaves no gap if a concurrent batch takes some of its ids', async () => {
    const [one, two] = [await w.newAgent(), await w.newAgent()]
    const shared = Array.from({ length: 6 }, newCheckpointId)
    const given = (agentId: string, order: readonly string[]) =>
      order.map((checkpoint_id, n) => item(agentId, 100 + n, { checkpoint_id }))
    const answers = await Promise.all([
      w.batch(given(one, shared)),
      w.batch(given(two, shared.toReversed())),
    ])
    expect(answers.map((answer) => answer.status)).toEqual([200, 200])
    const accepted = answers.map((answer) => answer.body.accepted)
    const chains = [await w.chainOf(one), await w.chainOf(two)]
    expect(chains.map((chain) => chain.length)).toEqual(accepted)
    expect(chains.flat()).toHaveLength(6)
  })

  it('takes 1 to 50 checkpoints, and answers 400 otherwise', async () => {
    const agentId = await w.newAgent()
    const given = Array.from({ length: 51 }, (_, n) => item(agentId, 200 + n))
    for (const wrong of [given, [], {}, undefined]) {
      expect(await w.batch(wrong)).toMatchObject({
        status: 400,
        body: { error: 'invalid_request' },
      })
    }
    expect(await w.chainOf(agentId)).toEqual([])
  })

  it('with only invalid checkpoints is still answered', async () => {
    const { status, body } = await w.batch([{}, item('agent-unknown', 1)])
    expect(status).toBe(200)
    expect(body).toMatchObject({ accepted: 0, duplicates: 0, rejected: 2 })
  })

  it('answers 413 beyond 5 MiB, and 401 without a credential', async () => {
    const padding = 'x'.repeat(5 * 1024 * 1024)
    const big = await w.t.call('POST', '/v1/checkpoints/batch', {
      token: w.key,
      body: { checkpoints: [], padding },
    })
    expect(big.status).toBe(413)
    const anonymous = await w.t.call('POST', '/v1/checkpoints/batch', { body: {} })
    expect(anonymous.status).toBe(401)
  })

  it('applies the effect of each checkpoint before judging the next', async () => {
    const agentId = await w.newAgent()
    const said = [MENTION, VIOLATION, MENTION, '', '', '']
    const ids = said.map(newCheckpointId)
    const given = said.map((one, n) => ({
      agent_id: agentId,
      checkpoint_id: ids[n],
      session_id: 's1',
      thinking: textOf(300 + n, one),
    }))
    await w.batch(given)
    for (const [n, id] of ids.entries()) {
      const { body } = await w.get(`/v1/checkpoints/${id}`)
      expect(body.window_position).toEqual({ index: n, window_size: n + 1 })
    }
    const drift = await w.get(`/v1/agents/${agentId}/drift`)
    expect(drift.body.alerts).toMatchObject([
      { status: 'resolved', resolution: 'recovered', checkpoint_ids: ids.slice(0, 3) },
    ])
  })

  it('may mix the sessions of an agent: each has its own window, and all count for the agent', async () => {
    const agentId = await w.newAgent()
    const sessions = ['s1', 's2', 's1', 's1', 's2', 's3', 's2', 's1']
    const ids = sessions.map(newCheckpointId)
    await w.batch(
      sessions.map((session_id, n) => ({
        ...item(agentId, 400 + n, { checkpoint_id: ids[n] }),
        session_id,
        thinking: textOf(400 + n, session_id === 's2' ? MENTION : ''),
      })),
    )
    const read = await Promise.all(ids.map((id) => w.get(`/v1/checkpoints/${id}`)))
    const sizes = read.map(({ body }) => body.window_position.window_size)
    expect(sizes).toEqual([1, 1, 2, 3, 2, 1, 3, 4])
    expect(await w.integrity(agentId)).toMatchObject({
      total_checks: 8,
      analyzed_checks: 8,
      clear_count: 5,
      review_count: 3,
    })
    // Later windows contain the stored checkpoints.
    const next = { thinking: textOf(410), session_id: 's2' }
    const { body } = await w.post(agentId, next)
    expect(body.window_summary).toMatchObject({
      size: 4,
      verdicts: { clear: 1, review_needed: 3, boundary_violation: 0 },
      drift_alert_active: true,
    })
  })
})

describe('the limit of 600 checkpoints a minute per agent across all credentials', () => {
  it('rejects the excess of a batch, while duplicates and other agents pass', async () => {
    const limited = await checkpointWorld({ RATE_LIMITS: 'on' })
    const [busy, other] = [await limited.newAgent(), await limited.newAgent()]
    const owner = await limited.t.ownerToken()
    const created = await limited.t.call('POST', '/v1/api-keys', { token: owner, body: {} })
    const tokens = [limited.key, created.body.key]
    const short = (agentId: string, n: number, changes: object = {}) => ({
      agent_id: agentId,
      thinking: `Short ${n}.`,
      ...changes,
    })
    const known = newCheckpointId()
    for (let n = 0; n < 11; n += 1) {
      const given = Array.from({ length: 50 }, (_, i) => short(busy, n * 50 + i))
      const { body } = await limited.batch(given, tokens[n % 2])
      expect(body.accepted).toBe(50)
    }
    const single = { thinking: 'Once more.', checkpoint_id: known }
    expect((await limited.post(busy, single)).status).toBe(201)
    const last = Array.from({ length: 50 }, (_, i) => short(busy, 600 + i))
    const mixed = [...last, short(other, 1)].slice(1)
    const { body } = await limited.batch(mixed, tokens[1])
    expect(body).toMatchObject({ accepted: 50, rejected: 0 })
    const beyond = await limited.batch([
      short(busy, 700),
      short(other, 2),
      { agent_id: busy, ...single },
    ])
    expect(beyond.body.results).toMatchObject([
      { status: 'rejected', error: 'rate_limited' },
      { status: 'created' },
      { status: 'duplicate' },
    ])
    const refused = await limited.post(busy, { thinking: 'Too much.' }, tokens[1])
    expect(refused).toMatchObject({ status: 429, body: { error: 'rate_limited' } })
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    limited.t.clock.advance(60_000)
    expect((await limited.post(busy, { thinking: 'Again.' })).status).toBe(201)
    expect(await limited.chainOf(busy)).toHaveLength(601)
  })
})
