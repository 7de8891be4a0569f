import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
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
const PER_ADDRESS = 100

let t: TestApp
let origin: string
let owner: string
let orgs: string[]

beforeAll(async () => {
  t = await testApp({
    env: { TRUSTED_HOPS: '1' },
    streamWaits: { recheckMs: 200, settledMs: 200 },
  })
  await t.app.server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = t.app.server.server.address() as AddressInfo
  origin = `http://127.0.0.1:${port}`
  owner = await t.ownerToken()
  orgs = [t.first.org_id, await newOrg(owner, 'second'), await newOrg(owner, 'third')]
})

async function newOrg(token: string, slug: string): Promise<string> {
  const created = await t.call('POST', '/v1/orgs', { token, body: { name: slug, slug } })
  return created.body.org_id
}

let addresses = 0
/** An address that no other stream has. */
function newAddress(): string {
  addresses += 1
  return `198.51.${addresses >> 8}.${addresses & 255}`
}

const urlOf = (orgId: string) => `${origin}/v1/orgs/${orgId}/stream`
type From = { token: string; orgId: string; address(): string }
const open = ({ token, orgId, address }: From) =>
  openStream(urlOf(orgId), token, { 'x-forwarded-for': address() })

async function hold(from: From, count: number): Promise<EventStream[]> {
  const streams: EventStream[] = []
  while (streams.length < count) streams.push(await open(from))
  for (const { status } of streams) expect(status).toBe(200)
  return streams
}

async function refusalOf({ token, orgId, address }: From): Promise<string> {
  const answer = await fetch(urlOf(orgId), {
    headers: {
      accept: 'text/event-stream',
      authorization: `Bearer ${token}`,
      'x-forwarded-for': address(),
    },
  })
  expect(answer.status).toBe(429)
  expect(answer.headers.get('retry-after')).toBe('30')
  const { message } = (await answer.json()) as { message: string }
  return message
}

async function release(streams: readonly EventStream[], next: From): Promise<void> {
  for (const stream of streams) stream.disconnect()
  await eventually(async () => {
    const stream = await open(next)
    stream.disconnect()
    expect(stream.status).toBe(200)
  })
}

describe('somebody who opens many streams', () => {
  it('gets 50 of an organisation and 100 of an account, wherever they come from', async () => {
    const [first, second, third] = orgs.map((orgId) => ({
      token: owner,
      orgId,
      address: newAddress,
    }))
    if (first === undefined || second === undefined || third === undefined) throw new Error('orgs')
    const held = await hold(first, PER_ORG)
    expect(await refusalOf(first)).toBe('An organisation can have at most 50 open streams.')
    held.push(...(await hold(second, PER_ACCOUNT - PER_ORG)))
    expect(await refusalOf(third)).toBe('An account can have at most 100 open streams.')
    await release(held, third)
  })

  it('gets 100 at an address, however many accounts they have', async () => {
    const address = newAddress()
    const from = await Promise.all(
      ['one', 'two', 'three'].map(async (name): Promise<From> => {
        const { token } = await t.newUser(`streaming-${name}@example.com`)
        return { token, orgId: await newOrg(token, `streams-${name}`), address: () => address }
      }),
    )
    const [one, two, three] = from
    if (one === undefined || two === undefined || three === undefined) throw new Error('accounts')
    const held = [...(await hold(one, PER_ORG)), ...(await hold(two, PER_ADDRESS - PER_ORG))]
    expect(await refusalOf(three)).toBe('An address can have at most 100 open streams.')
    expect((await open({ ...three, address: newAddress })).status).toBe(200)
    await release(held, three)
  })

  it('loses all streams of a revoked credential at once, for one question', async () => {
    const body = { org_id: t.first.org_id }
    const created = await t.call('POST', '/v1/api-keys', { token: owner, body })
    const from = { token: created.body.key, orgId: t.first.org_id, address: newAddress }
    const streams = await hold(from, 20)
    for (const stream of streams) await stream.waitFor('open')
    const query = vi.spyOn(pg.Client.prototype, 'query')
    onTestFinished(() => query.mockRestore())
    await t.call('DELETE', `/v1/api-keys/${created.body.key_id}`, { token: owner })
    query.mockClear()
    for (const stream of streams) {
      expect((await stream.waitFor('end')).data).toEqual({ reason: 'credential' })
    }
    const asked = query.mock.calls.filter(([first]) => /from "?api_key\b/.test(textOf(first)))
    expect(asked.length).toBeLessThan(5)
  })
})

function textOf(statement: unknown): string {
  if (typeof statement === 'string') return statement
  const { text } = statement as { text?: unknown }
  return typeof text === 'string' ? text : ''
}
