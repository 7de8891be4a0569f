import { describe, expect, it } from 'vitest'
import { startPlannedProvider } from '#harness/mock-provider.ts'
import { MODEL_CLIENTS, type ModelClient } from '#harness/model-clients.ts'

const mock = await startPlannedProvider()

const THOUGHT = 'Two cities, so two calls. ☀️'
const TEXT = 'I will look that up for both cities.'
const TURN = {
  parts: [
    { thinking: THOUGHT },
    { text: TEXT },
    { tool: 'get_weather', input: { city: 'Oslo' } },
    { tool: 'get_weather', input: { city: 'Bergen' } },
  ],
}

const CALLS = [
  { name: 'get_weather', input: { city: 'Oslo' } },
  { name: 'get_weather', input: { city: 'Bergen' } },
]
const STOPS: Record<string, string> = {
  '@anthropic-ai/sdk': 'tool_use',
  'openai, chat completions': 'tool_calls',
  'openai, responses': 'completed',
  '@google/genai': 'STOP',
  'ai with @ai-sdk/openai-compatible': 'tool-calls',
}

/** Reasoning is not part of OpenAI's own chat completions, so its SDK drops it. */
const thinkingOf = ({ name }: ModelClient) => (name === 'openai, chat completions' ? '' : THOUGHT)

describe.each(MODEL_CLIENTS)('the mock provider, asked with $name', (client) => {
  const ask = (isStreamed: boolean, signal?: AbortSignal) =>
    client.ask({ baseUrl: mock.url, isStreamed, ...(signal && { signal }) })
  const whole = { text: TEXT, thinking: thinkingOf(client), calls: CALLS, stop: STOPS[client.name] }

  it('answers at once and as a stream', async () => {
    mock.plan(TURN)
    expect(await ask(false)).toEqual(whole)
    expect(await ask(true)).toEqual(whole)
  })

  it('may write CRLF, pings, unknown events and one byte at a time', async () => {
    // The helper of the openai SDK refuses events that it does not know.
    const unknownEvent = client.name !== 'openai, responses'
    mock.plan({ ...TURN, crlf: true, pings: true, unknownEvent, pieceBytes: 1 })
    expect(await ask(true)).toEqual(whole)
  })

  it('refuses with an error of the provider', async () => {
    mock.plan({ status: 429, message: 'Slow down, please' })
    await expect(ask(false)).rejects.toThrow('Slow down, please')
    await expect(ask(true)).rejects.toThrow('Slow down, please')
  })

  it('fails in the middle of a stream', async () => {
    mock.plan({ ...TURN, failure: 'half_event', failsAfter: 4 })
    await expect(ask(true)).rejects.toThrow()
  })

  it('notices that the client left', async () => {
    mock.plan({ ...TURN, failure: 'hang', failsAfter: 2 })
    const leaving = new AbortController()
    const asked = ask(true, leaving.signal)
    await expect.poll(() => mock.requests.length).toBe(1)
    leaving.abort()
    await expect(asked).rejects.toThrow()
    expect(await mock.requests[0]?.completed).toBe(false)
  })
})
