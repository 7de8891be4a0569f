import { verifyWebhook } from '@touchstone/sdk'
import { describe, expect, it } from 'vitest'
import type { Service } from '#harness/process.ts'
import { type answerWith, startReceiver } from '#harness/receiver.ts'
import { sized } from '#harness/runs.ts'
import { arrive, numbersIn, openLine } from './webhooks.fixture.ts'

const KILLS = sized({ full: 4, short: 1 })
const TRACES_MIN = sized({ full: 200, short: 40 })

describe('webhooks', () => {
  it('all arrive over TLS though their workers are killed again and again', async () => {
    const line = await openLine()
    const answering = (...[res]: Parameters<ReturnType<typeof answerWith>>) =>
      void setTimeout(() => res.end(), 20)
    const receivers = [
      await startReceiver(answering, { tls: true }),
      await startReceiver(answering, { tls: true }),
      await startReceiver(answering, { tls: true }),
    ]
    const total = () => receivers.reduce((sum, { received }) => sum + received.length, 0)
    const secrets: string[] = []
    for (const { url } of receivers) {
      secrets.push((await line.endpoint(url, ['trace.*'])).signing_secret)
    }
    const workers: Service[] = [await line.worker(), await line.worker()]
    let sent = 0
    let loading = true
    const load = (async () => {
      while (loading || sent < TRACES_MIN) {
        await line.trace(sent)
        sent += 1
      }
    })()
    // Told where it is awaited; a failure elsewhere must not be hidden by this one.
    load.catch(() => undefined)
    for (let kill = 0; kill < KILLS; kill += 1) {
      const heard = total()
      // Only a worker that is at work is worth killing.
      await arrive(() => expect(total()).toBeGreaterThan(heard))
      await workers.shift()?.end('SIGKILL')
      await line.expireLeases()
      workers.push(await line.worker())
    }
    loading = false
    await load
    const all = Array.from({ length: sent }, (_, n) => n)
    for (const [i, receiver] of receivers.entries()) {
      await arrive(() => expect(new Set(numbersIn(receiver)).size).toBe(sent))
      // What is more than that came twice; nothing else came.
      expect([...new Set(numbersIn(receiver))].sort((a, b) => a - b)).toEqual(all)
      const ids = receiver.received.map(({ body }) => JSON.parse(body).id)
      expect(new Set(ids).size).toBe(sent)
      for (const { body, headers } of receiver.received) {
        const now = new Date(Number(headers['x-webhook-timestamp']) * 1000)
        await verifyWebhook({ body, headers, secret: secrets[i] ?? '', now })
      }
    }
    await arrive(async () => {
      expect((await line.log('status=delivered')).total).toBe(sent * receivers.length)
    })
  })
})
