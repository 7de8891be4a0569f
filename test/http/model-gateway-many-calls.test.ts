import { beforeAll, describe, expect, it } from 'vitest'
import { type PlannedProvider, startPlannedProvider } from '#harness/mock-provider.ts'
import { startModelGateway } from '#harness/model-gateway.ts'
import { MODEL_WIRES, type ModelWire } from '#harness/model-wires.ts'
import { fullOrShort } from '#harness/runs.ts'

let provider: PlannedProvider
let gateway: Awaited<ReturnType<typeof startModelGateway>>

beforeAll(async () => {
  provider = await startPlannedProvider()
  // A keep-alive would be in the answer, however slow the machine is.
  const modelWaits = { keepAliveMs: 600_000 }
  gateway = await startModelGateway(provider.url, { hasTimeLimit: true, modelWaits })
})

async function streamed(baseUrl: string, { path, body }: ModelWire): Promise<string> {
  const answer = await fetch(`${baseUrl}/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return answer.text()
}

describe.each(MODEL_WIRES)(
  'a streamed turn of $name with hundreds of calls in many chunks',
  (wire) => {
    const count = wire.name === 'anthropic' ? 1000 : fullOrShort({ full: 1000, short: 120 })
    /** Calls of different tools, because the database is asked when each was first used. */
    const calls = Array.from({ length: count }, (_, n) => ({
      tool: `search_${n}`,
      input: { n },
      id: `call_${n}`,
    }))

    it('comes back byte for byte, within the time limit of decisions', async () => {
      const { baseUrl } = await gateway.newAgent({ connection: { provider: wire.provider } })
      provider.plan({ parts: calls, pieceBytes: 4000 })
      const text = await streamed(baseUrl, wire)
      expect(text.match(/Touchstone[^"]*/)?.[0]).toBeUndefined()
      expect(text === (await streamed(provider.url, wire))).toBe(true)
      for (const { id } of [calls[0], calls.at(-1)].flatMap((one) => one ?? [])) {
        expect(text).toContain(id)
      }
    })

    it('has one refused call among them replaced, and all others released', async () => {
      const { baseUrl } = await gateway.newAgent({ connection: { provider: wire.provider } })
      const forbidden = Math.floor(count / 2)
      const parts = calls.map((call, n) => (n === forbidden ? { ...call, tool: 'drop_all' } : call))
      provider.plan({ parts, pieceBytes: 4000 })
      const text = await streamed(baseUrl, wire)
      expect(text).toContain('Touchstone blocked drop_all')
      const ids = new Set(text.match(/call_\d+(?=")/g))
      expect(ids.size).toBe(count - 1)
      expect(ids.has(`call_${forbidden}`)).toBe(false)
    })
  },
)
