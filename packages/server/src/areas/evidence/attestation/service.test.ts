import { base64ToBytes, hexToBytes } from '@touchstone/protocol/base'
import { type PublishedKey, verifyEd25519 } from '@touchstone/protocol/crypto'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { testDatabase, testNotices } from '#harness/database.ts'
import { eventually } from '#harness/eventually.ts'
import { type AuditEntry, SYSTEM_ACTOR } from '../../../audit.ts'
import {
  createNode,
  type NodeOptions,
  removeKeys,
  TEST_KEY_ID,
  TEST_SEED,
} from './attestation.fixture.ts'

const clock = testClock()
const database = await testDatabase()
const { db } = database
const notices = await testNotices(database)
const quiet = { ...notices, on: () => undefined, onReset: () => undefined }

const newNode = (options: NodeOptions = {}) => createNode({ db, clock, notices }, options).service

beforeEach(() => removeKeys(db))

const OTHER_SEED = Buffer.alloc(32, 3)

const idsOf = (keys: readonly PublishedKey[]) => keys.map((key) => key.key_id)
const activeOf = (keys: readonly PublishedKey[]) => idsOf(keys.filter((key) => key.is_active))

function isSignedBy(key: PublishedKey | undefined, message: string, signature: string): boolean {
  if (key === undefined) return false
  const bytes = base64ToBytes(signature) ?? new Uint8Array()
  return verifyEd25519({ signature: bytes, message, publicKey: hexToBytes(key.public_key) })
}

/** Blocks all callers at the change of keys, after each has read, and then releases them together. */
async function together<T>(works: readonly (() => Promise<T>)[]): Promise<T[]> {
  const begun: Promise<T>[] = []
  await db.transaction().execute(async (tx) => {
    await sql`lock table attestation_key in share row exclusive mode`.execute(tx)
    begun.push(...works.map((work) => work()))
    await eventually(async () => {
      const waiting = await sql`select 1 from pg_locks join pg_database on oid = database
        where datname = current_database() and not granted
        and relation = 'attestation_key'::regclass`.execute(db)
      expect(waiting.rows).toHaveLength(works.length)
    })
  })
  return Promise.all(begun)
}

describe('the attestation key', () => {
  it('is generated on first use, and its signatures verify with the published key', async () => {
    const node = newNode()
    const signer = await node.signer()
    const [key] = await node.publishedKeys()
    expect(key).toMatchObject({ key_id: signer.keyId, is_active: true })
    expect(key?.created_at).toBe(clock.now().toISOString())
    expect(isSignedBy(key, 'payload', signer.sign('payload'))).toBe(true)
    expect(isSignedBy(key, 'another', signer.sign('payload'))).toBe(false)
    expect((await newNode().signer()).keyId).toBe(signer.keyId)
  })

  it('is derived from the configured seed', async () => {
    const node = newNode({ seed: TEST_SEED })
    await node.prepare()
    expect(await node.publishedKeys()).toMatchObject([
      { key_id: TEST_KEY_ID, x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo', is_active: true },
    ])
  })

  it('is the same on nodes that start concurrently', async () => {
    const entries: AuditEntry[] = []
    const nodes = Array.from({ length: 6 }, () => newNode({ entries }))
    await together(nodes.map((node) => node.prepare))
    const signers = await Promise.all(nodes.map((node) => node.signer()))
    expect(new Set(signers.map((signer) => signer.keyId)).size).toBe(1)
    expect(await newNode().publishedKeys()).toHaveLength(1)
    expect(entries).toHaveLength(1)
  })

  it('is one of the configured keys if nodes with different seeds start concurrently', async () => {
    const nodes = [newNode({ seed: TEST_SEED }), newNode({ seed: OTHER_SEED })]
    await Promise.all(nodes.map((node) => node.prepare()))
    const keys = await newNode().publishedKeys()
    expect(activeOf(keys)).toHaveLength(1)
    await eventually(async () => {
      for (const node of nodes) expect([(await node.signer()).keyId]).toEqual(activeOf(keys))
    })
  })

  it('is stored only encrypted, and its seed is wiped when it is retired', async () => {
    const node = newNode({ seed: TEST_SEED })
    await node.prepare()
    const stored = async () => {
      const rows = await sql<{ text: string }>`select attestation_key::text as text
        from attestation_key`.execute(db)
      return rows.rows.map((row) => row.text).join('\n')
    }
    const active = await stored()
    expect(active).toContain('v1.')
    for (const spelling of ['hex', 'base64', 'base64url'] as const) {
      expect(active.toLowerCase()).not.toContain(TEST_SEED.toString(spelling).toLowerCase())
    }
    await newNode().rotate(SYSTEM_ACTOR)
    const { rows } = await sql`select 1 from attestation_key
      where key_id = ${TEST_KEY_ID} and seed_sealed is null`.execute(db)
    expect(rows).toHaveLength(1)
  })

  it('encrypted with a different SECRET_KEY stops the node with a clear message and changes nothing', async () => {
    await newNode({ secret: 7 }).prepare()
    const keys = await newNode().publishedKeys()
    await expect(newNode({ secret: 8 }).prepare()).rejects.toThrow(/SECRET_KEY/)
    await expect(newNode({ secret: 8, seed: TEST_SEED }).prepare()).rejects.toThrow(/SECRET_KEY/)
    expect(await newNode().publishedKeys()).toEqual(keys)
  })

  it('is read again after a failed read', async () => {
    const wrong = { ...notices, publish: () => Promise.reject(new Error('no line')) }
    const node = createNode({ db, clock, notices: wrong }).service
    await expect(node.signer()).rejects.toThrow('no line')
    await newNode().prepare()
    expect((await node.signer()).keyId).toBe((await newNode().signer()).keyId)
  })
})

describe('rotation', () => {
  it('makes a new key active and keeps every older one published', async () => {
    const entries: AuditEntry[] = []
    const node = newNode({ entries })
    const first = await node.signer()
    clock.advance(1000)
    const second = await node.rotate(SYSTEM_ACTOR)
    clock.advance(1000)
    const third = await node.rotate(SYSTEM_ACTOR)
    clock.advance(10 * 365 * 86_400_000)
    const keys = await node.publishedKeys()
    expect(idsOf(keys)).toEqual([third, second, first.keyId])
    expect(activeOf(keys)).toEqual([third])
    expect((await node.signer()).keyId).toBe(third)
    expect(isSignedBy(keys[2], 'old', first.sign('old'))).toBe(true)
    expect(entries.at(-1)).toMatchObject({
      orgId: null,
      action: 'attestation_key.activated',
      target: { type: 'attestation_key', id: third },
      changes: { active_key_id: { from: second, to: third } },
    })
  })

  it('reaches the other nodes by a notification', async () => {
    const other = newNode()
    await other.prepare()
    const next = await newNode().rotate(SYSTEM_ACTOR)
    await eventually(async () => expect((await other.signer()).keyId).toBe(next))
  })

  it('is seen after the connection for notifications was down', async () => {
    const resets: (() => void)[] = []
    const down = { ...quiet, onReset: (listener: () => void) => void resets.push(listener) }
    const other = createNode({ db, clock, notices: down }).service
    const { keyId: before } = await other.signer()
    const next = await newNode().rotate(SYSTEM_ACTOR)
    expect((await other.signer()).keyId).toBe(before)
    for (const reset of resets) reset()
    expect((await other.signer()).keyId).toBe(next)
  })

  it('by a node that missed the last rotation still makes a new key', async () => {
    const deaf = createNode({ db, clock, notices: quiet }).service
    await deaf.prepare()
    const second = await newNode().rotate(SYSTEM_ACTOR)
    const third = await deaf.rotate(SYSTEM_ACTOR)
    expect(third).not.toBe(second)
    expect(await newNode().publishedKeys()).toHaveLength(3)
  })

  it('by several nodes concurrently makes one new key', async () => {
    const nodes = [newNode(), newNode(), newNode()]
    await nodes[0]?.prepare()
    const made = await together(nodes.map((node) => () => node.rotate(SYSTEM_ACTOR)))
    expect(new Set(made).size).toBe(1)
    const keys = await newNode().publishedKeys()
    expect(keys).toHaveLength(2)
    expect(activeOf(keys)).toEqual(made.slice(0, 1))
  })

  it('happens at start if a different seed is configured, and back again', async () => {
    await newNode().prepare()
    const [generated] = idsOf(await newNode().publishedKeys())
    clock.advance(1000)
    await newNode({ seed: TEST_SEED }).prepare()
    clock.advance(1000)
    await newNode({ seed: OTHER_SEED }).prepare()
    const keys = await newNode().publishedKeys()
    expect(idsOf(keys).slice(1)).toEqual([TEST_KEY_ID, generated])
    clock.advance(1000)
    const again = newNode({ seed: TEST_SEED })
    await again.prepare()
    expect((await again.signer()).keyId).toBe(TEST_KEY_ID)
    const restored = await again.publishedKeys()
    expect(activeOf(restored)).toEqual([TEST_KEY_ID])
    expect(new Set(idsOf(restored))).toEqual(new Set(idsOf(keys)))
  })

  it('of a configured key is rejected, because the next start would undo it', async () => {
    const node = newNode({ seed: TEST_SEED })
    await node.prepare()
    await expect(node.rotate(SYSTEM_ACTOR)).rejects.toMatchObject({ code: 'conflict' })
    expect(activeOf(await node.publishedKeys())).toEqual([TEST_KEY_ID])
  })
})

describe('the table of keys', () => {
  it('keeps every key and allows one active key', async () => {
    await newNode().prepare()
    await expect(sql`delete from attestation_key`.execute(db)).rejects.toThrow('never changed')
    await expect(sql`truncate attestation_key`.execute(db)).rejects.toThrow('never changed')
    const second = sql`insert into attestation_key
      values ('key-2', '00', 'v1.', now(), null)`.execute(db)
    await expect(second).rejects.toThrow('attestation_key_active')
  })
})
