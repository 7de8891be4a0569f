import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { testDatabase } from '#harness/database.ts'
import { type AuditEntry, SYSTEM_ACTOR } from '../../../audit.ts'
import type { Database } from '../../../database/database.ts'
import { createSecretBox } from '../../../kernel/secrets.ts'
import { createKeyService } from './key-service.ts'

const BASE_URL = 'http://localhost:8787'
const user = { userId: 'user-1', emailVerified: true, sessionId: 'ses-1' }
const clock = testClock()
const database: Database = await testDatabase()
const entries: AuditEntry[] = []

beforeEach(async () => {
  await sql`delete from signing_key`.execute(database.db)
})

const createNode = (secret = 7) =>
  createKeyService({
    db: database.db,
    clock,
    audit: { record: async (_tx, entry) => void entries.push(entry) },
    secrets: createSecretBox(Buffer.alloc(32, secret)),
    baseUrl: BASE_URL,
  })

const kidOf = (token: string) => decodeProtectedHeader(token).kid

describe('signing keys', () => {
  it('are the same on all nodes that start together', async () => {
    const nodes = Array.from({ length: 6 }, () => createNode())
    await Promise.all(nodes.map((node) => node.prepareKeys()))
    const tokens = await Promise.all(nodes.map((node) => node.accessToken(user)))
    expect(new Set(tokens.map(kidOf)).size).toBe(1)
    expect(await createNode().publicKeys()).toHaveLength(1)
  })

  it('sign tokens that anybody can verify with the published key set', async () => {
    const node = createNode()
    const token = await node.accessToken(user)
    const keys = await node.publicKeys()
    const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet({ keys }), {
      issuer: BASE_URL,
      audience: 'touchstone',
      currentDate: clock.now(),
    })
    expect(protectedHeader).toMatchObject({ alg: 'EdDSA', kid: keys[0]?.kid })
    expect(payload).toMatchObject({ sub: 'user-1', email_verified: true })
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(900)
  })

  it('are published without the private key, which is stored only encrypted', async () => {
    const node = createNode()
    await node.prepareKeys()
    expect(JSON.stringify(await node.publicKeys())).not.toContain('"d"')
    const { rows } = await sql`select * from signing_key`.execute(database.db)
    expect(JSON.stringify(rows)).not.toContain('PRIVATE KEY')
  })

  it('are found by id until their last token has expired', async () => {
    const node = createNode()
    const token = await node.accessToken(user)
    const old = String(kidOf(token))
    const next = await node.rotate(SYSTEM_ACTOR)
    expect(next).not.toBe(old)
    expect(kidOf(await node.accessToken(user))).toBe(next)
    expect((await node.publicKeys()).map((key) => key.kid).sort()).toEqual([old, next].sort())
    clock.advance(17 * 60_000)
    expect(await createNode().findPublicKey(old)).toBeDefined()
    clock.advance(44 * 60_000)
    expect(await createNode().findPublicKey(old)).toBeUndefined()
    expect((await node.publicKeys()).map((key) => key.kid)).toEqual([next])
    expect(await node.purgeKeys()).toBe(1)
    expect(entries.map((entry) => entry.action)).toContain('signing_key.rotated')
  })

  it('rotated by two nodes at the same time give one new key', async () => {
    await createNode().prepareKeys()
    const kids = await Promise.all([
      createNode().rotate(SYSTEM_ACTOR),
      createNode().rotate(SYSTEM_ACTOR),
    ])
    const current = kidOf(await createNode().accessToken(user))
    expect(kids).toContain(current)
    const { rows } = await sql`select 1 from signing_key where retired_at is null`.execute(
      database.db,
    )
    expect(rows).toHaveLength(1)
  })

  it('rotated by one node verify on the others immediately and sign there within a minute', async () => {
    const [one, two] = [createNode(), createNode()]
    await Promise.all([one.prepareKeys(), two.prepareKeys()])
    const next = await one.rotate(SYSTEM_ACTOR)
    expect(await two.findPublicKey(next)).toBeDefined()
    clock.advance(60_000)
    expect(kidOf(await two.accessToken(user))).toBe(next)
  })

  it('encrypted with another SECRET_KEY stop the node with an error that names SECRET_KEY', async () => {
    await createNode(7).prepareKeys()
    await expect(createNode(8).prepareKeys()).rejects.toThrow(/SECRET_KEY/)
  })
})
