import type { AddressInfo } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { eventually } from '#harness/eventually.ts'
import { type EventStream, openStream } from '#harness/stream.ts'

/**
 * Streams are cheap to open and expensive to keep. One member of three organisations used to open 50
 * in each, and every stream asked the database again every five seconds whether its credential still
 * had access.
 */
const PER_ORG = 50
const PER_ACCOUNT = 100

let t: TestApp
let origin: string
let owner: string
let orgs: string[]

beforeAll(async () => {
  t = await testApp({ streamWaits: { recheckMs: 200, settledMs: 200 } })
  await t.app.server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = t.app.server.server.address() as AddressInfo
  origin = `http://127.0.0.1:${port}`
  owner = await t.ownerToken()
  const more = ['second', 'third'].map(async (slug) => {
    const { body } = await t.call('POST', '/v1/orgs', { token: owner, body: { name: slug, slug } })
    return body.org_id as string
  })
  orgs = [t.first.org_id, ...(await Promise.all(more))]
})

const open = (orgId = '') => openStream(`${origin}/v1/orgs/${orgId}/stream`, owner)

async function openMany(orgId: string | undefined, count: number): Promise<EventStream[]> {
  const streams: EventStream[] = []
  while (streams.length < count) streams.push(await open(orgId))
  return streams
}

describe('a person with several organisations', () => {
  it('can open 50 streams of one and 100 of an account, and is told which limit it was', async () => {
    const [first, second, third] = orgs
    const held = await openMany(first, PER_ORG)
    expect(held.map(({ status }) => status)).toEqual(Array(PER_ORG).fill(200))
    const refused = await refusalOf(first)
    expect(refused).toContain('An organisation can have at most 50 open streams.')
    held.push(...(await openMany(second, PER_ACCOUNT - PER_ORG)))
    expect(held.every(({ status }) => status === 200)).toBe(true)
    expect(await refusalOf(third)).toMatch(/^(A billing account|An address) can have at most 100/)
    for (const stream of held) stream.disconnect()
    await eventually(async () => {
      const stream = await open(third)
      stream.disconnect()
      expect(stream.status).toBe(200)
    })
  })

  it('loses all streams of a revoked credential at once, for one question', async () => {
    const created = await t.call('POST', '/v1/api-keys', {
      token: owner,
      body: { org_id: t.first.org_id },
    })
    const url = `${origin}/v1/orgs/${t.first.org_id}/stream`
    const streams = await Promise.all(
      Array.from({ length: 20 }, () => openStream(url, created.body.key)),
    )
    for (const stream of streams) await stream.waitFor('open')
    await t.call('DELETE', `/v1/api-keys/${created.body.key_id}`, { token: owner })
    for (const stream of streams) {
      expect((await stream.waitFor('end')).data).toEqual({ reason: 'credential' })
    }
  })
})

async function refusalOf(orgId = ''): Promise<string> {
  const answer = await fetch(`${origin}/v1/orgs/${orgId}/stream`, {
    headers: { accept: 'text/event-stream', authorization: `Bearer ${owner}` },
  })
  expect(answer.status).toBe(429)
  const { message } = (await answer.json()) as { message: string }
  return message
}
