import { ApiError, createClient } from '@touchstone/sdk'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'

let t: TestApp
let baseUrl: string

beforeAll(async () => {
  t = await testApp()
  baseUrl = await t.app.server.listen({ port: 0, host: '127.0.0.1' })
})

const client = () => createClient({ baseUrl, token: t.first.api_key })

describe('request', () => {
  it('returns the body that the interface describes', async () => {
    const { agent } = await client().request('POST', '/v1/agents', { body: { name: 'Buyer' } })
    const params = { agent_id: agent.agent_id }
    const read = await client().request('GET', '/v1/agents/{agent_id}', { params })
    expect(read.name).toBe('Buyer')
    const owner = createClient({ baseUrl, getToken: t.ownerToken })
    const gone = await owner.request('DELETE', '/v1/agents/{agent_id}', { params })
    expect(gone).toBeUndefined()
  })

  it('throws the error of the service with all of its fields', async () => {
    const params = { agent_id: 'agt_nowhere' }
    const refused = client().request('GET', '/v1/agents/{agent_id}', { params })
    const error = await refused.catch((thrown) => thrown)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ status: 404, code: 'agent_not_found', details: [] })
    expect(error.requestId).toMatch(/./)
  })

  it('names the invalid parts of a request', async () => {
    const sent = client().request('POST', '/v1/agents', { body: { name: '' } })
    const error: ApiError = await sent.catch((thrown) => thrown)
    expect(error.status).toBe(400)
    expect(error.details.map(({ path }) => path)).toEqual(['/name'])
  })

  it('reads the only text of a teams error as its message', async () => {
    const params = { team_id: 'team_nowhere' }
    const refused = client().request('GET', '/v1/teams/{team_id}', { params })
    await expect(refused).rejects.toMatchObject({ status: 404, code: 'not_found' })
  })
})

describe('a rejected token', () => {
  it('is replaced once, and the request is retried', async () => {
    let asked = 0
    const renewing = createClient({
      baseUrl,
      token: 'stale',
      onUnauthorised() {
        asked += 1
        return t.first.api_key
      },
    })
    await Promise.all([1, 2, 3].map(() => renewing.request('GET', '/v1/agents')))
    await renewing.request('GET', '/v1/agents')
    expect(asked).toBe(1)
  })

  it('stays rejected if no other token is available', async () => {
    const renewing = createClient({ baseUrl, token: 'stale', onUnauthorised: () => undefined })
    await expect(renewing.request('GET', '/v1/agents')).rejects.toMatchObject({ status: 401 })
  })
})

describe('raw', () => {
  it('returns 304 if the ETag still matches', async () => {
    const first = await client().raw('GET', '/v1/agents')
    const headers = { 'If-None-Match': first.headers.get('etag') ?? '' }
    const again = await client().raw('GET', '/v1/agents', { headers })
    expect([first.status, again.status]).toEqual([200, 304])
  })
})
