import { verifyWebhook } from '@touchstone/sdk'
import { describe, expect, it } from 'vitest'
import type { Service } from '#harness/process.ts'
import { type answerWith, startReceiver } from '#harness/receiver.ts'
import { fullOrShort } from '#harness/runs.ts'
import { createWebhookSetup, numbersIn, untilArrived } from './webhooks.fixture.ts'

const KILLS = fullOrShort({ full: 4, short: 1 })
const WORKERS = fullOrShort({ full: 2, short: 1 })
const TRACES_MIN = fullOrShort({ full: 200, short: 40 })

describe('webhooks', () => {
  it('all arrive over TLS although workers are killed repeatedly', async () => {
    const setup = await createWebhookSetup()
    const answerSlowly = (...[res]: Parameters<ReturnType<typeof answerWith>>) =>
      void setTimeout(() => res.end(), 20)
    const receivers = [
      await startReceiver(answerSlowly, { tls: true }),
      await startReceiver(answerSlowly, { tls: true }),
      await startReceiver(answerSlowly, { tls: true }),
    ]
    const total = () => receivers.reduce((sum, { received }) => sum + received.length, 0)
    const secrets: string[] = []
    for (const { url } of receivers) {
      secrets.push((await setup.endpoint(url, ['trace.*'])).signing_secret)
    }
    const workers: Service[] = []
    for (let n = 0; n < WORKERS; n += 1) workers.push(await setup.worker())
    let sent = 0
    let loading = true
    const load = (async () => {
      while (loading || sent < TRACES_MIN) {
        await setup.trace(sent)
        sent += 1
      }
    })()
    // A failure is reported where `load` is awaited; until then it must not hide another failure.
    load.catch(() => undefined)
    for (let kill = 0; kill < KILLS; kill += 1) {
      const before = total()
      // Kill only while deliveries are in progress.
      await untilArrived(() => expect(total()).toBeGreaterThan(before))
      await workers.shift()?.end('SIGKILL')
      await setup.expireLeases()
      workers.push(await setup.worker())
    }
    loading = false
    await load
    const all = Array.from({ length: sent }, (_, n) => n)
    for (const [i, receiver] of receivers.entries()) {
      await untilArrived(() => expect(new Set(numbersIn(receiver)).size).toBe(sent))
      // At-least-once delivery: there may be duplicates, but nothing else.
      expect([...new Set(numbersIn(receiver))].sort((a, b) => a - b)).toEqual(all)
      const ids = receiver.received.map(({ body }) => JSON.parse(body).id)
      expect(new Set(ids).size).toBe(sent)
      for (const { body, headers } of receiver.received) {
        const now = new Date(Number(headers['x-webhook-timestamp']) * 1000)
        await verifyWebhook({ body, headers, secret: secrets[i] ?? '', now })
      }
    }
    await untilArrived(async () => {
      expect((await setup.log('status=delivered')).total).toBe(sent * receivers.length)
    })
  })
})
