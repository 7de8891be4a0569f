import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { testDatabase } from '#harness/database.ts'
import { actorFor, createNode, DEVICE, deviceAt, ORIGIN, PASSWORD } from './accounts.fixture.ts'
import { hotp, stepAt } from './totp.ts'

const clock = testClock()
const { db } = await testDatabase()
const node = createNode(db, clock)
const { accounts, people, entries } = node
const refused = (status: number) => expect.objectContaining({ status })

/** An authenticator app; `next` waits for a code that was not shown before. */
function appOf(uri: string) {
  const secret = fromBase32(new URL(uri).searchParams.get('secret') ?? '')
  const current = () => hotp(secret, stepAt(clock.now()))
  return {
    current,
    next(): string {
      clock.advance(30_000)
      return current()
    },
  }
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  )
  const bytes = bits.join('').match(/.{8}/g) ?? []
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)))
}

async function enrol(email: string) {
  const tokens = await node.signup(email)
  const actor = actorFor(tokens.user.user_id)
  const { uri } = await accounts.enrolSecondFactor(actor, { password: PASSWORD, device: DEVICE })
  const app = appOf(uri)
  const user = await people.sessionUser(tokens.access_token)
  const codes = await accounts.confirmSecondFactor(actor, {
    code: app.next(),
    device: DEVICE,
    sessionId: user?.sessionId,
  })
  return { tokens, actor, app, codes, email }
}

async function challenge(email: string, password = PASSWORD): Promise<string> {
  const answer = await accounts.login(email, password, DEVICE)
  if (!('mfa_required' in answer)) throw new Error('no code was asked for')
  expect(answer.expires_in).toBe(300)
  return answer.challenge_token
}

const answer = (token: string, code: string, device = DEVICE) =>
  accounts.answerChallenge(token, code, device)

const actionsOn = (userId: string) =>
  entries.filter((entry) => entry.target.id === userId).map((entry) => entry.action)

describe('enrolment', () => {
  it('asks for the password and counts only once a code was confirmed', async () => {
    const tokens = await node.signup('enrol@x.example')
    const actor = actorFor(tokens.user.user_id)
    const wrong = accounts.enrolSecondFactor(actor, { password: 'wrong', device: DEVICE })
    await expect(wrong).rejects.toEqual(refused(403))
    const early = { code: '123456', device: DEVICE, sessionId: undefined }
    await expect(accounts.confirmSecondFactor(actor, early)).rejects.toEqual(refused(409))
    await accounts.enrolSecondFactor(actor, { password: PASSWORD, device: DEVICE })
    await expect(accounts.confirmSecondFactor(actor, early)).rejects.toEqual(refused(400))
    await expect(node.login('enrol@x.example', PASSWORD)).resolves.toBeDefined()
    expect(await accounts.secondFactor(actor.userId)).toMatchObject({ enabled: false })
  })

  it('ends all sessions that were opened without it, except its own', async () => {
    const other = await node.signup('others@x.example')
    const mine = await node.login('others@x.example', PASSWORD)
    const actor = actorFor(mine.user.user_id)
    const { uri } = await accounts.enrolSecondFactor(actor, { password: PASSWORD, device: DEVICE })
    const sessionId = (await people.sessionUser(mine.access_token))?.sessionId
    const code = appOf(uri).current()
    await accounts.confirmSecondFactor(actor, { code, device: DEVICE, sessionId })
    expect(await people.sessionUser(other.access_token)).toBeUndefined()
    expect(await people.sessionUser(mine.access_token)).toBeDefined()
    expect(await accounts.secondFactor(actor.userId)).toEqual({
      enabled: true,
      confirmedAt: clock.now(),
      recoveryCodesLeft: 10,
    })
    expect(actionsOn(actor.userId)).toContain('second_factor.enabled')
    const again = accounts.enrolSecondFactor(actor, { password: PASSWORD, device: DEVICE })
    await expect(again).rejects.toEqual(refused(409))
  })

  it('stores neither the secret nor the recovery codes readably', async () => {
    const { codes, actor } = await enrol('sealed@x.example')
    const rows = await sql`select * from second_factor where user_id = ${actor.userId}`.execute(db)
    const hashes = await sql`select * from recovery_code`.execute(db)
    const stored = JSON.stringify([rows.rows, hashes.rows])
    for (const code of codes) expect(stored).not.toContain(code.replaceAll('-', ''))
    expect(rows.rows[0]).toMatchObject({ secret_sealed: expect.stringMatching(/^v1\./) })
  })
})

describe('signing in with a second factor', () => {
  it('takes the password and a code, which works once', async () => {
    const { app, email, tokens } = await enrol('two@x.example')
    const code = app.next()
    const first = await challenge(email)
    const session = await answer(first, code)
    expect(session.user).toEqual(tokens.user)
    await expect(answer(first, app.next())).rejects.toEqual(refused(401))
    const second = await challenge(email)
    await expect(answer(second, code)).rejects.toEqual(refused(401))
    await expect(answer(second, app.next())).resolves.toBeDefined()
  })

  it('lets one of several uses of a code at the same moment in', async () => {
    const { app, email } = await enrol('race@x.example')
    const challenges = [await challenge(email), await challenge(email), await challenge(email)]
    const code = app.next()
    const outcomes = await Promise.allSettled(challenges.map((token) => answer(token, code)))
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1)
  })

  it('accepts each recovery code once', async () => {
    const { codes, email, actor } = await enrol('recover@x.example')
    const [code = ''] = codes
    expect(codes).toHaveLength(10)
    await expect(answer(await challenge(email), code.toLowerCase())).resolves.toBeDefined()
    await expect(answer(await challenge(email), code)).rejects.toEqual(refused(401))
    expect(await accounts.secondFactor(actor.userId)).toMatchObject({ recoveryCodesLeft: 9 })
    expect(actionsOn(actor.userId)).toContain('second_factor.recovery_code_used')
  })

  it('is not bypassed by a password reset, which ends sign-ins in progress', async () => {
    const { app, email } = await enrol('forgot@x.example')
    const old = await challenge(email)
    await accounts.requestReset(email)
    await node.settle()
    const text = node.mails.filter((mail) => mail.to === email).at(-1)?.text ?? ''
    const token = /^(tsp_[\w-]{43})$/m.exec(text)?.[1] ?? ''
    await accounts.confirmReset(token, 'a brand new password', DEVICE)
    await expect(answer(old, app.next())).rejects.toEqual(refused(401))
    const fresh = await challenge(email, 'a brand new password')
    await expect(answer(fresh, app.next())).resolves.toBeDefined()
  })

  it('allows five codes per right password, and few per account and address', async () => {
    const { app, email } = await enrol('guess@x.example')
    const stranger = deviceAt('203.0.113.1')
    const token = await challenge(email)
    for (let i = 0; i < 5; i += 1) {
      await expect(answer(token, '000000', stranger)).rejects.toEqual(refused(401))
    }
    await expect(answer(token, '000000', stranger)).rejects.toEqual(refused(429))
    const elsewhere = answer(token, app.next(), deviceAt('203.0.113.2'))
    await expect(elsewhere).rejects.toEqual(refused(401))
    // The owner is not kept out of an address that they signed in from.
    await expect(answer(await challenge(email), app.next())).resolves.toBeDefined()
  })

  it('expires five minutes after the password', async () => {
    const { app, email } = await enrol('late@x.example')
    const token = await challenge(email)
    clock.advance(300_000)
    await expect(answer(token, app.next())).rejects.toEqual(refused(401))
    await accounts.purge(clock.now())
    const { rows } = await sql`select 1 from sign_in_challenge`.execute(db)
    expect(rows).toEqual([])
  })
})

describe('changing the second factor', () => {
  it('takes the password and a code', async () => {
    const { actor, app, codes, email } = await enrol('change@x.example')
    const proof = (password: string, code: string) => ({ password, code, device: DEVICE })
    const wrongPassword = accounts.disableSecondFactor(actor, proof('wrong', app.next()))
    await expect(wrongPassword).rejects.toEqual(refused(403))
    const wrongCode = accounts.disableSecondFactor(actor, proof(PASSWORD, '000000'))
    await expect(wrongCode).rejects.toEqual(refused(400))
    const fresh = await accounts.regenerateRecoveryCodes(actor, proof(PASSWORD, app.next()))
    expect(fresh).toHaveLength(10)
    const old = answer(await challenge(email), codes[1] ?? '')
    await expect(old).rejects.toEqual(refused(401))
    await accounts.disableSecondFactor(actor, proof(PASSWORD, fresh[0] ?? ''))
    await expect(node.login(email, PASSWORD)).resolves.toBeDefined()
    expect(actionsOn(actor.userId)).toEqual(
      expect.arrayContaining(['second_factor.recovery_codes_replaced', 'second_factor.disabled']),
    )
    const again = accounts.disableSecondFactor(actor, proof(PASSWORD, '123456'))
    await expect(again).rejects.toEqual(refused(409))
  })

  it('goes with the account', async () => {
    const { actor } = await enrol('gone@x.example')
    await accounts.deleteAccount(actor)
    for (const table of ['second_factor', 'recovery_code', 'sign_in_challenge']) {
      const { rows } = await sql`select 1 from ${sql.table(table)}
        where user_id = ${actor.userId}`.execute(db)
      expect(rows, table).toEqual([])
    }
    const sessions = await sql`select 1 from login_session
      where user_id = ${actor.userId} and address is not null`.execute(db)
    expect(sessions.rows).toEqual([])
    const actor2 = { ...actor, ...ORIGIN }
    const noAccount = accounts.enrolSecondFactor(actor2, { password: PASSWORD, device: DEVICE })
    await expect(noAccount).rejects.toEqual(refused(409))
  })
})

describe('a reset by the operator', () => {
  it('leaves the password alone, ends sessions and open sign-ins, and tells everybody', async () => {
    const orgs = ['org-one', 'org-two'].map((orgId) => ({
      orgId,
      name: orgId,
      role: 'member' as const,
      requiresSecondFactor: true,
    }))
    const member = createNode(db, clock, {
      memberships: { membershipsOf: async () => orgs, leaveAll: async () => undefined },
    })
    const { tokens, actor, app } = await enrol('lost@x.example')
    const open = await challenge('lost@x.example')
    expect(await member.accounts.resetSecondFactor('lost@x.example')).toEqual({
      ok: true,
      sessionsEnded: 1,
    })
    await expect(answer(open, app.next())).rejects.toEqual(refused(401))
    await expect(accounts.refresh(tokens.refresh_token, DEVICE)).rejects.toEqual(refused(401))
    expect(await accounts.secondFactor(actor.userId)).toEqual({
      enabled: false,
      confirmedAt: null,
      recoveryCodesLeft: 0,
    })
    await expect(node.login('lost@x.example', PASSWORD)).resolves.toBeDefined()
    expect(member.entries).toEqual(
      [null, 'org-one', 'org-two'].map((orgId) =>
        expect.objectContaining({
          orgId,
          action: 'second_factor.reset',
          actor: expect.objectContaining({ type: 'system', id: 'operator' }),
          target: { type: 'user', id: actor.userId },
        }),
      ),
    )
    expect(member.mails).toMatchObject([{ to: 'lost@x.example', kind: 'second_factor_reset' }])
  })

  it('does nothing without an account or a confirmed second factor', async () => {
    const none = { ok: false, reason: 'no account' }
    expect(await accounts.resetSecondFactor('nobody@x.example')).toEqual(none)
    const { user } = await node.signup('unconfirmed@x.example')
    const proof = { password: PASSWORD, device: DEVICE }
    await accounts.enrolSecondFactor(actorFor(user.user_id), proof)
    const unconfirmed = { ok: false, reason: 'no second factor' }
    expect(await accounts.resetSecondFactor('unconfirmed@x.example')).toEqual(unconfirmed)
  })
})
