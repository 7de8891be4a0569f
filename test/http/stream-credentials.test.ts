import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type TestApp, type TestUser, testApp } from '#harness/app.ts'
import { type EventStream, openStream } from '#harness/stream.ts'

const RECHECK_MS = 50
const STREAMS = 6

let t: TestApp
let url: string
let owner: string
let members: TestUser[]

/** Statements that ask who somebody is and what they have access to. */
const JUDGING = /\b(app_user|org_member|login_session|api_key|second_factor)\b/
const query = vi.spyOn(pg.Client.prototype, 'query')
const judgingStatements = (): string[] =>
  query.mock.calls.map(([first]) => textOf(first)).filter((text) => JUDGING.test(text))

function textOf(statement: unknown): string {
  if (typeof statement === 'string') return statement
  const { text } = statement as { text?: unknown }
  return typeof text === 'string' ? text : ''
}

beforeAll(async () => {
  t = await testApp({
    env: { TRUSTED_HOPS: '1' },
    streamWaits: { recheckMs: RECHECK_MS, settledMs: 20 },
  })
  await t.app.server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = t.app.server.server.address() as AddressInfo
  url = `http://127.0.0.1:${port}/v1/orgs/${t.first.org_id}/stream`
  owner = await t.ownerToken()
  members = []
  while (members.length < STREAMS) {
    const email = `streaming-${members.length}@example.com`
    members.push(await t.newUser(email, { orgId: t.first.org_id, role: 'member' }))
  }
})

afterAll(() => query.mockRestore())

async function openAll(tokens: readonly string[]): Promise<EventStream[]> {
  const streams = await Promise.all(tokens.map((token) => openStream(url, token)))
  for (const stream of streams) await stream.waitFor('open')
  return streams
}

async function endedBy(stream: EventStream): Promise<unknown> {
  return (await stream.waitFor('end')).data.reason
}

const orgPath = (rest: string): string => `/v1/orgs/${t.first.org_id}${rest}`

async function newKey(): Promise<string> {
  const body = { role: 'auditor', scopes: ['read'] }
  const created = await t.call('POST', orgPath('/api-keys'), { token: owner, body })
  return created.body.key
}

describe('the credentials of open streams', () => {
  it('are judged again and again without a query', async () => {
    const keys: string[] = []
    while (keys.length < STREAMS) keys.push(await newKey())
    const streams = await openAll([...members.map(({ token }) => token), ...keys])
    // The first check fills the caches.
    await wait(4 * RECHECK_MS)
    query.mockClear()
    await wait(12 * RECHECK_MS)
    expect(judgingStatements()).toEqual([])
    expect(streams.some((stream) => stream.hasEnded())).toBe(false)
    for (const stream of streams) stream.disconnect()
  })

  it('are judged by the address of each stream', async () => {
    const body = { role: 'auditor', scopes: ['read'] }
    const { body: made } = await t.call('POST', orgPath('/api-keys'), { token: owner, body })
    const open = (address: string) => openStream(url, made.key, { 'x-forwarded-for': address })
    const [mine, thief] = [await open('192.0.2.1'), await open('198.51.100.7')]
    for (const stream of [mine, thief]) await stream.waitFor('open')
    const allowed = { allowed_ips: ['192.0.2.0/24'] }
    await t.call('PATCH', orgPath(`/api-keys/${made.key_id}`), { token: owner, body: allowed })
    expect(await endedBy(thief)).toBe('credential')
    await wait(4 * RECHECK_MS)
    expect(mine.hasEnded()).toBe(false)
    mine.disconnect()
  })

  it('lose access by any change that takes it, whichever feature makes it', async () => {
    const [leaving, demoted, erased, ended, unprotected] = members
    const tokens = [leaving, demoted, erased, ended, unprotected].map((one) => one?.token ?? '')
    const [left, byDemoted, byErased, byEnded, byUnprotected] = await openAll(tokens)
    await wait(4 * RECHECK_MS)
    await t.call('DELETE', orgPath(`/members/${leaving?.userId}`), { token: owner })
    expect(left && (await endedBy(left))).toBe('credential')
    await sql`update app_user set erased_at = now() where user_id = ${erased?.userId}`.execute(
      t.app.kernel.db,
    )
    expect(byErased && (await endedBy(byErased))).toBe('credential')
    await t.call('DELETE', '/v1/auth/sessions', { token: ended?.token })
    expect(byEnded && (await endedBy(byEnded))).toBe('credential')
    expect(byDemoted?.hasEnded()).toBe(false)
    await sql`update org set requires_second_factor = true where org_id = ${t.first.org_id}`.execute(
      t.app.kernel.db,
    )
    for (const stream of [byDemoted, byUnprotected]) {
      expect(stream && (await endedBy(stream))).toBe('credential')
    }
  })
})
