import { describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { testDatabase, testNotices } from '#harness/database.ts'
import { eventually } from '#harness/eventually.ts'
import { actorFor, createNode, deviceAt, PASSWORD } from './accounts.fixture.ts'

const clock = testClock()
const database = await testDatabase()
const { db } = database
const node = createNode(db, clock, { notices: await testNotices(database) })
const other = createNode(db, clock, { notices: await testNotices(database) })
const { accounts, people, entries } = node
const refused = (status: number) => expect.objectContaining({ status })

describe('sessions', () => {
  it('are listed with their device, the last used first', async () => {
    const first = await node.signup('list@x.example')
    clock.advance(60_000)
    await node.login('list@x.example', PASSWORD, deviceAt('198.51.100.9'))
    const { user_id: userId } = first.user
    const addresses = async () => (await accounts.listSessions(userId)).map((s) => s.address)
    expect(await addresses()).toEqual(['198.51.100.9', '192.0.2.1'])
    clock.advance(60_000)
    await people.sessionUser(first.access_token)
    expect(await addresses()).toEqual(['192.0.2.1', '198.51.100.9'])
    expect((await accounts.listSessions(userId))[0]).toMatchObject({
      userAgent: 'test',
      lastUsedAt: clock.now(),
    })
    clock.advance(60_000)
    await accounts.refresh(first.refresh_token, deviceAt('203.0.113.77'))
    expect(await addresses()).toEqual(['203.0.113.77', '198.51.100.9'])
  })

  it('end with their access and refresh tokens, on every node within a second', async () => {
    const mine = await node.signup('end@x.example')
    const stays = await node.login('end@x.example', PASSWORD)
    const actor = actorFor(mine.user.user_id)
    // Both nodes have the session in their caches.
    expect(await other.people.sessionUser(mine.access_token)).toBeDefined()
    const user = await people.sessionUser(mine.access_token)
    await accounts.endSession(actor, user?.sessionId ?? '')
    expect(await people.sessionUser(mine.access_token)).toBeUndefined()
    await eventually(async () =>
      expect(await other.people.sessionUser(mine.access_token)).toBeUndefined(),
    )
    await expect(accounts.refresh(mine.refresh_token, deviceAt('192.0.2.1'))).rejects.toEqual(
      refused(401),
    )
    expect(await other.people.sessionUser(stays.access_token)).toBeDefined()
    const again = accounts.endSession(actor, user?.sessionId ?? '')
    await expect(again).rejects.toEqual(refused(404))
    expect(entries.map((entry) => entry.action)).toContain('session.ended')
  })

  it('of somebody else cannot be ended', async () => {
    const mine = await node.signup('mine@x.example')
    const theirs = await node.signup('theirs@x.example')
    const { sessionId = '' } = (await people.sessionUser(theirs.access_token)) ?? {}
    const attempt = accounts.endSession(actorFor(mine.user.user_id), sessionId)
    await expect(attempt).rejects.toEqual(refused(404))
    expect(await people.sessionUser(theirs.access_token)).toBeDefined()
  })

  it('all end at once, however many there are', async () => {
    const first = await node.signup('all@x.example')
    const second = await node.login('all@x.example', PASSWORD)
    for (const tokens of [first, second]) {
      expect(await other.people.sessionUser(tokens.access_token)).toBeDefined()
    }
    expect(await accounts.endAllSessions(actorFor(first.user.user_id))).toBe(2)
    for (const tokens of [first, second]) {
      expect(await people.sessionUser(tokens.access_token)).toBeUndefined()
      await eventually(async () =>
        expect(await other.people.sessionUser(tokens.access_token)).toBeUndefined(),
      )
    }
    expect(await accounts.listSessions(first.user.user_id)).toEqual([])
  })

  it('end with a new password and with a logout', async () => {
    const tokens = await node.signup('ends@x.example')
    const actor = actorFor(tokens.user.user_id)
    const device = deviceAt('192.0.2.1')
    const change = { currentPassword: PASSWORD, newPassword: 'another good password', device }
    await accounts.changePassword(actor, change)
    expect(await people.sessionUser(tokens.access_token)).toBeUndefined()
    const next = await node.login('ends@x.example', 'another good password')
    expect(await people.sessionUser(next.access_token)).toBeDefined()
    await accounts.logout(next.refresh_token)
    expect(await people.sessionUser(next.access_token)).toBeUndefined()
  })
})
