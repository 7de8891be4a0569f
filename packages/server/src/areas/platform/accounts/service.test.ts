import { hash } from '@node-rs/argon2'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { testDatabase } from '#harness/database.ts'
import { transact } from '../../../kernel/db.ts'
import { Problem } from '../../../kernel/problem.ts'
import { actorFor, createNode, DEVICE, deviceAt, PASSWORD } from './accounts.fixture.ts'

const clock = testClock()
const { db } = await testDatabase()
const node = createNode(db, clock)
const { accounts, people, entries, login } = node

const userIdOf = (tokens: { user: { user_id: string } }) => tokens.user.user_id
const actionsOn = (userId: string) =>
  entries.filter((entry) => entry.target.id === userId).map((entry) => entry.action)
const refused = (status: number) => expect.objectContaining({ status })

describe('the first account', () => {
  it('is created once, however many people sign up at the same moment', async () => {
    expect(await accounts.hasAny(db)).toBe(false)
    const emails = ['a@first.example', 'b@first.example', 'c@first.example', 'd@first.example']
    const invite = createNode(db, clock, { signupMode: 'invite' })
    const outcomes = await Promise.allSettled(emails.map((email) => invite.signup(email)))
    const created = outcomes.filter((outcome) => outcome.status === 'fulfilled')
    expect(created).toHaveLength(1)
    const rejected = outcomes.filter((outcome) => outcome.status === 'rejected')
    for (const outcome of rejected) expect(outcome.reason).toEqual(refused(403))
    const first = await people.find(userIdOf(created[0]?.value ?? { user: { user_id: '' } }))
    expect(first).toMatchObject({ isPlatformAdmin: true, emailVerified: false })
    expect(await accounts.hasAny(db)).toBe(true)
    const again = transact(db, (tx) =>
      accounts.createFirst(tx, { email: 'z@first.example', password: PASSWORD, name: null }),
    )
    await expect(again).rejects.toEqual(refused(409))
  })

  it('cannot be created a second time after it is deleted', async () => {
    const { rows } = await sql<{ user_id: string }>`select user_id from app_user
      where is_first`.execute(db)
    await accounts.deleteAccount(actorFor(rows[0]?.user_id ?? ''))
    expect(await accounts.hasAny(db)).toBe(true)
    const invite = createNode(db, clock, { signupMode: 'invite' })
    await expect(invite.signup('late@first.example')).rejects.toEqual(refused(403))
  })
})

describe('sign-up', () => {
  it('creates one account per address, even for concurrent requests', async () => {
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => node.signup('one@x.example')))
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1)
    await expect(node.signup('one@x.example')).rejects.toEqual(refused(409))
    const { rows } = await sql`select 1 from app_user where email = 'one@x.example'`.execute(db)
    expect(rows).toHaveLength(1)
  })

  it('is refused when the sign-up mode is closed', async () => {
    const closed = createNode(db, clock, { signupMode: 'closed' })
    await expect(closed.signup('closed@x.example', 'tsi_any')).rejects.toEqual(refused(403))
  })

  it('requires a valid invitation and does not otherwise reveal whether an address is taken', async () => {
    const invite = createNode(db, clock, { signupMode: 'invite' })
    await expect(invite.signup('one@x.example')).rejects.toEqual(refused(403))
    await expect(invite.signup('one@x.example', 'tsi_bad')).rejects.toEqual(refused(403))
    await expect(invite.signup('none@x.example', 'tsi_bad')).rejects.toEqual(refused(403))
    const { rows } = await sql`select 1 from app_user where email = 'none@x.example'`.execute(db)
    expect(rows).toHaveLength(0)
  })

  it('accepts the invitation of an e-mail in the same transaction, which verifies the address', async () => {
    const accepted: unknown[] = []
    const invite = createNode(db, clock, {
      signupMode: 'invite',
      invitations: {
        async acceptIn(tx, token, user, actor) {
          expect(await invite.people.findIn(tx, user.userId)).toBeDefined()
          accepted.push({ token, email: user.email, by: actor.userId === user.userId })
        },
        isMailed: async () => true,
        deleteFor: async () => undefined,
      },
    })
    const member = await invite.signup('invited@x.example', 'tsi_good')
    expect(accepted).toEqual([{ token: 'tsi_good', email: 'invited@x.example', by: true }])
    expect(await people.find(userIdOf(member))).toMatchObject({ emailVerified: true })
  })
})

describe('login', () => {
  it('returns tokens that identify the person', async () => {
    const created = await node.signup('login@x.example')
    const tokens = await login('login@x.example', PASSWORD)
    expect(tokens).toMatchObject({ token_type: 'Bearer', expires_in: 900, user: created.user })
    expect(tokens.refresh_token).toMatch(/^tsr_[A-Za-z0-9_-]{43}$/)
    expect(await people.sessionUser(tokens.access_token)).toMatchObject({
      userId: userIdOf(created),
      issuer: 'local',
    })
  })

  it('waits after five failures at an unknown address, whether the account exists or not', async () => {
    await node.signup('slow@x.example')
    const stranger = deviceAt('203.0.113.1')
    for (const email of ['slow@x.example', 'nobody@x.example']) {
      for (let i = 0; i < 5; i += 1) {
        await expect(login(email, 'wrong password', stranger)).rejects.toEqual(refused(401))
      }
      for (const seconds of ['1', '2', '4', '8']) {
        const early = login(email, 'wrong password', stranger)
        const headers = { 'retry-after': seconds }
        await expect(early).rejects.toMatchObject({ status: 429, headers })
        // All nodes share the count, and waiting attempts are not counted.
        const other = createNode(db, clock).login(email, PASSWORD, stranger)
        await expect(other).rejects.toMatchObject({ status: 429, headers })
        clock.advance(Number(seconds) * 1000)
        await expect(login(email, 'wrong password', stranger)).rejects.toEqual(refused(401))
      }
    }
    await expect(login('slow@x.example', PASSWORD)).resolves.toBeDefined()
  })

  it('stores accounts and addresses only as keyed hashes', async () => {
    const { rows } = await sql`select * from sign_in_failure`.execute(db)
    const { rows: known } = await sql`select * from known_address`.execute(db)
    expect(rows.length).toBeGreaterThan(0)
    expect(known.length).toBeGreaterThan(0)
    expect(JSON.stringify([rows, known])).not.toMatch(/example|203\.0|192\.0/)
  })

  it('forgets an address 90 days after the last sign-in from it', async () => {
    const email = 'known@x.example'
    await node.signup(email)
    const fail = async (times: number) => {
      for (let i = 0; i < times; i += 1) await login(email, 'wrong').catch(() => undefined)
    }
    await fail(19)
    await expect(login(email, PASSWORD)).resolves.toBeDefined()
    clock.advance(90 * 86_400_000)
    await fail(5)
    await expect(login(email, PASSWORD)).rejects.toEqual(refused(429))
  })

  it('counts concurrent guesses, so guessing in parallel is no faster', async () => {
    // Several rounds, because a race shows only sometimes.
    for (const email of ['b1@x.example', 'b2@x.example', 'b3@x.example']) {
      const guesses = Array.from({ length: 20 }, () => login(email, 'wrong'))
      const outcomes = await Promise.allSettled(guesses)
      const statuses = outcomes.map((o) => (o.status === 'rejected' ? o.reason.status : 200))
      expect(statuses.filter((status) => status === 401)).toHaveLength(5)
      expect(statuses.filter((status) => status === 429)).toHaveLength(15)
    }
  })

  it('resets the failure count when it succeeds', async () => {
    await node.signup('forgets@x.example')
    for (let round = 0; round < 3; round += 1) {
      for (let i = 0; i < 4; i += 1) {
        await expect(login('forgets@x.example', 'wrong')).rejects.toEqual(refused(401))
      }
      await login('forgets@x.example', PASSWORD)
    }
  })

  it('rehashes the password when the hashing costs have been raised', async () => {
    const userId = userIdOf(await node.signup('old@x.example'))
    const weak = await hash(PASSWORD, { memoryCost: 8192, timeCost: 1, parallelism: 1 })
    await sql`update local_account set password_hash = ${weak} where user_id = ${userId}`.execute(
      db,
    )
    await login('old@x.example', PASSWORD)
    const { rows } = await sql<{ password_hash: string }>`select password_hash from local_account
      where user_id = ${userId}`.execute(db)
    expect(rows[0]?.password_hash).toContain('m=19456,t=2,p=1')
    await login('old@x.example', PASSWORD)
  })
})

describe('refresh tokens', () => {
  it('work once; reuse revokes the whole session and is recorded', async () => {
    const first = await node.signup('family@x.example')
    const second = await accounts.refresh(first.refresh_token, DEVICE)
    const third = await accounts.refresh(second.refresh_token, DEVICE)
    await expect(accounts.refresh(first.refresh_token, DEVICE)).rejects.toEqual(refused(401))
    await expect(accounts.refresh(third.refresh_token, DEVICE)).rejects.toEqual(refused(401))
    expect(actionsOn(userIdOf(first))).toContain('session.reuse_detected')
    const other = await login('family@x.example', PASSWORD)
    await expect(accounts.refresh(other.refresh_token, DEVICE)).resolves.toBeDefined()
  })

  it('used twice at the same moment revoke the session as well', async () => {
    const tokens = await node.signup('twice@x.example')
    const outcomes = await Promise.allSettled(
      Array.from({ length: 4 }, () => accounts.refresh(tokens.refresh_token, DEVICE)),
    )
    const won = outcomes.filter((outcome) => outcome.status === 'fulfilled')
    expect(won).toHaveLength(1)
    const next = won[0]?.value.refresh_token ?? ''
    await expect(accounts.refresh(next, DEVICE)).rejects.toEqual(refused(401))
  })

  it('expire 30 days after each is issued', async () => {
    const tokens = await node.signup('month@x.example')
    clock.advance(29 * 86_400_000)
    const next = await accounts.refresh(tokens.refresh_token, DEVICE)
    clock.advance(29 * 86_400_000)
    const last = await accounts.refresh(next.refresh_token, DEVICE)
    clock.advance(30 * 86_400_000)
    await expect(accounts.refresh(last.refresh_token, DEVICE)).rejects.toEqual(refused(401))
  })

  it('are stored only as hashes', async () => {
    const tokens = await node.signup('hashed@x.example')
    const { rows } = await sql`select * from refresh_token`.execute(db)
    expect(JSON.stringify(rows)).not.toContain(tokens.refresh_token)
  })

  it('are revoked by logout, which does not reveal whether there was a session', async () => {
    const tokens = await node.signup('logout@x.example')
    await accounts.logout(tokens.refresh_token)
    await accounts.logout(tokens.refresh_token)
    await accounts.logout('nonsense')
    await expect(accounts.refresh(tokens.refresh_token, DEVICE)).rejects.toEqual(refused(401))
  })

  it('stop working for local accounts, and only for those, when local sign-in is off', async () => {
    const off = createNode(db, clock, { localIdp: false })
    const tokens = await node.signup('off@x.example')
    await expect(off.accounts.refresh(tokens.refresh_token, DEVICE)).rejects.toEqual(refused(401))
    const saml = await transact(db, (tx) =>
      people.findOrCreate(tx, {
        issuer: 'saml:org-1',
        subject: 'name-id',
        email: 's@x.example',
        emailVerified: false,
        name: null,
      }),
    )
    const theirs = await off.accounts.tokensFor(saml.userId, DEVICE)
    await expect(off.accounts.refresh(theirs.refresh_token, DEVICE)).resolves.toBeDefined()
    await expect(off.accounts.tokensFor('user-unknown', DEVICE)).rejects.toEqual(refused(404))
  })
})

describe('passwords', () => {
  it('are changed only with the current one, which revokes all sessions', async () => {
    const tokens = await node.signup('change@x.example')
    const actor = actorFor(userIdOf(tokens))
    const newPassword = 'another good password'
    const wrong = accounts.changePassword(actor, {
      currentPassword: 'wrong',
      newPassword,
      device: DEVICE,
    })
    await expect(wrong).rejects.toEqual(refused(403))
    await accounts.changePassword(actor, { currentPassword: PASSWORD, newPassword, device: DEVICE })
    await expect(accounts.refresh(tokens.refresh_token, DEVICE)).rejects.toEqual(refused(401))
    await expect(login('change@x.example', PASSWORD)).rejects.toEqual(refused(401))
    await expect(login('change@x.example', newPassword)).resolves.toBeDefined()
    expect(actionsOn(actor.userId)).toContain('password.changed')
  })

  it('leave no session to a login with the old password during the change', async () => {
    for (let round = 0; round < 6; round += 1) {
      const email = `change-race-${round}@x.example`
      const actor = actorFor(userIdOf(await node.signup(email)))
      const change = {
        currentPassword: PASSWORD,
        newPassword: 'another good password',
        device: DEVICE,
      }
      const [, ...logins] = await Promise.allSettled([
        accounts.changePassword(actor, change),
        ...[1, 2, 3].map(() => login(email, PASSWORD)),
      ])
      for (const login of logins) {
        if (login.status === 'rejected') continue
        const { refresh_token: token } = login.value
        await expect(accounts.refresh(token, DEVICE)).rejects.toEqual(refused(401))
      }
    }
  })

  it('cannot be guessed through a password change with a stolen access token', async () => {
    const actor = actorFor(userIdOf(await node.signup('stolen@x.example')))
    const guess = () =>
      accounts.changePassword(actor, {
        currentPassword: 'wrong',
        newPassword: 'irrelevant here',
        device: deviceAt('203.0.113.9'),
      })
    for (let i = 0; i < 5; i += 1) await expect(guess()).rejects.toEqual(refused(403))
    await expect(guess()).rejects.toEqual(refused(429))
  })

  it('cannot be changed by people who sign in with an outside provider', async () => {
    const change = accounts.changePassword(actorFor('user-elsewhere'), {
      currentPassword: 'x',
      newPassword: PASSWORD,
      device: DEVICE,
    })
    await expect(change).rejects.toEqual(refused(409))
  })
})

describe('password reset', () => {
  const requestToken = async (email: string): Promise<string> => {
    await accounts.requestReset(email)
    await node.settle()
    const mail = node.mails.filter((sent) => sent.to === email).at(-1)
    return /^(tsp_[\w-]{43})$/m.exec(mail?.text ?? '')?.[1] ?? ''
  }

  it('sets a new password once, verifies the address, revokes sessions and ends the wait', async () => {
    const email = 'reset@x.example'
    const tokens = await node.signup(email)
    for (let i = 0; i < 25; i += 1) await login(email, 'wrong').catch(() => undefined)
    const token = await requestToken(email)
    await accounts.confirmReset(token, 'a brand new password', DEVICE)
    expect(await people.find(userIdOf(tokens))).toMatchObject({ emailVerified: true })
    await expect(accounts.refresh(tokens.refresh_token, DEVICE)).rejects.toEqual(refused(401))
    await expect(login(email, 'a brand new password')).resolves.toBeDefined()
    const again = accounts.confirmReset(token, 'yet another password', DEVICE)
    await expect(again).rejects.toEqual(refused(400))
    expect(actionsOn(userIdOf(tokens))).toContain('password.reset')
  })

  it('works once even for concurrent uses', async () => {
    await node.signup('reset-race@x.example')
    const token = await requestToken('reset-race@x.example')
    const outcomes = await Promise.allSettled(
      ['one good password', 'two good passwords'].map((p) =>
        accounts.confirmReset(token, p, DEVICE),
      ),
    )
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1)
  })

  it('expires after an hour', async () => {
    await node.signup('reset-late@x.example')
    const token = await requestToken('reset-late@x.example')
    clock.advance(3_600_000)
    const late = accounts.confirmReset(token, 'a brand new password', DEVICE)
    await expect(late).rejects.toEqual(refused(400))
  })

  it('sends no e-mail without an account and at most three an hour to one address', async () => {
    expect(await requestToken('stranger@x.example')).toBe('')
    await node.signup('reset-many@x.example')
    for (let i = 0; i < 6; i += 1) await requestToken('reset-many@x.example')
    expect(node.mails.filter((mail) => mail.to === 'reset-many@x.example')).toHaveLength(3)
    clock.advance(3_600_000)
    await requestToken('reset-many@x.example')
    expect(node.mails.filter((mail) => mail.to === 'reset-many@x.example')).toHaveLength(4)
  })
})

describe('deleting an account', () => {
  it('frees the address, revokes tokens and keeps the audit trail', async () => {
    const tokens = await node.signup('leave@x.example')
    const userId = userIdOf(tokens)
    await accounts.deleteAccount(actorFor(userId))
    expect(await people.sessionUser(tokens.access_token)).toBeUndefined()
    await expect(accounts.refresh(tokens.refresh_token, DEVICE)).rejects.toEqual(refused(401))
    await expect(login('leave@x.example', PASSWORD)).rejects.toEqual(refused(401))
    expect(actionsOn(userId)).toEqual(['user.created', 'account.deleted'])
    expect(userIdOf(await node.signup('leave@x.example'))).not.toBe(userId)
  })

  it('is refused when an organisation would lose its last owner', async () => {
    const owner = createNode(db, clock, {
      memberships: {
        membershipsOf: async () => [],
        leaveAll: async () => {
          throw new Problem('last_owner', 'No.')
        },
      },
    })
    const tokens = await owner.signup('owner@x.example')
    const leave = owner.accounts.deleteAccount(actorFor(userIdOf(tokens)))
    await expect(leave).rejects.toMatchObject({ code: 'last_owner' })
    await expect(owner.login('owner@x.example', PASSWORD)).resolves.toBeDefined()
  })
})

describe('purge', () => {
  it('keeps ended sessions for 90 days and deletes expired tokens, resets and failures', async () => {
    const tokens = await node.signup('purge@x.example')
    const userId = userIdOf(tokens)
    await accounts.refresh(tokens.refresh_token, DEVICE)
    await accounts.requestReset('purge@x.example')
    await login('purge@x.example', 'wrong').catch(() => undefined)
    await node.settle()
    const counts = async () => {
      const { rows } = await sql<Record<string, number>>`select
        (select count(*) from login_session where user_id = ${userId}) as sessions,
        (select count(*) from refresh_token join login_session using (session_id)
          where user_id = ${userId}) as tokens,
        (select count(*) from password_reset where user_id = ${userId}) as resets,
        (select count(*) from sign_in_failure) as failures`.execute(db)
      return rows[0]
    }
    await accounts.purge(clock.now())
    expect(await counts()).toMatchObject({ sessions: 1, tokens: 2, resets: 1 })
    clock.advance(31 * 86_400_000)
    await accounts.purge(clock.now())
    expect(await counts()).toEqual({ sessions: 1, tokens: 1, resets: 0, failures: 0 })
    clock.advance(90 * 86_400_000)
    await accounts.purge(clock.now())
    expect(await counts()).toMatchObject({ sessions: 0, tokens: 0 })
  })
})
