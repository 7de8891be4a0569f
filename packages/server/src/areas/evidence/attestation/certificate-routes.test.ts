import { verifyCertificate } from '@touchstone/protocol/evidence'
import { beforeAll, describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { testDatabase, testNotices } from '#harness/database.ts'
import { Problem } from '../../../kernel/problem.ts'
import {
  createFakeCheckpoints,
  createNode,
  serve,
  TEST_KEY_ID,
  TEST_SEED,
  vectors,
} from './attestation.fixture.ts'

const clock = testClock()
const database = await testDatabase()
const { db } = database
const checkpoints = createFakeCheckpoints()
const KNOWN = ['open', 'closed', 'fresh']
const agents = {
  async get(agentId: string, orgIds: readonly string[]) {
    const own = orgIds.includes('org-1')
    if (KNOWN.includes(agentId) && (own || agentId !== 'closed')) return { own }
    throw new Problem('agent_not_found', 'No such agent.')
  },
}
const feature = createNode(
  { db, clock, notices: await testNotices(database) },
  { seed: TEST_SEED, agents, checkpoints: checkpoints.port },
)
const server = serve(feature)

beforeAll(() =>
  checkpoints.seal(
    { db, service: feature.service, now: clock.now() },
    { open: [true, true, false, true], closed: [true] },
  ),
)

/** Calls with a key of that organisation, or without a credential. */
async function get(url: string, org?: string) {
  const headers = org === undefined ? {} : { 'x-test-org': org }
  const answer = await server.inject({ url, headers })
  return {
    status: answer.statusCode,
    body: answer.json(),
    cache: answer.headers['cache-control'],
  }
}

const ofCheckpoint = ['certificate', 'inclusion-proof']
const ofAgent = ['merkle-root', 'consistency-proof?first=1&second=1']

describe('attested data', () => {
  it('is public and no-store for a public agent', async () => {
    for (const [path, name] of [
      ...ofCheckpoint.map((one) => ['checkpoints/ic-open-0', one]),
      ...ofAgent.map((one) => ['agents/open', one]),
    ]) {
      expect(await get(`/v1/${path}/${name}`)).toMatchObject({ status: 200, cache: 'no-store' })
    }
  })

  it.each([undefined, 'org-2'])('is 404 if the agent is hidden from %s', async (org) => {
    for (const name of ofCheckpoint) {
      const closed = await get(`/v1/checkpoints/ic-closed-0/${name}`, org)
      expect(closed).toMatchObject({ status: 404, body: { error: 'checkpoint_not_found' } })
      expect(closed).toEqual(await get(`/v1/checkpoints/ic-none/${name}`, org))
    }
    for (const name of ofAgent) {
      const closed = await get(`/v1/agents/closed/${name}`, org)
      expect(closed).toMatchObject({ status: 404, body: { error: 'agent_not_found' } })
      expect(closed).toEqual(await get(`/v1/agents/none/${name}`, org))
    }
  })

  it('is private, no-store for the owner of a hidden agent', async () => {
    for (const url of [
      ...ofCheckpoint.map((name) => `/v1/checkpoints/ic-closed-0/${name}`),
      ...ofAgent.map((name) => `/v1/agents/closed/${name}`),
    ]) {
      expect(await get(url, 'org-1')).toMatchObject({ status: 200, cache: 'private, no-store' })
    }
  })
})

describe('GET /v1/checkpoints/{checkpoint_id}/certificate', () => {
  it.each([0, 1, 2, 3])(
    'returns a certificate that POST /v1/verify accepts: number %i',
    async (number) => {
      const { body: certificate } = await get(`/v1/checkpoints/ic-open-${number}/certificate`)
      const payload = { certificate }
      const answer = await server.inject({ method: 'POST', url: '/v1/verify', payload })
      expect(answer.json()).toMatchObject({ valid: true })
      expect(verifyCertificate(certificate, vectors.keys)).toMatchObject({ wellFormed: true })
    },
  )
})

describe('GET /v1/checkpoints/{checkpoint_id}/inclusion-proof', () => {
  it('returns leaf, siblings and root of the requested tree', async () => {
    const { body } = await get('/v1/checkpoints/ic-open-1/inclusion-proof?tree_size=2')
    const { body: sibling } = await get('/v1/checkpoints/ic-open-0/inclusion-proof?tree_size=1')
    const { body: current } = await get('/v1/agents/open/consistency-proof?first=2&second=3')
    expect(body).toEqual({
      checkpoint_id: 'ic-open-1',
      leaf_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      leaf_index: 1,
      siblings: [{ hash: sibling.leaf_hash, position: 'left' }],
      root: current.first_root,
      tree_size: 2,
      verified: true,
    })
  })

  it('is 404 for a synthetic checkpoint', async () => {
    const answer = await get('/v1/checkpoints/ic-open-2/inclusion-proof')
    expect(answer).toMatchObject({ status: 404, body: { error: 'not_found' } })
  })

  it.each([
    ['1', 422],
    ['4', 422],
    ['x', 400],
    ['1.5', 400],
  ])('refuses tree_size=%s with %i', async (size, status) => {
    const answer = await get(`/v1/checkpoints/ic-open-1/inclusion-proof?tree_size=${size}`)
    expect(answer.status).toBe(status)
  })
})

describe('GET /v1/agents/{agent_id}/merkle-root', () => {
  it('returns the signed head of the tree', async () => {
    const { body } = await get('/v1/agents/open/merkle-root')
    const { body: proof } = await get('/v1/agents/open/consistency-proof?first=3&second=3')
    expect(body).toEqual({
      agent_id: 'open',
      merkle_root: proof.second_root,
      onchain_root: `0x${proof.second_root}`,
      tree_depth: 2,
      leaf_count: 3,
      last_updated: clock.now().toISOString(),
      key_id: TEST_KEY_ID,
      signature: expect.stringMatching(/^[A-Za-z0-9+/]{86}==$/),
    })
  })

  it('is 404 before the first analysed checkpoint', async () => {
    const answer = await get('/v1/agents/fresh/merkle-root')
    expect(answer).toMatchObject({ status: 404, body: { error: 'not_found' } })
  })
})

describe('GET /v1/agents/{agent_id}/consistency-proof', () => {
  it('returns both roots and the hashes between them', async () => {
    const { body } = await get('/v1/agents/open/consistency-proof?first=1&second=3')
    expect(body).toEqual({
      first: 1,
      second: 3,
      first_root: expect.stringMatching(/^[0-9a-f]{64}$/),
      second_root: expect.stringMatching(/^[0-9a-f]{64}$/),
      proof: [expect.any(String), expect.any(String)],
    })
  })

  it.each([
    ['first=0&second=1', 422],
    ['first=2&second=1', 422],
    ['first=1&second=4', 422],
    ['first=1', 400],
    ['first=a&second=2', 400],
  ])('refuses %s with %i', async (query, status) => {
    expect((await get(`/v1/agents/open/consistency-proof?${query}`)).status).toBe(status)
  })
})
