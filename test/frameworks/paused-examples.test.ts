import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '#harness/eventually.ts'
import { approvePending, guardWorld } from '#harness/guarded.ts'
import { type PlannedProvider, startPlannedProvider } from '#harness/mock-provider.ts'
import { pageCode, runExample } from './run-example.ts'

const w = guardWorld()
const AGENT = 'example-shop-desk'
const NO_SHELL = 'shell_run was not called: it is not allowed. No shell'
const FOUND = 'in the depot'
const APPROVE = /^Approve it within a minute: http.*\/approvals\/esc-/
const REFUNDED = 'Twenty euros were refunded.'

/** How each example finds its model, at the address of the mock. */
const EXAMPLES: Record<string, (url: string) => Record<string, string>> = {
  adk: (url) => ({ GOOGLE_GEMINI_BASE_URL: url, GOOGLE_API_KEY: 'none', MODEL: 'gemini-script' }),
  'ai-sdk': openAi,
  mastra: openAi,
  strands: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'none', MODEL: 'script' }),
}

function openAi(url: string) {
  return { OPENAI_BASE_URL: url, OPENAI_API_KEY: 'none', MODEL: 'script' }
}

let provider: PlannedProvider

beforeEach(async () => {
  provider = await startPlannedProvider()
  provider.plan(
    { parts: [{ tool: 'shop_search', input: { order: 1182 }, id: 'c1' }] },
    { parts: [{ tool: 'shell_run', input: { command: 'ls' }, id: 'c2' }] },
    { parts: [{ tool: 'shop_refund', input: { order: 1182, amount: 20 }, id: 'c3' }] },
    { parts: [{ text: REFUNDED }] },
  )
})

afterEach(() => provider.close())

describe.each(Object.keys(EXAMPLES))('the example %s', (name) => {
  it('has a refused call answered, waits for an approval, and makes the call', async () => {
    const run = runExample(w, `${name}.mjs`, EXAMPLES[name]?.(provider.url) ?? {})
    const approved = eventually(() => approvePending(w, AGENT))
    const { code, lines } = await run
    await approved
    expect(lines).toContainEqual(expect.stringMatching(APPROVE))
    expect(lines).toContain(REFUNDED)
    expect(code).toBe(0)
    const told = JSON.stringify(provider.requests.at(-1)?.body)
    expect(told).toContain(NO_SHELL)
    expect(told).toContain(FOUND)
    expect(told).toContain('refunded')
  })

  it('is the code of its page', async () => {
    const { page, example } = await pageCode(name)
    expect(page).toBe(example)
  })
})
