import { verifyAnchorProof } from '@touchstone/protocol/chain'
import { sql } from 'kysely'
import { createPublicClient, http } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { EXAMPLE_A, EXAMPLE_B, EXAMPLE_C, type ScoreWorld, scoreWorld } from '#harness/scores.ts'

const HOUR_MS = 3_600_000

let w: ScoreWorld
let agent: string
let score: { score: number; grade: string }

const root = (n: number) => `0x${n.toString(16).padStart(64, '0')}`

const anchor = (body: unknown, token: string | undefined = w.key) =>
  w.t.call('POST', '/v1/on-chain/anchor-root', { token, body })
const publish = (publications: unknown, token: string | undefined = w.key) =>
  w.t.call('POST', '/v1/on-chain/publish-scores', { token, body: { publications } })
const status = (agentId: string, token = w.key) => w.get(`/v1/on-chain/status/${agentId}`, token)
const verify = (agentId: string, token = w.key) =>
  w.get(`/v1/on-chain/verify-proof/${agentId}`, token)
const history = (query = '', token = w.key) => w.get(`/v1/on-chain/history${query}`, token)

/** An agent with evidence and a computed score. */
async function ratedAgent(evidence = EXAMPLE_A, changes: object = {}) {
  const agentId = await w.agentWith(evidence, changes)
  await w.recompute(agentId)
  const { body } = await w.score(agentId, { token: w.key })
  return { agentId, score: { score: body.score as number, grade: body.grade as string } }
}

beforeAll(async () => {
  w = await scoreWorld()
  ;({ agentId: agent, score } = await ratedAgent())
})

describe('GET /v1/on-chain/contracts', () => {
  it('shows anybody the contract addresses, and starts the development chain', async () => {
    const { status, body } = await w.t.call('GET', '/v1/on-chain/contracts')
    const address = expect.stringMatching(/^0x[0-9a-f]{40}$/)
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        chain: 'base',
        chain_id: 31_337,
        mode: 'embedded',
        merkle_anchor: address,
        reputation_registry: address,
        relayer: address,
      },
    })
  })
})

describe('POST /v1/on-chain/anchor-root', () => {
  it('anchors a root and answers once the transaction is mined', async () => {
    const { status, body } = await anchor({
      merkle_root: root(0xabcd).toUpperCase().replace('0X', '0x'),
      leaf_count: 347,
      tree_depth: 9,
    })
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        anchor_id: expect.stringMatching(/^anc-/),
        merkle_root: root(0xabcd),
        leaf_count: 347,
        tree_depth: 9,
        tx_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        block_number: expect.any(Number),
        gas_used: expect.any(Number),
        chain: 'base',
        anchored_at: expect.any(String),
      },
    })
    expect(body.gas_used).toBeLessThanOrEqual(100_000)
  })

  it('anchors a root once, whoever requests it', async () => {
    const again = { merkle_root: root(0xabcd), leaf_count: 1, tree_depth: 0 }
    for (const token of [w.key, w.foreign]) {
      expect(await anchor(again, token)).toMatchObject({
        status: 409,
        body: { error: 'already_anchored' },
      })
    }
  })

  it('sends one transaction for concurrent requests', async () => {
    const body = { merkle_root: root(0xbeef), leaf_count: 3, tree_depth: 2 }
    const answers = await Promise.all([1, 2, 3, 4].map(() => anchor(body)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
  })

  it('refuses invalid roots, counts and depths', async () => {
    const good = { merkle_root: root(1), leaf_count: 3, tree_depth: 2 }
    for (const change of [
      { merkle_root: root(0) },
      { merkle_root: 'ab'.repeat(32) },
      { merkle_root: `0x${'ab'.repeat(31)}` },
      { merkle_root: `0x${'zz'.repeat(32)}` },
      { merkle_root: 5 },
      { leaf_count: 0 },
      { leaf_count: -1 },
      { leaf_count: 1.5 },
      { leaf_count: 2 ** 32 },
      { leaf_count: undefined },
      { tree_depth: 1 },
      { tree_depth: 33 },
      { tree_depth: -1 },
      { leaf_count: 1025, tree_depth: 10 },
    ]) {
      expect(await anchor({ ...good, ...change }), JSON.stringify(change)).toMatchObject({
        status: 400,
        body: { error: 'invalid_request' },
      })
    }
  })

  it('requires a credential with the right role and scope', async () => {
    const body = { merkle_root: root(1), leaf_count: 1, tree_depth: 0 }
    expect(await w.t.call('POST', '/v1/on-chain/anchor-root', { body })).toMatchObject({
      status: 401,
    })
    const { token } = await w.t.newUser('chain-member@example.com', {
      orgId: w.org,
      role: 'member',
    })
    expect(await anchor(body, token)).toMatchObject({ status: 403 })
  })
})

describe('POST /v1/on-chain/publish-scores', () => {
  it('publishes current scores in one transaction', async () => {
    const other = await ratedAgent(EXAMPLE_C)
    const answer = await publish([
      { agent_id: agent, ...score },
      { agent_id: other.agentId, ...other.score },
    ])
    expect(answer).toMatchObject({
      status: 200,
      body: {
        publication_id: expect.stringMatching(/^pub-/),
        tx_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        agent_count: 2,
      },
    })
    expect(await verify(other.agentId)).toMatchObject({ status: 200, body: { verified: true } })
  })

  it('counts a repeated score as a new publication', async () => {
    const first = await publish([{ agent_id: agent, ...score }])
    const second = await publish([{ agent_id: agent, ...score }])
    expect(second.status).toBe(200)
    expect(second.body.tx_hash).not.toBe(first.body.tx_hash)
  })

  it('publishes a superseded score for 24 hours, and refuses it afterwards', async () => {
    const { agentId, score: before } = await ratedAgent(EXAMPLE_B)
    await w.seed(agentId, EXAMPLE_C)
    w.t.clock.advance(23 * HOUR_MS)
    await w.recompute(agentId)
    expect((await publish([{ agent_id: agentId, ...before }])).status).toBe(200)
    expect(await verify(agentId)).toMatchObject({ body: { verified: false } })
    w.t.clock.advance(2 * HOUR_MS)
    expect(await publish([{ agent_id: agentId, ...before }])).toMatchObject({
      status: 422,
      body: { error: 'score_mismatch' },
    })
  })

  it('refuses anything but a list of 1 to 200 valid entries', async () => {
    const one = { agent_id: agent, ...score }
    const many = Array.from({ length: 201 }, (_, n) => ({ ...one, agent_id: `many-${n}` }))
    for (const [what, publications] of Object.entries({
      missing: undefined,
      empty: [],
      many,
      'no list': 'x',
      'no agent': [{ ...one, agent_id: undefined }],
      'a score below': [{ ...one, score: -1 }],
      'a score above': [{ ...one, score: 1000.1 }],
      'a text as score': [{ ...one, score: '700' }],
      'an unknown grade': [{ ...one, grade: 'NR' }],
      'a grade that does not fit': [{ ...one, grade: 'CCC' }],
      'an agent twice': [one, one],
    })) {
      expect(await publish(publications), what).toMatchObject({
        status: 400,
        body: { error: 'invalid_request' },
      })
    }
  })

  it('is 404 for agents of others and for unknown ones', async () => {
    const one = { agent_id: agent, ...score }
    for (const publications of [[one, { ...one, agent_id: 'nobody' }], [one]]) {
      const token = publications.length === 1 ? w.foreign : w.key
      expect(await publish(publications, token)).toMatchObject({
        status: 404,
        body: { error: 'not_found' },
      })
    }
  })

  it('publishes nothing for an agent below 50 checkpoints', async () => {
    const agentId = await w.agentWith({ clear: 49 })
    await w.recompute(agentId)
    expect(await publish([{ agent_id: agentId, score: 700, grade: 'A' }])).toMatchObject({
      status: 422,
      body: { error: 'ineligible_agent' },
    })
  })

  it('publishes no score that was never computed', async () => {
    const off = score.score === 1000 ? 999 : score.score + 1
    const grade = (await publish([{ agent_id: agent, score: off, grade: score.grade }])).body
    expect(grade).toMatchObject({ error: 'score_mismatch' })
  })
})

describe('GET /v1/on-chain/verify-proof', () => {
  it('shows the published score with its metadata, verified while it is current', async () => {
    await publish([{ agent_id: agent, ...score }])
    const { status, body } = await verify(agent)
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        agent_id: agent,
        on_chain_score: score.score,
        grade: score.grade,
        metadata_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        metadata: {
          schema: 'touchstone.publication/2',
          agent_id: agent,
          score: score.score,
          assurance: 0,
          methodology: '2',
        },
        assurance: 0,
        verified: true,
      },
    })
  })

  it('shows the latest publication on the chain, regardless of the order of requests', async () => {
    const { agentId, score: own } = await ratedAgent()
    const first = (await publish([{ agent_id: agentId, ...own }])).body
    const second = (await publish([{ agent_id: agentId, ...own }])).body
    expect((await verify(agentId)).body.tx_hash).toBe(second.tx_hash)
    await sql`update publication set block_number = ${second.block_number}, tx_index = 1
      where publication_id = ${first.publication_id}`.execute(w.t.app.kernel.db)
    expect((await verify(agentId)).body.tx_hash).toBe(first.tx_hash)
    await sql`update publication set block_number = ${first.block_number}, tx_index = 0
      where publication_id = ${first.publication_id}`.execute(w.t.app.kernel.db)
  })

  it('is public for a public agent, and hidden for a private one', async () => {
    expect(await verify(agent, w.foreign)).toMatchObject({ status: 200 })
    const { agentId, score: own } = await ratedAgent(EXAMPLE_A, { visibility: 'private' })
    await publish([{ agent_id: agentId, ...own }])
    expect(await verify(agentId)).toMatchObject({ status: 200 })
    for (const read of [verify, status]) {
      expect(await read(agentId, w.foreign)).toMatchObject({
        status: 404,
        body: { error: 'not_found' },
      })
    }
  })

  it('is 404 without a publication', async () => {
    const { agentId } = await ratedAgent()
    expect(await verify(agentId)).toMatchObject({ status: 404, body: { error: 'not_found' } })
    expect(await verify('nobody')).toMatchObject({ status: 404, body: { error: 'not_found' } })
  })
})

describe('GET /v1/on-chain/status', () => {
  it('reports that nothing is anchored yet', async () => {
    const { agentId } = await ratedAgent()
    expect(await status(agentId)).toMatchObject({
      status: 200,
      body: {
        agent_id: agentId,
        has_on_chain_score: false,
        latest_score: null,
        latest_anchor: null,
        last_updated: null,
      },
    })
    expect(await status('nobody')).toMatchObject({ status: 404 })
  })

  it('reports the published score with its assurance level', async () => {
    const { agentId, score: published } = await ratedAgent()
    await publish([{ agent_id: agentId, ...published }])
    const { assurance } = (await w.score(agentId)).body
    expect((await status(agentId)).body).toMatchObject({
      has_on_chain_score: true,
      latest_score: { ...published, assurance: assurance.level },
    })
  })

  it("finds a manual anchor of a root that the agent's tree has had", async () => {
    const agentId = await w.newAgent()
    await w.sendCheckpoints(agentId, 3)
    const before = (await w.get(`/v1/agents/${agentId}/merkle-root`)).body
    await w.sendCheckpoints(agentId, 2)
    const wanted = {
      merkle_root: before.onchain_root,
      leaf_count: before.leaf_count,
      tree_depth: before.tree_depth,
    }
    const created = await anchor(wanted, w.foreign)
    expect(created.status).toBe(200)
    await anchor({ merkle_root: root(0x77), leaf_count: 4, tree_depth: 2 })
    expect((await status(agentId)).body.latest_anchor).toMatchObject({
      merkle_root: before.onchain_root,
      block_number: created.body.block_number,
    })
    w.t.clock.advance(HOUR_MS)
    expect((await status(agentId)).body.latest_anchor.merkle_root).toBe(before.onchain_root)
    expect((await status(agentId)).body.latest_anchor.merkle_root).toBe(before.onchain_root)
  })
})

describe('manual anchors of an agent', () => {
  const change = (query: ReturnType<typeof sql>) => query.execute(w.t.app.kernel.db)
  const latest = async (agentId: string) => (await status(agentId)).body.latest_anchor
  const anchorTree = async (agentId: string): Promise<string> => {
    const { body } = await w.get(`/v1/agents/${agentId}/merkle-root`)
    const { leaf_count, tree_depth, onchain_root: merkle_root } = body
    expect((await anchor({ merkle_root, leaf_count, tree_depth })).status).toBe(200)
    return merkle_root
  }

  it('count once they are mined, and do not hide an older one before that', async () => {
    const agentId = await w.newAgent()
    await w.sendCheckpoints(agentId, 2)
    const older = await anchorTree(agentId)
    await w.sendCheckpoints(agentId, 1)
    const newer = await anchorTree(agentId)
    const bytes = Buffer.from(newer.slice(2), 'hex')
    const { block_number: block } = await latest(agentId)
    await change(sql`update anchor set block_number = null where merkle_root = ${bytes}`)
    w.t.clock.advance(HOUR_MS)
    expect(await latest(agentId)).toMatchObject({ merkle_root: older })
    expect(await latest(agentId)).toMatchObject({ merkle_root: older })
    await change(sql`update anchor set block_number = ${block} where merkle_root = ${bytes}`)
    expect(await latest(agentId)).toMatchObject({ merkle_root: newer })
  })

  it('are searched in batches if there are many', async () => {
    await change(sql`insert into anchor (anchor_id, chain_id, contract, kind, merkle_root,
        leaf_count, tree_depth, tx_hash, block_number, gas_used, anchored_at, created_at)
      select 'anc-many-' || n, 31337, '0x', 'manual', sha256(n::text::bytea), 1, 0, '0x', 1, 1,
        ${w.t.clock.now()}, ${w.t.clock.now()} from generate_series(1, 2000) n`)
    const agentId = await w.newAgent()
    await w.sendCheckpoints(agentId, 1)
    const own = await anchorTree(agentId)
    w.t.clock.advance(HOUR_MS)
    expect(await latest(agentId)).toBeNull()
    expect(await latest(agentId)).toMatchObject({ merkle_root: own })
    await change(sql`delete from anchor where anchor_id like 'anc-many-%'`)
  })
})

describe('the automatic anchor', () => {
  const sixHours = async () => {
    w.t.clock.advance(6 * HOUR_MS)
    await w.t.app.kernel.schedules.fireDue()
    await w.t.settle()
  }

  it('covers every agent with a checkpoint, each with a proof that anybody can verify', async () => {
    await sixHours()
    const { latest_anchor: latest } = (await status(agent)).body
    const url = `/v1/on-chain/anchors/${latest.anchor_id}/proof/${agent}`
    const { body } = await w.get(url)
    expect(body).toMatchObject({
      anchor_id: latest.anchor_id,
      merkle_root: latest.merkle_root,
      agent_id: agent,
    })
    expect(verifyAnchorProof(body)).toMatchObject({ agentId: agent, checkpointCount: 120 })
    expect(verifyAnchorProof({ ...body, agent_id: 'another' })).toBeUndefined()
  })

  it('appears in the history of the organisations whose agents it covers', async () => {
    const own = (await history()).body
    expect(own.anchors[0]).toMatchObject({ tree_depth: expect.any(Number) })
    const foreign = (await history('', w.foreign)).body
    expect(foreign.anchors.map((one: { anchor_id: string }) => one.anchor_id)).not.toContain(
      own.anchors[0].anchor_id,
    )
  })

  it('is skipped if no checkpoint was added', async () => {
    const before = (await history()).body.total_anchors
    await sixHours()
    expect((await history()).body.total_anchors).toBe(before)
    await w.sendCheckpoints(await w.newAgent(), 1)
    await sixHours()
    expect((await history()).body.total_anchors).toBe(before + 1)
  })

  it('has no proof for agents that it does not cover', async () => {
    const { latest_anchor: latest } = (await status(agent)).body
    const late = await w.newAgent()
    for (const [anchorId, agentId] of [
      [latest.anchor_id, late],
      [latest.anchor_id, 'nobody'],
      ['anc-none', agent],
    ]) {
      const answer = await w.get(`/v1/on-chain/anchors/${anchorId}/proof/${agentId}`)
      expect(answer).toMatchObject({ status: 404, body: { error: 'not_found' } })
    }
  })
})

describe('GET /v1/on-chain/history', () => {
  it("lists the organisation's anchors and publications, newest first, both paged", async () => {
    const all = (await history()).body
    expect(all.total_publications).toBeGreaterThan(3)
    const second = (await history('?page=2&per_page=1')).body
    expect(second).toMatchObject({ page: 2, per_page: 1 })
    expect(second.anchors).toEqual([all.anchors[1]])
    expect(second.publications).toEqual([all.publications[1]])
    const blocks = all.publications.map((one: { block_number: number }) => one.block_number)
    expect(blocks).toEqual([...blocks].sort((a, b) => b - a))
  })
})

describe('POST /dev/chain', () => {
  const ask = (method: string, params: unknown[] = []) =>
    w.t.call('POST', '/dev/chain', { body: { jsonrpc: '2.0', id: 1, method, params } })

  it('reads the development chain', async () => {
    expect((await ask('eth_chainId')).body).toEqual({ jsonrpc: '2.0', id: 1, result: '0x7a69' })
    const { reputation_registry: to } = (await w.t.call('GET', '/v1/on-chain/contracts')).body
    expect((await ask('eth_getCode', [to, 'latest'])).body.result.length).toBeGreaterThan(100)
  })

  it('allows no writes', async () => {
    for (const method of ['eth_sendRawTransaction', 'anvil_setBalance', 'evm_mine', 'x']) {
      expect((await ask(method)).body).toMatchObject({ error: { code: -32_601 } })
    }
  })

  it('returns an error for an invalid request', async () => {
    expect((await ask('eth_call', ['nonsense'])).body).toMatchObject({ error: { code: -32_602 } })
    const reverting = { data: '0x60006000fd' }
    expect((await ask('eth_call', [reverting])).body).toMatchObject({ error: { code: -32_000 } })
    expect(await w.t.call('POST', '/dev/chain', { body: [] })).toMatchObject({ status: 400 })
  })

  it('answers a batch in order, with an error for each refused call', async () => {
    const call = (id: number, method: string, params: unknown[] = []) => ({
      jsonrpc: '2.0',
      id,
      method,
      params,
    })
    const batch = [
      call(3, 'eth_chainId'),
      call(1, 'eth_sendRawTransaction', ['0x00']),
      call(2, 'eth_getBlockByNumber', ['latest', false]),
    ]
    const answer = await w.t.call('POST', '/dev/chain', { body: batch })
    expect(answer).toMatchObject({
      status: 200,
      body: [
        { id: 3, result: '0x7a69' },
        { id: 1, error: { code: -32_601 } },
        { id: 2, result: { number: expect.stringMatching(/^0x/) } },
      ],
    })
    const logs = Array.from({ length: 11 }, (_, id) => call(id, 'eth_getLogs', [{}]))
    const { body } = await w.t.call('POST', '/dev/chain', { body: logs })
    expect(body.slice(0, 10).map((one: object) => 'result' in one)).toEqual(Array(10).fill(true))
    expect(body[10]).toMatchObject({ id: 10, error: { code: -32_005 } })
    const many = Array.from({ length: 101 }, (_, id) => call(id, 'eth_chainId'))
    expect((await w.t.call('POST', '/dev/chain', { body: many })).status).toBe(400)
  })

  it('answers every read that a client library makes', async () => {
    const contracts = (await w.t.call('GET', '/v1/on-chain/contracts')).body
    const baseUrl = await w.t.app.server.listen({ port: 0, host: '127.0.0.1' })
    const transport = http(`${baseUrl}/dev/chain`, { batch: true, retryCount: 0 })
    const client = createPublicClient({ transport })
    const address = contracts.relayer
    const [block, balance, nonce, fees, gas, code] = await Promise.all([
      client.getBlock({ includeTransactions: true }),
      client.getBalance({ address }),
      client.getTransactionCount({ address }),
      client.estimateFeesPerGas({ chain: null, type: 'eip1559' }),
      client.estimateGas({ account: address, to: address }),
      client.getCode({ address: contracts.reputation_registry }),
    ])
    expect(block.transactions.length).toBe(1)
    expect(balance).toBeGreaterThan(0n)
    expect(nonce).toBeGreaterThan(0)
    expect(fees.maxFeePerGas).toBeGreaterThan(0n)
    expect(gas).toBe(21_000n)
    expect(code?.length).toBeGreaterThan(100)
  })

  it('stops an endless program', async () => {
    const endless = { data: '0x5b600056', gas: '0xffffffffffff' }
    expect((await ask('eth_call', [endless, 'latest'])).body).toMatchObject({
      error: { code: -32_000 },
    })
    const wanted = { merkle_root: root(0xe4d), leaf_count: 4, tree_depth: 2 }
    expect(await anchor(wanted)).toMatchObject({ status: 200 })
  })
})

describe('erasure', () => {
  it('deletes the publications of an agent and leaves the anchored tree complete', async () => {
    const { agentId, score: own } = await ratedAgent()
    await publish([{ agent_id: agentId, ...own }])
    w.t.clock.advance(6 * HOUR_MS)
    await w.t.app.kernel.schedules.fireDue()
    await w.t.settle()
    const { latest_anchor: latest } = (await status(agent)).body
    const token = await w.t.ownerToken()
    const body = { confirm: agentId }
    await w.t.call('POST', `/v1/agents/${agentId}/erase`, { token, body })
    w.t.clock.advance(31 * 24 * HOUR_MS)
    await w.t.app.kernel.schedules.fireDue()
    await w.t.settle()
    expect(await status(agentId)).toMatchObject({ status: 404 })
    const proof = await w.get(`/v1/on-chain/anchors/${latest.anchor_id}/proof/${agent}`)
    expect(verifyAnchorProof(proof.body)).toMatchObject({ agentId: agent })
  })
})
