import { base64ToBytes, hexToBytes } from '@touchstone/protocol/base'
import { certificateHash, certificateId } from '@touchstone/protocol/evidence'
import {
  createMerkleTree,
  leafHash,
  proofFromPath,
  treeDepth,
  verifyConsistency,
  verifyInclusion,
  verifyTreeHead,
} from '@touchstone/protocol/merkle'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  checkpointWorld,
  MENTION,
  newCheckpointId,
  textOf,
  VIOLATION,
  verifyOffline,
  type World,
} from '#harness/checkpoints.ts'

const LEAVES = 7

let w: World
let agentId: string
/** The third checkpoint is synthetic. */
let ids: string[]
beforeAll(async () => {
  w = await checkpointWorld({ BASE_URL: 'https://trust.example' })
  agentId = await w.newAgent()
  ids = Array.from({ length: LEAVES + 1 }, newCheckpointId)
  for (const [n, checkpoint_id] of ids.entries()) {
    w.t.clock.advance(900 + n * n * 31)
    const thinking = n === 2 ? 'Short.' : textOf(n, ['', MENTION, '', VIOLATION][n % 4])
    const output = n % 3 === 0 ? textOf(100 + n) : undefined
    const created = await w.post(agentId, { checkpoint_id, thinking, output })
    expect(created.status).toBe(201)
  }
})

const read = (url: string, token?: string) => w.t.call('GET', url, { token })
const certificateOf = (id: string | undefined) => read(`/v1/checkpoints/${id}/certificate`)
const bytes = (hashes: readonly string[]) => hashes.map(hexToBytes)

/** Builds the tree from the stored chain alone, as the specification defines it. */
async function treeOf(agent: string) {
  const tree = createMerkleTree()
  for (const row of await w.chainOf(agent)) {
    if (row.leaf_index === null) continue
    const leaf = leafHash(hexToBytes(row.chain_hash.toString('hex')))
    expect(tree.append(leaf)).toBe(row.leaf_index)
  }
  return tree
}
const hex = (hash: Uint8Array) => Buffer.from(hash).toString('hex')

describe('a certificate', () => {
  it('verifies for every checkpoint with nothing but the published keys', async () => {
    let previous: string | null = null
    for (const [position, id] of ids.entries()) {
      const { status, body } = await certificateOf(id)
      expect(status).toBe(200)
      const verified = await verifyOffline(w.t, body)
      expect(verified, JSON.stringify(verified)).toMatchObject({ valid: true })
      const { chain, merkle } = body.proofs
      expect(chain).toMatchObject({ position, prev_chain_hash: previous })
      expect(merkle === null).toBe(position === 2)
      if (merkle !== null) expect(merkle.tree_size).toBe(merkle.leaf_index + 1)
      previous = chain.chain_hash
      const online = await w.t.call('POST', '/v1/verify', { body: { certificate: body } })
      expect(online.body.valid).toBe(true)
    }
  })

  it("states the checkpoint's facts without quoting its texts", async () => {
    const { body } = await certificateOf(ids[3])
    const checkpoint = (await w.get(`/v1/checkpoints/${ids[3]}`)).body
    const { category, severity, description } = checkpoint.concerns[0]
    expect(body).toMatchObject({
      '@context': 'urn:touchstone:integrity-certificate:v1',
      type: 'IntegrityCertificate',
      version: '1.1.0',
      certificate_id: certificateId(body.proofs.chain.record_hash),
      issued_at: checkpoint.created_at,
      timestamp: checkpoint.timestamp,
      subject: {
        checkpoint_id: ids[3],
        agent_id: agentId,
        session_id: checkpoint.session_id,
        card_id: checkpoint.card_id,
      },
      input_commitments: {
        thinking_block_hash: checkpoint.thinking_block_hash,
        output_block_hash: checkpoint.output_block_hash,
        model_version: 'rules-v1',
        template_version: 'cp-1',
      },
      proofs: { verdict_derivation: null },
      verification: {
        keys_url: 'https://trust.example/v1/keys',
        certificate_url: `https://trust.example/v1/checkpoints/${ids[3]}/certificate`,
        verify_url: 'https://trust.example/v1/verify',
      },
    })
    expect(body.claims).toEqual({
      verdict: 'boundary_violation',
      concerns: [{ category, severity, description }],
      confidence: 1,
      reasoning_summary: checkpoint.reasoning_summary,
      analyzer: 'rules',
      analysis_model: 'rules-v1',
      analysis_duration_ms: 0,
      synthetic: false,
    })
  })

  it('never changes, and matches its stored hash', async () => {
    const first = await certificateOf(ids[0])
    const found = await sql<{ certificate_hash: Buffer }>`select certificate_hash
      from certificate where agent_id = ${agentId} and position = 0`.execute(w.t.app.kernel.db)
    const stored = found.rows[0]?.certificate_hash.toString('hex')
    expect(certificateHash(first.body)).toBe(stored)
    await w.post(agentId, { thinking: 'Short again.' })
    const context = { metadata: { integrity_checkpoint_id: ids[0] } }
    const linking = await w.t.call('POST', '/v1/traces', {
      token: w.key,
      body: {
        agent_id: agentId,
        action: { type: 'execute', name: 'search', category: 'bounded' },
        decision: { selected: 'a', selection_reasoning: 'fits', values_applied: ['honesty'] },
        context,
      },
    })
    expect(linking.status).toBe(201)
    expect((await certificateOf(ids[0])).text).toBe(first.text)
  })

  it('answers 404 checkpoint_not_found for an unknown id', async () => {
    for (const id of [newCheckpointId(), 'nonsense']) {
      for (const name of ['certificate', 'inclusion-proof']) {
        const answer = await read(`/v1/checkpoints/${id}/${name}`)
        expect(answer).toMatchObject({ status: 404, body: { error: 'checkpoint_not_found' } })
      }
    }
  })
})

describe('an inclusion proof', () => {
  it('is valid for every leaf in the current tree and in every earlier one', async () => {
    const tree = await treeOf(agentId)
    expect(tree.size).toBe(LEAVES)
    const analysed = ids.filter((_, n) => n !== 2)
    for (const [index, id] of analysed.entries()) {
      for (let size = index + 1; size <= LEAVES; size += 1) {
        const query = size === LEAVES ? '' : `?tree_size=${size}`
        const { status, body } = await read(`/v1/checkpoints/${id}/inclusion-proof${query}`)
        expect(status).toBe(200)
        expect(body).toMatchObject({
          checkpoint_id: id,
          leaf_index: index,
          tree_size: size,
          root: hex(tree.root(size)),
          verified: true,
        })
        const leaf = hexToBytes(body.leaf_hash)
        const proof = proofFromPath({ index, size }, body.siblings)
        if (proof === undefined) throw new Error('the proof path does not match the tree')
        expect(verifyInclusion({ leaf, index, size, proof }, tree.root(size))).toBe(true)
      }
    }
  })

  it('answers 422 for a tree size without the leaf or beyond the current one, 400 for an invalid size', async () => {
    const url = `/v1/checkpoints/${ids[5]}/inclusion-proof`
    for (const size of [0, 1, 4, LEAVES + 1, 1_000_000]) {
      const answer = await read(`${url}?tree_size=${size}`)
      expect(answer, String(size)).toMatchObject({
        status: 422,
        body: { error: 'validation_error' },
      })
    }
    expect((await read(`${url}?tree_size=5`)).status).toBe(200)
    expect((await read(`${url}?tree_size=many`)).status).toBe(400)
  })

  it('answers 404 not_found for a synthetic checkpoint, which still has a certificate', async () => {
    const answer = await read(`/v1/checkpoints/${ids[2]}/inclusion-proof`)
    expect(answer).toMatchObject({ status: 404, body: { error: 'not_found' } })
    expect((await certificateOf(ids[2])).status).toBe(200)
  })
})

describe('the Merkle root of an agent', () => {
  it('is the one that the specification defines, and is signed', async () => {
    const tree = await treeOf(agentId)
    const { status, body } = await read(`/v1/agents/${agentId}/merkle-root`)
    expect(status).toBe(200)
    const root = hex(tree.root())
    expect(body).toMatchObject({
      agent_id: agentId,
      merkle_root: root,
      onchain_root: `0x${root}`,
      tree_depth: treeDepth(LEAVES),
      leaf_count: LEAVES,
      last_updated: (await w.get(`/v1/checkpoints/${ids.at(-1)}`)).body.created_at,
    })
    const { keys } = (await read('/v1/keys')).body
    const key = keys.find((one: { key_id: string }) => one.key_id === body.key_id)
    const { signature } = body
    expect(base64ToBytes(signature)).toHaveLength(64)
    expect(verifyTreeHead(body, { signature, publicKey: key.public_key })).toBe(true)
    const forged = { ...body, leaf_count: LEAVES + 1 }
    expect(verifyTreeHead(forged, { signature, publicKey: key.public_key })).toBe(false)
  })

  it('answers 404 not_found before the first analysed checkpoint', async () => {
    const fresh = await w.newAgent()
    await w.post(fresh, { thinking: 'Short.' })
    const answer = await read(`/v1/agents/${fresh}/merkle-root`)
    expect(answer).toMatchObject({ status: 404, body: { error: 'not_found' } })
    const unknown = await read('/v1/agents/agent-unknown/merkle-root')
    expect(unknown).toMatchObject({ status: 404, body: { error: 'agent_not_found' } })
  })
})

describe('a consistency proof', () => {
  it("is valid between any two sizes of the agent's tree", async () => {
    const tree = await treeOf(agentId)
    for (let second = 1; second <= LEAVES; second += 1) {
      for (let first = 1; first <= second; first += 1) {
        const query = `first=${first}&second=${second}`
        const { status, body } = await read(`/v1/agents/${agentId}/consistency-proof?${query}`)
        expect(status).toBe(200)
        expect(body).toMatchObject({
          first,
          second,
          first_root: hex(tree.root(first)),
          second_root: hex(tree.root(second)),
        })
        const [firstRoot, secondRoot] = [tree.root(first), tree.root(second)]
        const proof = bytes(body.proof)
        expect(verifyConsistency({ first, second, firstRoot, secondRoot, proof })).toBe(true)
      }
    }
  })

  it.each(['first=0&second=3', 'first=4&second=3', 'first=1&second=8', 'first=9&second=9'])(
    'answers 422 for %s',
    async (query) => {
      const answer = await read(`/v1/agents/${agentId}/consistency-proof?${query}`)
      expect(answer).toMatchObject({ status: 422, body: { error: 'validation_error' } })
    },
  )

  it('answers 400 unless both sizes are given', async () => {
    for (const query of ['', '?first=1', '?second=1', '?first=a&second=2']) {
      const answer = await read(`/v1/agents/${agentId}/consistency-proof${query}`)
      expect(answer.status, query).toBe(400)
    }
  })
})

describe('attested data', () => {
  const readsOf = (id: string, agent: string): [string, string][] => [
    [`/v1/checkpoints/${id}/certificate`, 'checkpoint_not_found'],
    [`/v1/checkpoints/${id}/inclusion-proof`, 'checkpoint_not_found'],
    [`/v1/agents/${agent}/merkle-root`, 'agent_not_found'],
    [`/v1/agents/${agent}/consistency-proof?first=1&second=1`, 'agent_not_found'],
  ]

  async function created(visibility: string): Promise<[id: string, agent: string]> {
    const agent = await w.newAgent({ visibility })
    const { checkpoint } = (await w.post(agent, { thinking: textOf(50) })).body
    return [checkpoint.checkpoint_id, agent]
  }

  it('is public for public and unlisted agents, even to callers with an invalid credential', async () => {
    for (const visibility of ['public', 'unlisted']) {
      for (const [url] of readsOf(...(await created(visibility)))) {
        for (const token of [undefined, w.foreign, 'nonsense']) {
          expect((await read(url, token)).status, url).toBe(200)
        }
        const page = { origin: 'https://any.example' }
        const fromPage = await w.t.call('GET', url, { headers: page })
        expect(fromPage.headers['access-control-allow-origin'], url).toBe('*')
      }
    }
  })

  it('of a private agent is visible to its owner and 404 to everybody else', async () => {
    const [id, agent] = await created('private')
    const unknown = readsOf(newCheckpointId(), 'agent-unknown')
    for (const [n, [url, error]] of readsOf(id, agent).entries()) {
      const own = await read(url, w.key)
      expect(own.status, url).toBe(200)
      expect(own.headers['cache-control'], url).toBe('private, no-store')
      for (const token of [undefined, w.foreign, 'nonsense']) {
        const answer = await read(url, token)
        expect(answer, url).toMatchObject({ status: 404, body: { error } })
        const missing = await read(unknown[n]?.[0] ?? '', token)
        expect(answer.body, url).toEqual(missing.body)
      }
    }
  })

  it('of an archived agent is hidden from the public and visible to its owner', async () => {
    const [id, agent] = await created('public')
    await w.t.call('DELETE', `/v1/agents/${agent}`, { token: await w.t.ownerToken() })
    for (const [url, error] of readsOf(id, agent)) {
      expect(await read(url), url).toMatchObject({ status: 404, body: { error } })
      expect((await read(url, w.key)).status, url).toBe(200)
    }
  })
})
