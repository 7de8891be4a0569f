import { describe, expect, it } from 'vitest'
import { startReceiver } from '#harness/receiver.ts'
import { createWebhookSetup, numbersIn, untilArrived } from './webhooks.fixture.ts'

describe('webhooks', () => {
  it('for a receiver that hangs do not delay those for another', async () => {
    const setup = await createWebhookSetup()
    const hanging = await startReceiver(() => undefined)
    const other = await startReceiver()
    const { endpoint_id: id } = await setup.endpoint(hanging.url, [])
    await setup.endpoint(other.url, [])
    await setup.worker()
    for (let n = 0; n < 40; n += 1) await setup.trace(n)
    await untilArrived(() => expect(other.received).toHaveLength(40))
    expect(hanging.received.length).toBeLessThanOrEqual(4)
    await untilArrived(async () => {
      const { deliveries } = await setup.log(`endpoint_id=${id}&status=retrying`)
      expect(deliveries[0]).toMatchObject({
        last_error: 'no full answer in time',
        last_response_status: null,
      })
    })
  })

  it('in flight are completed when a worker stops, and none is sent twice', async () => {
    const setup = await createWebhookSetup()
    const slow = await startReceiver((res) => void setTimeout(() => res.end(), 300))
    await setup.endpoint(slow.url, [])
    const first = await setup.worker()
    for (let n = 0; n < 12; n += 1) await setup.trace(n)
    await untilArrived(() => expect(slow.received.length).toBeGreaterThan(0))
    expect(await first.end('SIGTERM')).toBe(0)
    await setup.worker()
    await untilArrived(async () => expect((await setup.log('status=delivered')).total).toBe(12))
    for (const { body } of slow.received) {
      expect(JSON.parse(body).trace.session_id).toMatch(/^sess-/)
    }
    expect(numbersIn(slow).sort((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, n) => n))
  })
})
