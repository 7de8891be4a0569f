import { describe, expect, it } from 'vitest'
import { startReceiver } from '#harness/receiver.ts'
import { arrive, numbersIn, openLine } from './webhooks.fixture.ts'

describe('webhooks', () => {
  it('of one receiver that hangs do not keep those of another waiting', async () => {
    const line = await openLine()
    const hanging = await startReceiver(() => undefined)
    const other = await startReceiver()
    const { endpoint_id: id } = await line.endpoint(hanging.url, [])
    await line.endpoint(other.url, [])
    await line.worker()
    for (let n = 0; n < 40; n += 1) await line.trace(n)
    await arrive(() => expect(other.received).toHaveLength(40))
    expect(hanging.received.length).toBeLessThanOrEqual(4)
    await arrive(async () => {
      const { deliveries } = await line.log(`endpoint_id=${id}&status=retrying`)
      expect(deliveries[0]).toMatchObject({
        last_error: 'no full answer in time',
        last_response_status: null,
      })
    })
    expect(hanging.atOnceMax()).toBeLessThanOrEqual(4)
  })

  it('are sent by a stopped worker to their end, and by nobody twice', async () => {
    const line = await openLine()
    const slow = await startReceiver((res) => void setTimeout(() => res.end(), 300))
    await line.endpoint(slow.url, [])
    const first = await line.worker()
    for (let n = 0; n < 12; n += 1) await line.trace(n)
    await arrive(() => expect(slow.received.length).toBeGreaterThan(0))
    expect(await first.end('SIGTERM')).toBe(0)
    await line.worker()
    await arrive(async () => expect((await line.log('status=delivered')).total).toBe(12))
    for (const { body } of slow.received) {
      expect(JSON.parse(body).trace.session_id).toMatch(/^sess-/)
    }
    expect(numbersIn(slow).sort((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, n) => n))
  })
})
