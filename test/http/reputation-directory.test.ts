import { sha256Hex } from '@touchstone/protocol/crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { TEST_PASSWORD, type TestApp, testApp } from '#harness/app.ts'
import { entryOf } from '../../packages/server/src/areas/reputation/directory/entry.fixture.ts'
import type { Entry } from '../../packages/server/src/areas/reputation/directory/entry.ts'
import { createDirectoryStore } from '../../packages/server/src/areas/reputation/directory/store.ts'

let t: TestApp
let owner: string
let stranger: string
let strangerOrg: string

beforeAll(async () => {
  t = await testApp()
  owner = await t.ownerToken()
  stranger = (await t.newUser('stranger@example.com')).token
  const body = { name: 'Others', slug: 'others' }
  strangerOrg = (await t.call('POST', '/v1/orgs', { token: stranger, body })).body.org_id
  for (const agent of AGENTS) await publish(agent)
})

type Published = Pick<Entry, 'name' | 'score'> & {
  id: string
  visibility?: Entry['visibility']
  n?: number
}

const AGENTS: readonly Published[] = [
  { id: 'dir-best', name: 'Zebra', score: 912, n: 1500 },
  { id: 'dir-good', name: 'apple', score: 782, n: 150 },
  { id: 'dir-same', name: 'Apple', score: 782, n: 300 },
  { id: 'dir-poor', name: 'Äther 100%', score: 388, n: 50 },
  { id: 'dir-unlisted', name: 'Hidden door', score: 850, visibility: 'unlisted' },
  { id: 'dir-private', name: 'Hidden room', score: 860, visibility: 'private' },
]

async function register(id: string, fields: Record<string, unknown> = {}, token?: string) {
  const body = { agent_id: id, ...fields }
  const created = await t.call('POST', '/v1/agents', { token: token ?? t.first.api_key, body })
  expect(created.status).toBe(201)
  return created.body
}

/** Writes into the directory directly, because no hourly run would give these scores. */
async function publish({ id, name, score, n = 60, ...rest }: Published, token?: string) {
  const visibility = rest.visibility ?? 'public'
  const { agent, agent_secret: secret } = await register(id, { name, visibility }, token)
  const components = { integrity_ratio: 1, compliance: 2, drift_stability: 3 }
  const entry = entryOf({
    agentId: id,
    orgId: agent.org_id,
    name,
    visibility,
    score,
    checkpointCount: n,
    trend30d: score - 800,
    components: { ...components, trace_completeness: 4, coherence_compatibility: 5 },
  })
  await createDirectoryStore(t.app.kernel.db).save([entry])
  return { secret: String(secret) }
}

const search = (query: string, token: string | undefined = stranger) =>
  t.call('GET', `/v1/reputation/search?${query}`, { token })
const batch = (agentIds: unknown, token: string | undefined = stranger) =>
  t.call('POST', '/v1/reputation/batch', { token, body: { agent_ids: agentIds } })
const compare = (agentIds: string, token: string | undefined = stranger) =>
  t.call('GET', `/v1/reputation/compare?agent_ids=${encodeURIComponent(agentIds)}`, { token })
const idsIn = async (query: string, token?: string): Promise<string[]> =>
  (await search(query, token)).body.agents.map((agent: { agent_id: string }) => agent.agent_id)

const NO_ASSURANCE = { assurance: null, assured_score: null }
/** The level of the seeded agents, and the most that it lets anybody rely on. */
const RECORDED = { assurance: 1, assured_score: 749 }
const UNRATED = {
  score: null,
  grade: 'NR',
  tier: 'Not Rated',
  confidence: 'insufficient',
  trend_30d: 0,
  ...NO_ASSURANCE,
}

describe('POST /v1/reputation/batch', () => {
  it('returns one score per distinct id, in the requested order', async () => {
    const answer = await batch(['dir-poor', 'dir-best', 'dir-poor', 'dir-unlisted'])
    expect(answer.status).toBe(200)
    expect(answer.headers['cache-control']).toBe('private, no-store')
    const rated = { tier: 'Exemplary', confidence: 'high', trend_30d: 112 }
    expect(answer.body.scores).toMatchObject([
      { agent_id: 'dir-poor', score: 388, grade: 'CCC', confidence: 'low' },
      { agent_id: 'dir-best', score: 912, grade: 'AAA', ...rated },
      { agent_id: 'dir-unlisted', score: 850, grade: 'AA' },
    ])
  })

  it('answers alike for private agents of others, unknown, unrated and archived ones', async () => {
    await register('dir-new')
    const answer = await batch(['dir-private', 'dir-new', 'nobody', ''])
    expect(answer.body.scores).toEqual(
      ['dir-private', 'dir-new', 'nobody', ''].map((agent_id) => ({ agent_id, ...UNRATED })),
    )
    const own = await batch(['dir-private'], t.first.api_key)
    expect(own.body.scores).toMatchObject([{ score: 860, grade: 'AA' }])
  })

  it('accepts 1 to 50 strings including repetitions, and answers 400 otherwise', async () => {
    const many = (length: number) => Array.from({ length }, () => 'dir-best')
    expect((await batch(many(50))).body.scores).toHaveLength(1)
    for (const wrong of [[], many(51), ['dir-best', 7], 'dir-best', undefined]) {
      expect(await batch(wrong)).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    }
  })

  it('requires a credential with read permission', async () => {
    const body = { agent_ids: ['dir-best'] }
    expect(await t.call('POST', '/v1/reputation/batch', { body })).toMatchObject({ status: 401 })
    const created = await t.call('POST', `/v1/orgs/${t.first.org_id}/api-keys`, {
      token: owner,
      body: { role: 'admin', scopes: ['write'] },
    })
    expect(await batch(['dir-best'], created.body.key)).toMatchObject({ status: 403 })
  })
})

describe('GET /v1/reputation/search', () => {
  it('lists public agents, best first, with every field of the directory', async () => {
    const answer = await search('')
    expect(answer.status).toBe(200)
    expect(answer.headers['cache-control']).toBe('private, no-store')
    expect(answer.body).toMatchObject({ total: 4, page: 1, per_page: 20 })
    expect(answer.body.agents[0]).toEqual({
      agent_id: 'dir-best',
      agent_name: 'Zebra',
      score: 912,
      grade: 'AAA',
      tier: 'Exemplary',
      confidence: 'high',
      checkpoint_count: 1500,
      trend_30d: 112,
      visibility: 'public',
      claimed: false,
      ...RECORDED,
      reclassified: { card_gap: 0, of: 0 },
    })
    expect(await idsIn('')).toEqual(['dir-best', 'dir-good', 'dir-same', 'dir-poor'])
  })

  it('lists unlisted agents to their own organisation and private ones to nobody', async () => {
    const own = ['dir-best', 'dir-unlisted', 'dir-good', 'dir-same', 'dir-poor']
    expect(await idsIn('', t.first.api_key)).toEqual(own)
    expect((await search('', t.first.api_key)).body.total).toBe(5)
    expect(await idsIn('q=hidden', t.first.api_key)).toEqual(['dir-unlisted'])
    expect((await search('q=hidden')).body).toMatchObject({ agents: [], total: 0 })
  })

  it('sorts by each of the four orders', async () => {
    expect(await idsIn('sort=score')).toEqual(['dir-best', 'dir-good', 'dir-same', 'dir-poor'])
    expect(await idsIn('sort=name')).toEqual(['dir-good', 'dir-same', 'dir-best', 'dir-poor'])
    expect(await idsIn('sort=trend')).toEqual(['dir-best', 'dir-good', 'dir-same', 'dir-poor'])
    const byCount = ['dir-best', 'dir-same', 'dir-good', 'dir-poor']
    expect(await idsIn('sort=checkpoints')).toEqual(byCount)
  })

  it('matches parts of names and ids, trimmed and ignoring case', async () => {
    expect(await idsIn(`q=${encodeURIComponent('  APPLE ')}`)).toEqual(['dir-good', 'dir-same'])
    expect(await idsIn('q=R-BES')).toEqual(['dir-best'])
    expect(await idsIn(`q=${encodeURIComponent('äTHER')}`)).toEqual(['dir-poor'])
    expect(await idsIn(`q=${encodeURIComponent('100%')}`)).toEqual(['dir-poor'])
    expect(await idsIn('q=_')).toEqual([])
    expect(await idsIn('q=%20')).toHaveLength(4)
  })

  it('filters by grade and confidence, with the correct total', async () => {
    expect((await search('grade=A')).body).toMatchObject({ total: 2 })
    expect(await idsIn('confidence=high')).toEqual(['dir-best'])
    expect(await idsIn('grade=A&confidence=medium&q=app')).toEqual(['dir-same'])
    expect((await search('grade=AAA&confidence=low')).body).toMatchObject({ agents: [], total: 0 })
  })

  it('is paged, and empty past the end with the correct total', async () => {
    expect(await idsIn('per_page=3&page=2')).toEqual(['dir-poor'])
    expect(await idsIn('per_page=1&page=3')).toEqual(['dir-same'])
    const past = { agents: [], total: 4, page: 9, per_page: 20 }
    expect((await search('page=9')).body).toEqual(past)
    expect((await search('page=9&q=dir')).body).toEqual(past)
    expect((await search('per_page=500')).body.per_page).toBe(100)
  })

  it('refuses unknown filter and sort values', async () => {
    const long = `q=${'x'.repeat(201)}`
    const choices = ['grade=NR', 'grade=a', 'grade=', 'confidence=insufficient', 'sort=Score']
    for (const query of [...choices, 'page=0', 'per_page=0', 'page=x', long, 'q=%00']) {
      const answer = await search(query)
      expect(answer, query).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    }
    expect((await search(`q=${'x'.repeat(200)}`)).status).toBe(200)
  })

  it('requires a credential', async () => {
    expect(await t.call('GET', '/v1/reputation/search')).toMatchObject({ status: 401 })
  })
})

describe('GET /v1/reputation/compare', () => {
  it('returns scores side by side; ids are trimmed, empty and repeated ones dropped', async () => {
    const answer = await compare(' dir-good, ,dir-private,dir-good,nobody')
    expect(answer.status).toBe(200)
    expect(answer.headers['cache-control']).toBe('private, no-store')
    const keys = ['integrity_ratio', 'compliance', 'drift_stability', 'trace_completeness']
    keys.push('coherence_compatibility')
    const numbers = Object.fromEntries(keys.map((key, i) => [key, i + 1]))
    const none = Object.fromEntries(keys.map((key) => [key, null]))
    expect(answer.body.agents).toEqual([
      { agent_id: 'dir-good', score: 782, grade: 'A', components: numbers, ...RECORDED },
      { agent_id: 'dir-private', score: null, grade: 'NR', components: none, ...NO_ASSURANCE },
      { agent_id: 'nobody', score: null, grade: 'NR', components: none, ...NO_ASSURANCE },
    ])
    const own = await compare('dir-private,dir-unlisted', t.first.api_key)
    expect(own.body.agents).toMatchObject([{ score: 860 }, { score: 850 }])
  })

  it('accepts 2 to 10 different ids, and answers 400 otherwise', async () => {
    const ids = (count: number) => Array.from({ length: count }, (_, i) => `id-${i}`).join(',')
    expect((await compare(`${ids(10)},id-0, ,`)).body.agents).toHaveLength(10)
    for (const wrong of ['', 'dir-best', 'dir-best,dir-best', ' , ', ids(11), 'a\0,b']) {
      expect(await compare(wrong)).toMatchObject({
        status: 400,
        body: { error: 'invalid_request' },
      })
    }
    const none = await t.call('GET', '/v1/reputation/compare', { token: stranger })
    expect(none.status).toBe(400)
  })

  it('requires a credential', async () => {
    const url = '/v1/reputation/compare?agent_ids=a,b'
    expect(await t.call('GET', url)).toMatchObject({ status: 401 })
  })
})

describe('GET /v1/directory', () => {
  const list = async (query = '', token?: string) =>
    (await t.call('GET', `/v1/directory?${query}`, { token })).body.agents.map(
      (agent: { agent_id: string }) => agent.agent_id,
    )

  it('shows only public agents, and the same to everybody', async () => {
    expect(await list('q=dir-')).toEqual(['dir-best', 'dir-good', 'dir-same', 'dir-poor'])
    expect(await list('q=dir-', owner)).toEqual(await list('q=dir-'))
    expect(await list('q=dir-unlisted')).toEqual([])
  })

  it('filters, sorts and pages like the search', async () => {
    expect(await list('q=dir-&grade=CCC')).toEqual(['dir-poor'])
    expect(await list('q=dir-&sort=checkpoints&per_page=1')).toEqual(['dir-best'])
    const answer = await t.call('GET', '/v1/directory?grade=Z')
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
  })

  it('may be cached for 30 seconds', async () => {
    const { headers } = await t.call('GET', '/v1/directory')
    expect(headers['cache-control']).toBe('public, max-age=30')
  })
})

describe('GET /v1/reputation/benchmarks', () => {
  const read = (headers: Record<string, string> = {}) =>
    t.call('GET', '/v1/reputation/benchmarks', { headers })

  it('is zero before the first run, and then counts public agents', async () => {
    const before = await read()
    expect(before.body).toMatchObject({ total_scored: 0, mean_score: 0, median_score: 0 })
    expect(before.body.distribution).toHaveLength(7)
    t.clock.set('2026-03-01T13:00:00.000Z')
    await t.app.kernel.schedules.fireDue()
    await t.settle()
    // Session tokens expire after 15 minutes.
    owner = await t.ownerToken()
    stranger = await signIn('stranger@example.com')
    const after = await read()
    expect(after.body).toMatchObject({ total_scored: 4, mean_score: 716, median_score: 782 })
    expect(after.body.percentiles).toEqual({ p10: 506, p25: 684, p50: 782, p75: 815, p90: 873 })
    expect(after.body.distribution[2]).toEqual({ grade: 'A', count: 2, percentage: 50 })
  })

  it('may be cached for five minutes, and honours If-None-Match', async () => {
    const first = await read()
    expect(first.headers['cache-control']).toBe('public, max-age=300')
    const etag = String(first.headers['etag'])
    expect(etag).toMatch(/^W\/"[0-9a-f]{32}"$/)
    const again = await read({ 'if-none-match': etag })
    expect(again).toMatchObject({ status: 304, text: '' })
  })
})

describe('an agent in the directory', () => {
  const shown = async (id: string) => {
    const { agents } = (await search(`q=${id}`)).body
    return agents.map((one: Record<string, unknown>) => [
      one['agent_name'],
      one['visibility'],
      one['claimed'],
    ])
  }
  const change = (method: string, path: string, body?: unknown) =>
    t.call(method, path, { token: owner, body })

  it('is renamed, hidden and archived immediately', async () => {
    const id = 'dir-moving'
    await publish({ id, name: 'First', score: 700 })
    await change('PATCH', `/v1/agents/${id}`, { name: 'Second' })
    expect(await shown(id)).toEqual([['Second', 'public', false]])
    await change('PATCH', `/v1/agents/${id}`, { visibility: 'unlisted' })
    expect(await shown(id)).toEqual([])
    await change('PATCH', `/v1/agents/${id}`, { visibility: 'public' })
    expect(await shown(id)).toHaveLength(1)
    expect((await change('DELETE', `/v1/agents/${id}`)).status).toBe(204)
    expect(await shown(id)).toEqual([])
    expect((await batch([id])).body.scores).toEqual([{ agent_id: id, ...UNRATED }])
    expect((await batch([id], owner)).body.scores).toEqual([{ agent_id: id, ...UNRATED }])
  })

  it('is shown as claimed once somebody claims it', async () => {
    const { secret } = await publish({ id: 'dir-claim', name: 'Claim', score: 700 })
    expect(await shown('dir-claim')).toEqual([['Claim', 'public', false]])
    await change('POST', '/v1/agents/dir-claim/claim', { hash_proof: sha256Hex(secret) })
    expect(await shown('dir-claim')).toEqual([['Claim', 'public', true]])
  })

  it('is removed with its organisation', async () => {
    await publish({ id: 'dir-leaving', name: 'Leaving', score: 700 }, stranger)
    expect(await idsIn('q=dir-leaving', owner)).toEqual(['dir-leaving'])
    const gone = await t.call('DELETE', `/v1/orgs/${strangerOrg}`, { token: stranger })
    expect(gone.status).toBeLessThan(300)
    expect(await idsIn('q=dir-leaving', owner)).toEqual([])
  })
})

async function signIn(email: string): Promise<string> {
  const body = { email, password: TEST_PASSWORD }
  return (await t.call('POST', '/v1/auth/login', { body })).body.access_token
}
