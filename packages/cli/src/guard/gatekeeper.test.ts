import { createClient } from '@touchstone/sdk'
import { createGuard, type GuardOptions } from '@touchstone/sdk/guard'
import { describe, expect, it } from 'vitest'
import { createGatekeeper } from './gatekeeper.ts'
import type { Ruling } from './relay.ts'

type Asked = Record<string, unknown>

const ALLOWED = {
  ...{ decision_id: 'dec-1', decision: 'allow', reasons: [], escalation_id: null },
  notices: [],
}
const NO = [{ code: 'forbidden', message: 'No shell', severity: 'high' }]

/** A gatekeeper of the real guard, before a service that answers what the test says. */
function world(answer: (asked: Asked) => unknown, options: Partial<GuardOptions> = {}) {
  const asked: Asked[] = []
  const notes: string[] = []
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    const body: Asked = JSON.parse(String(init?.body))
    asked.push(body)
    const given = answer(body)
    return given instanceof Response ? given : Response.json(given)
  }
  const client = createClient({ baseUrl: 'http://service.test', retries: 0, fetch })
  const guard = createGuard({
    ...{ client, agentId: 'desk', sessionId: 's-1', record: false },
    ...options,
  })
  const note = (line: string) => void notes.push(line)
  const ask = createGatekeeper({ guard, transaction: 'txn-1', note })
  return { ask, asked, notes }
}

const CALL = { tool: 'mcp__os__shell', arguments: { command: 'ls' }, thinking: undefined }
const silence = () => {
  throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') })
}
const refusal = (ruling: Ruling) => {
  if (ruling.allowed) throw new Error('the call was let through')
  const [first] = ruling.result.content
  return { text: first?.type === 'text' ? first.text : '', result: ruling.result }
}

describe('a gatekeeper', () => {
  it('asks for agent, session and transaction, and hands on what the agent is to be told', async () => {
    const notices = [{ nudge_id: 'n-1', message: 'Mind the rules.' }]
    const { ask, asked } = world(() => ({ ...ALLOWED, notices }))
    const ruling = await ask(CALL)
    expect(ruling).toMatchObject({ allowed: true, notices: ['Touchstone: Mind the rules.'] })
    expect(asked).toEqual([
      {
        ...{ agent_id: 'desk', session_id: 's-1', transaction_id: 'txn-1' },
        ...{ tool: 'mcp__os__shell', arguments: { command: 'ls' } },
      },
    ])
  })

  it('says why a call is refused, for the model and for programs', async () => {
    const { ask } = world(() => ({ ...ALLOWED, decision: 'block', reasons: [...NO, ...NO] }))
    const { text, result } = refusal(await ask(CALL))
    expect(text).toBe('Refused by Touchstone: No shell')
    expect(result).toMatchObject({
      isError: true,
      _meta: { 'touchstone/decision': { decision_id: 'dec-1', decision: 'block' } },
    })
  })

  it('names an approval only for the very call that it was asked for', async () => {
    const escalated = { ...ALLOWED, decision: 'escalate', reasons: NO, escalation_id: 'esc-1' }
    const { ask, asked } = world(({ escalation_id }) => (escalation_id ? ALLOWED : escalated))
    expect(refusal(await ask(CALL)).text).toContain('Escalation esc-1. Once it is approved')
    await ask({ ...CALL, arguments: { command: 'rm' } })
    expect(await ask(CALL)).toMatchObject({ allowed: true })
    await ask(CALL)
    expect(asked.map(({ escalation_id }) => escalation_id)).toEqual([
      ...[undefined, undefined, 'esc-1', undefined],
    ])
  })

  it('keeps an approval that nobody could be told of', async () => {
    const escalated = { ...ALLOWED, decision: 'escalate', reasons: NO, escalation_id: 'esc-1' }
    const answers = [() => escalated, silence, () => ALLOWED]
    const { ask, asked } = world(() => answers.shift()?.())
    await ask(CALL)
    await ask(CALL)
    expect(await ask(CALL)).toMatchObject({ allowed: true })
    expect(asked.at(-1)?.['escalation_id']).toBe('esc-1')
  })

  it('refuses while the service cannot be asked', async () => {
    const { ask, notes } = world(silence)
    expect(refusal(await ask(CALL)).text).toBe(
      'Touchstone could not be asked (connect ECONNREFUSED), so the tool was not called.',
    )
    expect(notes).toHaveLength(1)
  })

  it('lets calls through then only when told so, and says it', async () => {
    const { ask, notes } = world(silence, { whenUnavailable: 'allow' })
    expect(await ask(CALL)).toMatchObject({ allowed: true })
    expect(notes).toEqual([
      'mcp__os__shell was let through, as the service did not answer: connect ECONNREFUSED',
    ])
  })

  it('refuses what the service has answered with an error, whatever it was told', async () => {
    const error = { error: 'unauthorized', message: 'The key is wrong.' }
    const answer = () => Response.json(error, { status: 401 })
    const { ask, notes } = world(answer, { whenUnavailable: 'allow' })
    expect(refusal(await ask(CALL)).text).toBe('The key is wrong.')
    expect(notes).toEqual(['mcp__os__shell was refused: The key is wrong.'])
  })

  it('asks nothing before what must be so is so, and tries again', async () => {
    let attempts = 0
    const prepare = async () => {
      attempts += 1
      if (attempts === 1) throw new TypeError('fetch failed')
    }
    const { ask, asked } = world(() => ALLOWED, { prepare })
    expect(refusal(await ask(CALL)).text).toContain('could not be asked')
    expect(asked).toEqual([])
    await Promise.all([ask(CALL), ask(CALL)])
    expect([attempts, asked.length]).toEqual([2, 2])
  })
})
