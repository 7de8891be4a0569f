import { readFileSync } from 'node:fs'
import { createTouchstone } from '@touchstone/sdk'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'

type Operation = { parameters?: { name: string }[] }

let t: TestApp
let key: string
let ids: string[]

const listed = async (query: string) =>
  (await t.call('GET', `/v1/agents?${query}`, { token: key })).body

const idsIn = (page: { agents: { agent_id: string }[] }) => page.agents.map((one) => one.agent_id)

beforeAll(async () => {
  t = await testApp()
  key = t.first.api_key
  for (let n = 0; n < 7; n += 1) {
    await t.call('POST', '/v1/agents', { token: key, body: { agent_id: `paged-${n}` } })
  }
  ids = idsIn(await listed('per_page=100'))
})

describe('a list read by limit and offset', () => {
  it('returns exactly the entries from the offset on, also within a page', async () => {
    for (let offset = 0; offset <= ids.length; offset += 1) {
      const page = await listed(`limit=3&offset=${offset}`)
      expect(idsIn(page)).toEqual(ids.slice(offset, offset + 3))
      expect(page).toMatchObject({
        total: ids.length,
        limit: 3,
        offset,
        page: Math.floor(offset / 3) + 1,
        per_page: 3,
      })
    }
    expect(idsIn(await listed('offset=2'))).toEqual(ids.slice(2))
    expect(idsIn(await listed('limit=2'))).toEqual(ids.slice(0, 2))
  })

  it('has the same maximum as per_page, and echoes it', async () => {
    expect(await listed('limit=5000')).toMatchObject({ limit: 100, per_page: 100, offset: 0 })
  })

  it('is 400 together with pages, and for numbers out of range', async () => {
    for (const query of [
      'page=1&limit=3',
      'per_page=3&offset=1',
      'page=1&per_page=3&limit=3&offset=0',
      'limit=0',
      'offset=-1',
      'offset=1.5',
      'offset=1000000001',
      'limit=x',
    ]) {
      const answer = await t.call('GET', `/v1/agents?${query}`, { token: key })
      expect(answer, query).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    }
  })

  it('is available wherever pages are', () => {
    const document = JSON.parse(
      readFileSync(new URL('../../docs/api/openapi.json', import.meta.url), 'utf8'),
    )
    const operations = Object.values<{ get?: Operation }>(document.paths)
    const paged = operations
      .map((path) => (path.get?.parameters ?? []).map(({ name }) => name))
      .filter((names) => names.includes('page'))
    expect(paged.length).toBeGreaterThan(20)
    for (const names of paged) expect(names).toEqual(expect.arrayContaining(['limit', 'offset']))
  })
})

describe('a list of the SDK', () => {
  it('follows pages and offsets to the end', async () => {
    const baseUrl = await t.app.server.listen({ port: 0, host: '127.0.0.1' })
    const touchstone = createTouchstone({ baseUrl, token: key })
    for (const [query, expected] of [
      [{ per_page: 3 }, ids],
      [{ page: 2, per_page: 3 }, ids.slice(3)],
      [{ limit: 2, offset: 3 }, ids.slice(3)],
      [{ limit: 3 }, ids],
    ] as const) {
      const found: string[] = []
      for await (const agent of touchstone.agents.list(query)) found.push(agent.agent_id)
      expect(found).toEqual(expected)
    }
  })
})
