import { createClient } from '@touchstone/sdk'
import { createGuard, type GuardOptions } from '@touchstone/sdk/guard'
import { describe, expect, it } from 'vitest'
import { createGatekeeper } from './gatekeeper.ts'
import type { Ruling } from './relay.ts'

type Asked = Record<string, unknown>

const ALLOWED = {
  decision_id: 'dec-1',
  decision: 'allow',
  reasons: [],
  escalation_id: null,
  notices: [],
}
const NO = [{ code: 'forbidden', message: 'No shell', severity: 'high' }]

/** A gatekeeper with the real guard, in front of a service that answers as the test says. */
function gatekeeperWith(answer: (asked: Asked) => unknown, options: Partial<GuardOptions> = {}) {
  const asked: Asked[] = []
  const notes: string[] = []
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    const body: Asked = JSON.parse(String(init?.body))
    asked.push(body)
    const response = answer(body)
    return response instanceof Response ? response : Response.json(response)
  }
  const client = createClient({ baseUrl: 'http://service.test', retries: 0, fetch })
  const guard = createGuard({
    client,
    agentId: 'desk',
    sessionId: 's-1',
    record: false,
    ...options,
  })
  const note = (line: string) => void notes.push(line)
  const ask = createGatekeeper({ guard, transaction: 'txn-1', note })
  return { ask, asked, notes }
}

const CALL = { tool: 'mcp__os__shell', arguments: { command: 'ls' }, thinking: undefined }
const PENDING = { code: 'escalation', message: 'The escalation is pending', severity: null }
const unreachable = () => {
  throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') })
}
const refusal = (ruling: Ruling) => {
  if (ruling.allowed) throw new Error('the call was allowed')
  const [first] = ruling.result.content
  return { text: first?.type === 'text' ? first.text : '', result: ruling.result }
}

describe('a gatekeeper', () => {
  it('requests a decision for agent, session and transaction, and forwards notices to the agent', async () => {
    const notices = [{ nudge_id: 'n-1', message: 'Mind the rules.' }]
    const { ask, asked } = gatekeeperWith(() => ({ ...ALLOWED, notices }))
    const ruling = await ask(CALL)
    expect(ruling).toMatchObject({ allowed: true, notices: ['Touchstone: Mind the rules.'] })
    expect(asked).toEqual([
      {
        agent_id: 'desk',
        session_id: 's-1',
        transaction_id: 'txn-1',
        tool: 'mcp__os__shell',
        arguments: { command: 'ls' },
      },
    ])
  })

  it('gives the reason of a refusal as text and as metadata', async () => {
    const { ask } = gatekeeperWith(() => ({
      ...ALLOWED,
      decision: 'block',
      reasons: [...NO, ...NO],
    }))
    const { text, result } = refusal(await ask(CALL))
    expect(text).toBe('Refused by Touchstone: No shell')
    expect(result).toMatchObject({
      isError: true,
      _meta: { 'touchstone/decision': { decision_id: 'dec-1', decision: 'block' } },
    })
  })

  it('uses an approval only for the exact call it was requested for', async () => {
    const escalated = { ...ALLOWED, decision: 'escalate', reasons: NO, escalation_id: 'esc-1' }
    const { ask, asked } = gatekeeperWith(({ escalation_id }) =>
      escalation_id ? ALLOWED : escalated,
    )
    expect(refusal(await ask(CALL)).text).toContain('Escalation esc-1. Once it is approved')
    await ask({ ...CALL, arguments: { command: 'rm' } })
    expect(await ask(CALL)).toMatchObject({ allowed: true })
    await ask(CALL)
    expect(asked.map(({ escalation_id }) => escalation_id)).toEqual([
      undefined,
      undefined,
      'esc-1',
      undefined,
    ])
  })

  it('keeps a pending approval while the service is unreachable', async () => {
    const escalated = { ...ALLOWED, decision: 'escalate', reasons: NO, escalation_id: 'esc-1' }
    const answers = [() => escalated, unreachable, () => ALLOWED]
    const { ask, asked } = gatekeeperWith(() => answers.shift()?.())
    await ask(CALL)
    await ask(CALL)
    expect(await ask(CALL)).toMatchObject({ allowed: true })
    expect(asked.at(-1)?.['escalation_id']).toBe('esc-1')
  })

  it('refuses calls while the service is unreachable', async () => {
    const { ask, notes } = gatekeeperWith(unreachable)
    expect(refusal(await ask(CALL)).text).toBe(
      'Touchstone could not be reached (connect ECONNREFUSED), so the tool was not called.',
    )
    expect(notes).toHaveLength(1)
  })

  it('allows calls without a decision only with the fallback allow, and notes it', async () => {
    const { ask, notes } = gatekeeperWith(unreachable, { whenUnavailable: 'allow' })
    expect(await ask(CALL)).toMatchObject({ allowed: true })
    expect(notes).toEqual([
      'mcp__os__shell was allowed because the service could not be reached: connect ECONNREFUSED',
    ])
  })

  it('refuses a call that the service rejects with an error, even with the fallback allow', async () => {
    const error = { error: 'unauthorized', message: 'The key is wrong.' }
    const answer = () => Response.json(error, { status: 401 })
    const { ask, notes } = gatekeeperWith(answer, { whenUnavailable: 'allow' })
    expect(refusal(await ask(CALL)).text).toBe('The key is wrong.')
    expect(notes).toEqual(['mcp__os__shell was refused: The key is wrong.'])
  })

  it('requests no decision until the preparation succeeds, and retries it', async () => {
    let attempts = 0
    const prepare = async () => {
      attempts += 1
      if (attempts === 1) throw new TypeError('fetch failed')
    }
    const { ask, asked } = gatekeeperWith(() => ALLOWED, { prepare })
    expect(refusal(await ask(CALL)).text).toContain('could not be reached')
    expect(asked).toEqual([])
    await Promise.all([ask(CALL), ask(CALL)])
    expect([attempts, asked.length]).toEqual([2, 2])
  })

  it('asks without an escalation whose reason is gone', async () => {
    const escalated = { ...ALLOWED, decision: 'escalate', escalation_id: 'esc-1' }
    let isAccepted = false
    const { ask, asked } = gatekeeperWith((body) => {
      if (!isAccepted) return { ...escalated, reasons: [{ ...NO[0], code: 'tool_changed' }] }
      return body['escalation_id'] === undefined ? ALLOWED : { ...escalated, reasons: [PENDING] }
    })
    expect((await ask(CALL)).allowed).toBe(false)
    isAccepted = true
    expect((await ask(CALL)).allowed).toBe(true)
    expect(asked.map((body) => body['escalation_id'])).toEqual([undefined, 'esc-1', undefined])
  })
})
