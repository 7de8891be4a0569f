import { beforeAll, describe, expect, it } from 'vitest'
import { type PlannedProvider, startPlannedProvider } from '#harness/mock-provider.ts'
import { sendMessage, startModelGateway } from '#harness/model-gateway.ts'

let provider: PlannedProvider
let gateway: Awaited<ReturnType<typeof startModelGateway>>

beforeAll(async () => {
  provider = await startPlannedProvider()
  gateway = await startModelGateway(provider.url, { hasTimeLimit: true })
})

/** Calls of different tools, because the database is asked when each was first used. */
const searches = Array.from({ length: 1000 }, (_, n) => ({
  tool: `search_${n}`,
  input: { n },
  id: `call_${n}`,
}))

describe('a streamed turn with hundreds of calls in many chunks', () => {
  it('has all of them released in order, within the time limit of decisions', async () => {
    const { baseUrl } = await gateway.newAgent()
    provider.plan({ parts: searches, pieceBytes: 4000 })
    const { text } = await sendMessage(baseUrl, { stream: true })
    expect(text.match(/Touchstone[^"]*/)?.[0]).toBeUndefined()
    expect(text.match(/(?<="id":")call_\d+/g)).toEqual(searches.map(({ id }) => id))
    expect(text).toContain('message_stop')
  })
})
