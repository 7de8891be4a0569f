import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { testDatabase } from '#harness/database.ts'
import { type AuditEntry, personActor } from '../../../audit.ts'
import type { Database } from '../../../database/database.ts'
import { HOUR_MS } from '../../../kernel/clock.ts'
import { createImpersonationService, type ImpersonationService } from './service.ts'

const START = '2026-03-01T12:00:00.000Z'
const clock = testClock(START)
const origin = { ip: '127.0.0.1', requestId: 'req-1' }
const admin = personActor('user-admin', origin)
const otherAdmin = personActor('user-other', origin)
const underImpersonation = { ...personActor('user-target', origin), impersonatedBy: 'user-admin' }

let database: Database
let service: ImpersonationService
let entries: AuditEntry[]
let admins: Set<string>

beforeAll(async () => {
  database = await testDatabase()
  const known = new Set(['user-admin', 'user-other', 'user-target'])
  service = createImpersonationService({
    db: database.db,
    clock,
    audit: { record: async (_tx, entry) => void entries.push(entry) },
    people: {
      find: async (userId) =>
        known.has(userId)
          ? { userId, email: `${userId}@example.com`, isPlatformAdmin: admins.has(userId) }
          : undefined,
    },
    memberships: {
      membershipsOf: async (userId) =>
        userId === 'user-target' ? [{ orgId: 'org-1' }, { orgId: 'org-2' }] : [],
    },
  })
})

beforeEach(() => {
  clock.set(START)
  entries = []
  admins = new Set(['user-admin', 'user-other'])
})

function start(actor = admin) {
  return service.start({ actor, targetUserId: 'user-target', reason: 'ticket 7' })
}

describe('starting a session', () => {
  it('returns a token of 64 hexadecimal digits for one hour and stores only its hash', async () => {
    const { session, token, targetEmail } = await start()
    expect(token).toMatch(/^[0-9a-f]{64}$/)
    expect(targetEmail).toBe('user-target@example.com')
    expect(session.expiresAt.toISOString()).toBe('2026-03-01T13:00:00.000Z')
    const rows = await sql`select * from impersonation_session
      where session_id = ${session.sessionId}`.execute(database.db)
    expect(JSON.stringify(rows.rows)).not.toContain(token)
    expect(JSON.stringify(entries)).not.toContain(token)
  })

  it('is recorded for the platform and for each organisation of the target', async () => {
    const { session } = await start()
    expect(entries.map((entry) => entry.orgId)).toEqual([null, 'org-1', 'org-2'])
    for (const entry of entries) {
      expect(entry).toMatchObject({
        action: 'impersonation.started',
        actor: admin,
        target: { type: 'impersonation_session', id: session.sessionId },
        changes: {
          target_user_id: { from: null, to: 'user-target' },
          reason: { from: null, to: 'ticket 7' },
        },
      })
    }
  })

  it('refuses administrators and unknown users as targets and records nothing', async () => {
    const of = (targetUserId: string) => service.start({ actor: admin, targetUserId, reason: 'x' })
    await expect(of('user-other')).rejects.toMatchObject({ code: 'forbidden' })
    await expect(of('user-admin')).rejects.toMatchObject({ code: 'forbidden' })
    await expect(of('user-nobody')).rejects.toMatchObject({ code: 'not_found' })
    expect(entries).toEqual([])
  })
})

describe('a session token', () => {
  it('resolves to the target for the administrator who started the session', async () => {
    const { session, token } = await start()
    expect(await service.resolve('user-admin', token)).toEqual({
      sessionId: session.sessionId,
      targetUserId: 'user-target',
    })
  })

  it('is refused for another administrator, malformed, unknown, or after an hour', async () => {
    const { token } = await start()
    expect(await service.resolve('user-other', token)).toBeUndefined()
    expect(await service.resolve('user-admin', token.toUpperCase())).toBeUndefined()
    expect(await service.resolve('user-admin', 'f'.repeat(64))).toBeUndefined()
    clock.advance(HOUR_MS)
    expect(await service.resolve('user-admin', token)).toBeUndefined()
  })

  it('is refused after its session was ended', async () => {
    const { session, token } = await start()
    await service.end(session.sessionId, admin)
    expect(await service.resolve('user-admin', token)).toBeUndefined()
  })

  it('is refused when its administrator loses that role or its target gains it', async () => {
    const { token } = await start()
    admins.add('user-target')
    expect(await service.resolve('user-admin', token)).toBeUndefined()
    admins = new Set(['user-other'])
    expect(await service.resolve('user-admin', token)).toBeUndefined()
  })
})

describe('ending a session', () => {
  it('is recorded like the start, once, even for concurrent requests', async () => {
    const { session } = await start()
    entries = []
    const both = await Promise.allSettled([
      service.end(session.sessionId, admin),
      service.end(session.sessionId, admin),
    ])
    expect(both.map((result) => result.status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(entries.map((entry) => [entry.action, entry.orgId])).toEqual([
      ['impersonation.ended', null],
      ['impersonation.ended', 'org-1'],
      ['impersonation.ended', 'org-2'],
    ])
  })

  it('is refused to other administrators and for sessions that have ended or never existed', async () => {
    const { session } = await start()
    const end = (actor = admin, id = session.sessionId) => service.end(id, actor)
    await expect(end(otherAdmin)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(end(admin, 'ais-none')).rejects.toMatchObject({ code: 'not_found' })
    clock.advance(HOUR_MS)
    await expect(end()).rejects.toMatchObject({ code: 'gone' })
    await expect(service.get(session.sessionId)).rejects.toMatchObject({ code: 'gone' })
    await expect(service.get('ais-none')).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('a request under impersonation', () => {
  it('is recorded as the target, impersonated by the administrator, without its query', async () => {
    const { session } = await start()
    entries = []
    await service.recordRequest({
      sessionId: session.sessionId,
      actor: underImpersonation,
      method: 'GET',
      path: '/v1/orgs/org-1/members?email=someone@example.com',
    })
    expect(entries.map((entry) => entry.orgId)).toEqual([null, 'org-1', 'org-2'])
    expect(entries[2]).toEqual({
      orgId: 'org-2',
      action: 'impersonation.request',
      actor: underImpersonation,
      target: { type: 'impersonation_session', id: session.sessionId },
      changes: {
        method: { from: null, to: 'GET' },
        path: { from: null, to: '/v1/orgs/org-1/members' },
      },
    })
  })
})

describe('retention', () => {
  it('keeps a session for 90 days after it ended or expired', async () => {
    await service.purge(new Date('2030-01-01T00:00:00Z'))
    await start()
    const { session: ended } = await start()
    await service.end(ended.sessionId, admin)
    expect(await service.purge(new Date('2026-05-30T12:00:00.000Z'))).toBe(0)
    expect(await service.purge(new Date('2026-05-30T12:00:00.001Z'))).toBe(1)
    expect(await service.purge(new Date('2026-05-30T13:00:00.001Z'))).toBe(1)
  })
})
