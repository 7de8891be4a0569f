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
  it('gives the body as the interface describes it', async () => {
    const { agent } = await client().request('POST', '/v1/agents', { body: { name: 'Buyer' } })
    const params = { agent_id: agent.agent_id }
    const read = await client().request('GET', '/v1/agents/{agent_id}', { params })
    expect(read.name).toBe('Buyer')
    const owner = createClient({ baseUrl, getToken: t.ownerToken })
    const gone = await owner.request('DELETE', '/v1/agents/{agent_id}', { params })
    expect(gone).toBeUndefined()
  })

  it('throws what the service refused, with everything it said', async () => {
    const params = { agent_id: 'agt_nowhere' }
    const refused = client().request('GET', '/v1/agents/{agent_id}', { params })
    const error = await refused.catch((thrown) => thrown)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ status: 404, code: 'agent_not_found', details: [] })
    expect(error.requestId).toMatch(/./)
  })

  it('names what is wrong with a request', async () => {
    const sent = client().request('POST', '/v1/agents', { body: { name: '' } })
    const error: ApiError = await sent.catch((thrown) => thrown)
    expect(error.status).toBe(400)
    expect(error.details.map(({ path }) => path)).toEqual(['/name'])
  })

  it('reads the one text there is in the teams area as message', async () => {
    const params = { team_id: 'team_nowhere' }
    const refused = client().request('GET', '/v1/teams/{team_id}', { params })
    await expect(refused).rejects.toMatchObject({ status: 404, code: 'not_found' })
  })
})

describe('a refused token', () => {
  it('is replaced once, and the request is sent again', async () => {
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

  it('stays refused when there is no other', async () => {
    const renewing = createClient({ baseUrl, token: 'stale', onUnauthorised: () => undefined })
    await expect(renewing.request('GET', '/v1/agents')).rejects.toMatchObject({ status: 401 })
  })
})

describe('raw', () => {
  it('answers 304 to somebody who has the newest', async () => {
    const first = await client().raw('GET', '/v1/agents')
    const headers = { 'If-None-Match': first.headers.get('etag') ?? '' }
    const again = await client().raw('GET', '/v1/agents', { headers })
    expect([first.status, again.status]).toEqual([200, 304])
  })
})
