import type { ServerResponse } from 'node:http'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { eventually } from '#harness/eventually.ts'
import { type PlannedProvider, startPlannedProvider } from '#harness/mock-provider.ts'
import {
  openMessage,
  sendMessage,
  startModelGateway,
  startRawProvider,
} from '#harness/model-gateway.ts'

const refund = { tool: 'refund', input: { amount: 60 }, id: 'call_refund' }
const search = { tool: 'search', input: { q: 'a' }, id: 'call_search' }

let provider: PlannedProvider
let gateway: Awaited<ReturnType<typeof startModelGateway>>

beforeAll(async () => {
  provider = await startPlannedProvider()
  gateway = await startModelGateway(provider.url)
})

describe.each([true, false])('a client that leaves while a call is held, stream: %s', (stream) => {
  /** Resolves once the service has noticed that the client left. */
  async function leaveWhileHeld(agent: { agentId: string; baseUrl: string }): Promise<string> {
    provider.plan({ parts: [refund] })
    const ended = vi.spyOn(gateway.t.app.kernel.log, 'info')
    const leaving = new AbortController()
    const asked = sendMessage(agent.baseUrl, { stream }, { signal: leaving.signal })
    asked.catch(() => undefined)
    await expect.poll(() => gateway.decisionsOf(agent.agentId)).toHaveLength(1)
    leaving.abort()
    await expect(asked).rejects.toThrow()
    await expect.poll(() => ended.mock.calls.map((line) => line.at(-1))).toContain('relayed')
    ended.mockRestore()
    const [{ escalation_id }] = await gateway.decisionsOf(agent.agentId)
    return escalation_id
  }

  it('leaves a turn that is counted once', async () => {
    const agent = await gateway.newAgent()
    await leaveWhileHeld(agent)
    await eventually(async () => {
      expect(await gateway.usageOf(agent.agentId)).toMatchObject({ turns: 1 })
    })
    provider.plan({ parts: [{ text: 'Hello.' }] })
    await sendMessage(agent.baseUrl, { stream })
    await eventually(async () => {
      expect(await gateway.usageOf(agent.agentId)).toMatchObject({ turns: 2, tool_calls: 1 })
    })
  })

  it('does not use up the approval, which is for its next request', async () => {
    const agent = await gateway.newAgent()
    const id = await leaveWhileHeld(agent)
    await gateway.call('POST', `/v1/escalations/${id}/resolve`, { outcome: 'approve' })
    const again = await sendMessage(agent.baseUrl, { stream })
    expect(again.text).toContain('call_refund')
    const decisions = await gateway.decisionsOf(agent.agentId)
    expect(decisions.map((one: { decision: string }) => one.decision)).toEqual([
      'allow',
      'escalate',
    ])
  })
})

describe('two turns of a session at the same time', () => {
  it('share its limits, and keep their calls apart', async () => {
    const limits = [{ name: 'one', tools: ['search'], max: 1, per: 'session', reason: 'Once' }]
    const { agentId, baseUrl } = await gateway.newAgent({ policy: { limits } })
    provider.plan({ parts: [search], pauseMs: 5 })
    const turns = await Promise.all(
      Array.from({ length: 6 }, () => sendMessage(baseUrl, { stream: true })),
    )
    const released = turns.filter(({ text }) => text.includes('call_search'))
    expect(released).toHaveLength(1)
    for (const { text } of turns) expect(text).toMatch(/call_search|Touchstone blocked search/)
    const decisions = await gateway.decisionsOf(agentId)
    const allowed = decisions.filter((one: { decision: string }) => one.decision === 'allow')
    expect(allowed).toHaveLength(1)
  })
})

describe('a provider whose stream goes on after the gateway ended the answer', () => {
  it.each([
    ['an event that cannot be read', 'data: {"x":NaN}\n\n', 'cannot be read'],
    ['an event of more than 8 MiB', 'x'.repeat(9 * 2 ** 20), 'too long'],
  ])('%s: the client gets an error and the provider is left', async (_, bytes, message) => {
    let closed: Promise<unknown> | undefined
    const url = await startRawProvider((res) => {
      closed = new Promise((resolve) => res.once('close', resolve))
      res.writeHead(200, { 'content-type': 'text/event-stream' }).write(bytes)
    })
    const other = await startModelGateway(url, { databaseUrl: gateway.t.databaseUrl })
    const { agentId, baseUrl } = await gateway.newAgent()
    const at = other.service + new URL(baseUrl).pathname
    const { text } = await sendMessage(at, { stream: true })
    expect(text).toContain('event: error')
    expect(text).toContain(message)
    await closed
    const open = await gateway.newAgent({ connection: { on_error: 'fail_open' } })
    const leaving = new AbortController()
    const released = await openMessage(
      other.service + new URL(open.baseUrl).pathname,
      { stream: true },
      { signal: leaving.signal },
    )
    const first = await released.body?.getReader().read()
    expect(new TextDecoder().decode(first?.value)).toBe(bytes.slice(0, first?.value?.length))
    leaving.abort()
    await eventually(async () => {
      expect(await gateway.usageOf(open.agentId)).toMatchObject({ turns: 1, ungoverned: 1 })
    })
    expect(await gateway.usageOf(agentId)).toMatchObject({ turns: 1, ungoverned: 0 })
  })
})

describe('a client that does not read', () => {
  const EVENT = `data: ${JSON.stringify({ type: 'note', text: 'x'.repeat(64 * 1024) })}\n\n`
  const EVENTS = 1000

  it('slows its provider down, and gets every byte once it reads', async () => {
    let sent = 0
    const send = (res: ServerResponse): void => {
      while (sent < EVENTS) {
        sent += 1
        if (!res.write(EVENT)) return void res.once('drain', () => send(res))
      }
      res.end()
    }
    const url = await startRawProvider((res) =>
      send(res.writeHead(200, { 'content-type': 'text/event-stream' })),
    )
    const slow = await startModelGateway(url, { databaseUrl: gateway.t.databaseUrl })
    const { baseUrl } = await gateway.newAgent()
    const at = slow.service + new URL(baseUrl).pathname
    const answer = await openMessage(at, { stream: true })
    let before = -1
    await eventually(async () => {
      const now = sent
      // Gives the process time to read on, if nothing held it back.
      for (let n = 0; n < 20; n += 1) await fetch(`${slow.service}/health/live`)
      const isStill = now === before && now === sent
      before = now
      expect(isStill).toBe(true)
    })
    expect(sent).toBeLessThan(EVENTS / 2)
    expect((await answer.text()).length).toBe(EVENT.length * EVENTS)
  })
})
