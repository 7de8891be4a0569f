import { parseTlogPolicy, parseVkey, verifyByPolicy } from '@touchstone/protocol/log'
import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { CARD } from '#harness/checkpoints.ts'
import { type LogWitness, sizeOf, startLogWitness } from '#harness/log-witness.ts'

const MINUTE_MS = 60_000

let t: TestApp
let witnesses: LogWitness[]

const logKey = async () => {
  const policy = parseTlogPolicy((await t.call('GET', '/v1/log/policy')).text)
  if (!policy.ok) throw new Error(policy.reason)
  const [log] = policy.value.logs
  if (log === undefined) throw new Error('the policy names no log')
  return log.key
}

const decide = () =>
  t.call('POST', '/v1/gateway/decide', {
    token: t.first.api_key,
    body: { agent_id: 'clerk', tool: 'search' },
  })

/** Adds an entry and asks the witnesses about the new checkpoint. */
const grow = async () => {
  expect((await decide()).status).toBe(200)
  await t.app.sequenceLog()
  await t.app.askWitnesses()
}

const published = () => t.call('GET', '/log/checkpoint')
const health = async () => (await t.call('GET', '/health/ready')).body.checks.log
const statuses = async () =>
  (await health()).witnesses.map(({ status }: { status: string }) => status)

beforeAll(async () => {
  witnesses = await Promise.all(
    ['first', 'second', 'third'].map((name) => startLogWitness(name, logKey)),
  )
  const settings = witnesses.map(({ setting }) => setting)
  t = await testApp({ env: { WITNESSES: JSON.stringify(settings), WITNESS_QUORUM: '2' } })
  await t.call('POST', '/v1/agents', {
    token: t.first.api_key,
    body: { agent_id: 'clerk', card: CARD },
  })
})

beforeEach(() => {
  for (const witness of witnesses) witness.behave(undefined)
  t.clock.advance(MINUTE_MS)
})

describe('witnesses', () => {
  it('are waited for before the first checkpoint is published', async () => {
    for (const witness of witnesses) witness.behave(() => ({ status: 503 }))
    await t.app.sequenceLog()
    await t.app.askWitnesses()
    expect((await published()).status).toBe(404)
    for (const witness of witnesses) witness.behave(undefined)
    await t.app.askWitnesses()
    expect((await published()).status).toBe(200)
  })

  it('cosign each checkpoint, which a verifier can check with the policy of the log', async () => {
    await grow()
    await grow()
    const { text } = await published()
    const policy = parseTlogPolicy((await t.call('GET', '/v1/log/policy')).text)
    if (!policy.ok) throw new Error(policy.reason)
    expect(policy.value.witnesses.map(({ name }) => name)).toEqual(['first', 'second', 'third'])
    const trusted = verifyByPolicy(text, policy.value)
    if (!trusted.ok) throw new Error(trusted.reason)
    expect(trusted.value.verified).toHaveLength(4)
    expect(await statuses()).toEqual(['ok', 'ok', 'ok'])
    expect((await health()).size).toBe(trusted.value.size)
  })

  it('decide what is published: nothing that too few of them cosigned', async () => {
    const before = sizeOf((await published()).text)
    const [first, second] = witnesses
    first?.behave(() => ({ status: 403 }))
    second?.behave(() => ({ status: 404 }))
    const { body } = await decide()
    await t.app.sequenceLog()
    await t.app.askWitnesses()
    expect(sizeOf((await published()).text)).toBe(before)
    expect(await statuses()).toEqual(['rejected', 'unknown_log', 'ok'])
    const url = `/v1/log/proof/${body.decision_id}`
    const waiting = await t.call('GET', url, { token: t.first.api_key })
    expect(waiting).toMatchObject({ status: 409, body: { error: 'not_yet_logged' } })
    expect((await t.call('GET', `/log/tile/0/000.p/${before + 1}`)).status).toBe(404)
    first?.behave(undefined)
    await t.app.askWitnesses()
    expect(sizeOf((await published()).text)).toBe(before + 1)
    expect((await t.call('GET', url, { token: t.first.api_key })).status).toBe(200)
  })

  it('are told where they are when they know another size', async () => {
    await grow()
    const [first] = witnesses
    first?.forget()
    const asked = first?.asked() ?? 0
    await grow()
    expect(await statuses()).toEqual(['ok', 'ok', 'ok'])
    expect(first?.asked()).toBe(asked + 2)
  })

  it.each([
    ['rubbish', () => ({ status: 200, body: 'no signature at all\n' }), 'invalid_answer'],
    ['nothing', () => ({ status: 200 }), 'invalid_answer'],
    ['an error', () => ({ status: 500, body: '\u0000<html>' }), 'invalid_answer'],
    ['a size of the future', () => ({ status: 409, body: '999999\n' }), 'conflict'],
    ['the same size for ever', () => ({ status: 409, body: '1\n' }), 'conflict'],
    ['no size', () => ({ status: 409, body: 'many\n' }), 'conflict'],
    ['a rejected proof', () => ({ status: 422, body: 'no' }), 'invalid_proof'],
    ['a megabyte', () => ({ status: 200, body: 'x'.repeat(1024 * 1024) }), 'unreachable'],
  ] as const)('that answer %s do not count and hold up nothing', async (_, how, status) => {
    const before = sizeOf((await published()).text)
    const [first] = witnesses
    const asked = first?.asked() ?? 0
    first?.behave(how)
    await grow()
    expect(sizeOf((await published()).text)).toBe(before + 1)
    expect(await statuses()).toEqual([status, 'ok', 'ok'])
    // At most three times after the round, and three times when the test asks.
    expect((first?.asked() ?? 0) - asked).toBeLessThanOrEqual(6)
  })

  it('that send the cosignature of another witness do not count', async () => {
    const [first, second] = witnesses
    let stolen = ''
    second?.behave((honest) => {
      const reply = honest()
      stolen = reply.body ?? ''
      return reply
    })
    await grow()
    first?.behave(() => ({ status: 200, body: stolen }))
    second?.behave(undefined)
    await grow()
    expect(await statuses()).toEqual(['invalid_answer', 'ok', 'ok'])
  })

  it('that hang up hold up nothing', async () => {
    const [first] = witnesses
    first?.behave((_, res) => {
      res.destroy()
      return undefined
    })
    await grow()
    expect(await statuses()).toEqual(['unreachable', 'ok', 'ok'])
  })

  it('that stay away for ten minutes degrade the health of the log, and every organisation is told once', async () => {
    const told = async () => {
      const found = await sql<{ n: number }>`select count(*)::int as n from event
        where type = 'log.unwitnessed'`.execute(t.app.kernel.db)
      return found.rows[0]?.n
    }
    await grow()
    expect((await health()).status).toBe('ok')
    for (const witness of witnesses) witness.behave(() => ({ status: 503 }))
    await grow()
    expect((await health()).status).toBe('ok')
    t.clock.advance(11 * MINUTE_MS)
    expect((await decide()).status).toBe(200)
    await t.app.sequenceLog()
    await t.app.sequenceLog()
    expect((await health()).status).toBe('degraded')
    expect(await told()).toBe(1)
    for (const witness of witnesses) witness.behave(undefined)
    t.clock.advance(2 * MINUTE_MS)
    await t.app.askWitnesses()
    expect((await health()).status).toBe('ok')
    expect(await told()).toBe(1)
  })
})

describe('the keys of the test witnesses', () => {
  it('differ', () => {
    const keys = witnesses.map(({ setting }) => parseVkey(setting.vkey))
    const raw = keys.map((key) => (key.ok ? Buffer.from(key.value.publicKey).toString('hex') : ''))
    expect(new Set(raw).size).toBe(3)
  })
})
