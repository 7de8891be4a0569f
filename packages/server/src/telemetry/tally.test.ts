import fc from 'fast-check'
import { Counter, Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { createTally } from './tally.ts'

it('reports the same as a prom-client counter', async () => {
  const described = { name: 'calls_total', help: 'Calls.', labelNames: ['verdict', 'context'] }
  const call = fc.tuple(fc.constantFrom('pass', 'fail', ''), fc.constantFrom('gateway', 'a"b\\c'))
  await fc.assert(
    fc.asyncProperty(fc.array(call, { maxLength: 40 }), async (calls) => {
      const [own, other] = [new Registry(), new Registry()]
      const tally = createTally(own, { ...described, labelNames: ['verdict', 'context'] })
      const peer = new Counter({ ...described, registers: [other] })
      for (const [verdict, context] of calls) {
        tally(verdict, context)
        peer.inc({ verdict, context })
      }
      expect(await own.metrics()).toBe(await other.metrics())
    }),
  )
})
