import fc from 'fast-check'
import { Counter, Histogram, Registry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import { type Answered, createRequestMeter } from './request-meter.ts'

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** The same metrics, counted by prom-client. */
function peer(registry: Registry) {
  const registers = [registry]
  const requests = new Counter({
    name: 'touchstone_http_requests_total',
    help: 'Requests answered.',
    labelNames: ['method', 'route', 'status'],
    registers,
  })
  const duration = new Histogram({
    name: 'touchstone_http_request_duration_seconds',
    help: 'Time to answer.',
    labelNames: ['route'],
    buckets: BUCKETS,
    registers,
  })
  return ({ method, route = 'unknown', status }: Answered, elapsedMs: number) => {
    requests.inc({ method, route, status })
    duration.observe({ route }, elapsedMs / 1000)
  }
}

const answered = fc.record({
  method: fc.constantFrom('GET', 'POST'),
  route: fc.constantFrom('/v1/agents', '/v1/agents/:agent_id', 'a"b\\c\nd', undefined),
  status: fc.constantFrom(200, 404, 503),
})

describe('the request meter', () => {
  it('reports the same as the metrics of prom-client', async () => {
    const ms = fc.oneof(
      fc.double({ min: 0, max: 20_000, noNaN: true }),
      fc.constantFrom(...BUCKETS.map((seconds) => seconds * 1000)),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(answered, ms), { maxLength: 40 }), async (requests) => {
        const [own, other] = [new Registry(), new Registry()]
        const [note, notePeer] = [createRequestMeter(own), peer(other)]
        for (const [one, elapsedMs] of requests) {
          note(one, elapsedMs)
          notePeer(one, elapsedMs)
        }
        const sorted = async (registry: Registry) => (await registry.metrics()).split('\n').sort()
        expect(await sorted(own)).toEqual(await sorted(other))
      }),
    )
  })
})
