import { describe, expect, it } from 'vitest'
import { TEST_PASSWORD, testApp } from '#harness/app.ts'

/**
 * A stranger who knows only an e-mail address tries to keep its owner out. Requests name their
 * address in X-Forwarded-For, as behind one trusted proxy.
 */
const app = await testApp({ env: { TRUSTED_HOPS: '1' } })

const HOME = '198.51.100.7'
const stranger = (n: number) => `203.0.113.${n}`

const signIn = (email: string, password: string, address: string) =>
  app.call('POST', '/v1/auth/login', {
    body: { email, password },
    headers: { 'x-forwarded-for': address },
  })

describe('a stranger who guesses passwords', () => {
  it('does not keep the owner out of an address that the owner signed in from', async () => {
    const { email } = await app.newUser('victim@example.com')
    expect((await signIn(email, TEST_PASSWORD, HOME)).status).toBe(200)
    const statuses = new Set<number>()
    for (let round = 0; round < 6; round += 1) {
      for (let n = 1; n <= 30; n += 1) {
        statuses.add((await signIn(email, `guess ${round} ${n}`, stranger(n))).status)
      }
    }
    expect(statuses).toEqual(new Set([401, 429]))
    expect((await signIn(email, TEST_PASSWORD, HOME)).status).toBe(200)
  })

  it('at the address of the owner delays them by at most a minute', async () => {
    const { email } = await app.newUser('neighbour@example.com')
    expect((await signIn(email, TEST_PASSWORD, HOME)).status).toBe(200)
    const waits: number[] = []
    for (let n = 0; n < 60; n += 1) {
      const answer = await signIn(email, `guess ${n}`, HOME)
      if (answer.status !== 429) continue
      const seconds = Number(answer.headers['retry-after'])
      waits.push(seconds)
      app.clock.advance(seconds * 1000)
    }
    expect(Math.max(...waits)).toBe(60)
    app.clock.advance(60_000)
    expect((await signIn(email, TEST_PASSWORD, HOME)).status).toBe(200)
  })

  it('gets fewer than two hundred guesses a day at an account from one address', async () => {
    const { email } = await app.newUser('patient@example.com')
    let guesses = 0
    const end = app.clock.nowMs() + 86_400_000
    while (app.clock.nowMs() < end) {
      const answer = await signIn(email, `guess ${guesses}`, stranger(200))
      if (answer.status === 401) guesses += 1
      else app.clock.advance(Number(answer.headers['retry-after']) * 1000)
    }
    expect(guesses).toBeLessThan(200)
  })

  it('gets fewer than two hundred a day from any number of addresses', async () => {
    const { email } = await app.newUser('botnet@example.com')
    let guesses = 0
    let bot = 0
    const end = app.clock.nowMs() + 86_400_000
    while (app.clock.nowMs() < end) {
      bot += 1
      const address = `2001:db8:${bot.toString(16)}::1`
      const answer = await signIn(email, `guess ${bot}`, address)
      if (answer.status === 401) guesses += 1
      else app.clock.advance(Number(answer.headers['retry-after']) * 1000)
    }
    expect(guesses).toBeLessThan(200)
  })

  it('does not learn from the answers whether an account exists', async () => {
    const { email } = await app.newUser('exists@example.com')
    const probe = async (address: string) => {
      const answers: unknown[] = []
      for (let n = 0; n < 8; n += 1) {
        const { status, body, headers } = await signIn(address, `guess ${n}`, stranger(99))
        answers.push([status, body.error, body.message, headers['retry-after']])
      }
      return answers
    }
    expect(await probe(email)).toEqual(await probe('nobody@example.com'))
  })
})
