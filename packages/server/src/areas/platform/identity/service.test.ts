import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SignJWT } from 'jose'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { testDatabase } from '#harness/database.ts'
import type { AuditEntry } from '../../../audit.ts'
import type { Database } from '../../../database/database.ts'
import { transact } from '../../../kernel/db.ts'
import type { PublicJwk } from './claims.ts'
import { createIdentityService, type IdentityService } from './service.ts'

const BASE_URL = 'http://localhost:8787'
const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const exported = publicKey.export({ format: 'jwk' })
const key: PublicJwk = { kty: 'OKP', crv: 'Ed25519', x: String(exported.x), kid: 'k' }
const clock = testClock()
const entries: AuditEntry[] = []
const server = createServer((_req, res) => void res.end(JSON.stringify({ keys: [key] })))

let database: Database
let people: IdentityService

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const jwksUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  database = await testDatabase()
  people = createIdentityService({
    db: database.db,
    clock,
    audit: { record: async (_tx, entry) => void entries.push(entry) },
    baseUrl: BASE_URL,
    oidcIssuers: ['https://one.example', 'https://two.example'].map((issuer) => ({
      issuer,
      audience: 'app',
      jwksUri,
    })),
    adminEmails: ['root@example.com'],
    ownKeys: { find: async (kid) => (kid === 'k' ? key : undefined) },
    ownSessions: { isLive: async (sessionId) => sessionId === 'ses-live' },
    onError: () => undefined,
  })
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

type Claims = { iss?: string; sub?: string; [claim: string]: unknown }

function tokenFor({ iss = 'https://one.example', sub = 'u', ...claims }: Claims): Promise<string> {
  const seconds = Math.floor(clock.nowMs() / 1000)
  // Our own tokens name their session.
  const session = iss === BASE_URL ? { sid: 'ses-live' } : {}
  return new SignJWT({ jti: String(Math.random()), ...session, ...claims })
    .setProtectedHeader({ alg: 'EdDSA', kid: 'k' })
    .setIssuer(iss)
    .setSubject(sub)
    .setAudience(iss === BASE_URL ? 'touchstone' : 'app')
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + 3600)
    .sign(privateKey)
}

const signIn = async (claims: Claims) => people.sessionUser(await tokenFor(claims))

const local = (email: string, more: object = {}) =>
  transact(database.db, (tx) =>
    people.findOrCreate(tx, {
      issuer: 'local',
      subject: email,
      email,
      emailVerified: false,
      name: null,
      ...more,
    }),
  )

describe('people of outside issuers', () => {
  it('are created at their first sign-in and found at the next', async () => {
    const claims = { sub: 'first', email: 'A@Example.com', email_verified: true, name: 'Ann' }
    const user = await signIn(claims)
    expect(user).toEqual({
      userId: expect.stringMatching(/^user-[0-9a-f-]{36}$/),
      email: 'a@example.com',
      emailVerified: true,
      name: 'Ann',
      issuer: 'https://one.example',
      isPlatformAdmin: false,
    })
    expect((await signIn(claims))?.userId).toBe(user?.userId)
    const about = entries.filter((entry) => entry.target.id === user?.userId)
    expect(about.map((entry) => entry.action)).toEqual(['user.created'])
  })

  it('are one person, however many requests arrive at the same time', async () => {
    const tokens = await Promise.all(Array.from({ length: 10 }, () => tokenFor({ sub: 'race' })))
    const users = await Promise.all(tokens.map((token) => people.sessionUser(token)))
    expect(new Set(users.map((user) => user?.userId)).size).toBe(1)
  })

  it('are never merged across issuers, not even with the same verified address', async () => {
    const claims = { sub: 'same', email: 'same@example.com', email_verified: true }
    const one = await signIn(claims)
    const two = await signIn({ ...claims, iss: 'https://two.example' })
    expect(one?.userId).not.toBe(two?.userId)
  })

  it('get their profile updated from the claims of each token', async () => {
    const sub = 'changing'
    await signIn({ sub, email: 'old@example.com', email_verified: true, name: 'Old' })
    expect(await signIn({ sub, email: 'new@example.com' })).toMatchObject({
      email: 'new@example.com',
      emailVerified: false,
      name: 'Old',
    })
    expect(await signIn({ sub })).toMatchObject({ email: 'new@example.com' })
  })

  it('are platform administrators by a verified, listed address', async () => {
    const email = 'root@example.com'
    expect(await signIn({ sub: 'r1', email, email_verified: true })).toMatchObject({
      isPlatformAdmin: true,
    })
    expect(await signIn({ sub: 'r2', email })).toMatchObject({ isPlatformAdmin: false })
  })

  it('are refused with a malformed token', async () => {
    expect(await people.sessionUser('nonsense')).toBeUndefined()
  })
})

describe('our own tokens', () => {
  it('identify the person, whose issuer comes from the database', async () => {
    const { userId } = await local('own@example.com')
    expect(await signIn({ iss: BASE_URL, sub: userId })).toMatchObject({ userId, issuer: 'local' })
    expect(await signIn({ iss: BASE_URL, sub: 'user-unknown' })).toBeUndefined()
  })

  it('issued before an address was verified gain nothing from a later verification', async () => {
    const { userId } = await local('root@example.com')
    const before = await tokenFor({ iss: BASE_URL, sub: userId, email_verified: false })
    await transact(database.db, (tx) => people.confirmEmail(tx, userId))
    expect(await people.sessionUser(before)).toMatchObject({
      emailVerified: false,
      isPlatformAdmin: false,
    })
    expect(await signIn({ iss: BASE_URL, sub: userId, email_verified: true })).toMatchObject({
      emailVerified: true,
      isPlatformAdmin: true,
    })
  })

  it('are refused once their session has ended, and without a session', async () => {
    const { userId: sub } = await local('ended@example.com')
    expect(await signIn({ iss: BASE_URL, sub })).toMatchObject({ sessionId: 'ses-live' })
    expect(await signIn({ iss: BASE_URL, sub, sid: 'ses-ended' })).toBeUndefined()
    expect(await signIn({ iss: BASE_URL, sub, sid: undefined })).toBeUndefined()
  })

  it('expire on time even when a verification is cached', async () => {
    const { userId } = await local('timed@example.com')
    const token = await tokenFor({ iss: BASE_URL, sub: userId })
    clock.advance(3_600_000 + 30_000)
    expect(await people.sessionUser(token)).toBeDefined()
    clock.advance(30_000)
    expect(await people.sessionUser(token)).toBeUndefined()
  })
})

describe('the first account', () => {
  it('is an administrator, and there is never a second one', async () => {
    expect(await people.hasFirst(database.db)).toBe(false)
    const first = await local('first@example.com', { isFirst: true })
    expect(await people.find(first.userId)).toMatchObject({ isPlatformAdmin: true })
    expect(await people.hasFirst(database.db)).toBe(true)
    await expect(local('second@example.com', { isFirst: true })).rejects.toThrow()
  })
})

describe('erase', () => {
  const erase = (userId: string) => transact(database.db, (tx) => people.erase(tx, userId))

  it('keeps only the opaque id', async () => {
    const { userId } = await local('gone@example.com', { name: 'Gone' })
    await erase(userId)
    expect(await people.find(userId)).toBeUndefined()
    expect(await people.emails(database.db, [userId])).toEqual(new Map())
    const { rows } = await sql<object>`select * from app_user where user_id = ${userId}`.execute(
      database.db,
    )
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toMatch(/gone@example|Gone/)
  })

  it("invalidates the person's tokens, while a later sign-in creates a new person", async () => {
    const sub = 'comes-back'
    const claims = { sub, email: 'back@example.com', email_verified: true }
    const old = await tokenFor(claims)
    const unseen = await tokenFor(claims)
    const before = await people.sessionUser(old)
    await erase(before?.userId ?? '')
    expect(await people.sessionUser(old)).toBeUndefined()
    expect(await people.sessionUser(unseen)).toBeUndefined()
    clock.advance(61_000)
    const after = await signIn(claims)
    expect(after?.userId).toBeDefined()
    expect(after?.userId).not.toBe(before?.userId)
    expect(await people.sessionUser(old)).toBeUndefined()
    expect(await people.sessionUser(unseen)).toBeUndefined()
  })

  it('deletes the hash of the former identity when none of its tokens can be valid', async () => {
    const user = await signIn({ sub: 'forgotten' })
    await erase(user?.userId ?? '')
    await people.purge(new Date(clock.nowMs() + 24 * 3_600_000))
    const left = () =>
      sql<{ n: number }>`select count(*) as n from app_user where former_hash is not null
        and user_id = ${user?.userId}`.execute(database.db)
    expect((await left()).rows[0]?.n).toBe(1)
    await people.purge(new Date(clock.nowMs() + 26 * 3_600_000))
    expect((await left()).rows[0]?.n).toBe(0)
  })
})

describe('emails', () => {
  it('returns addresses by user id', async () => {
    const { userId } = await local('known@example.com')
    expect(await people.emails(database.db, [userId, 'user-unknown'])).toEqual(
      new Map([[userId, 'known@example.com']]),
    )
    expect(await people.emails(database.db, [])).toEqual(new Map())
  })
})
