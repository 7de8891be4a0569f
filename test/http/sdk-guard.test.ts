import { ApiError, createTouchstone, type Touchstone } from '@touchstone/sdk'
import { createGuard, type GuardOptions, GuardRefusal, guardTool } from '@touchstone/sdk/guard'
import { createLocalPolicy, type LocalPolicyOptions } from '@touchstone/sdk/local-policy'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { CARD, textOf } from '#harness/checkpoints.ts'
import { eventually } from '#harness/eventually.ts'

const POLICY = {
  meta: { schema_version: '1.0', name: 'Desk', scope: 'agent' },
  capability_mappings: {
    desk: { tools: ['shop_*'], card_actions: ['search'] },
  },
  forbidden: [{ pattern: 'shell_*', reason: 'No shell', severity: 'critical' }],
  escalation_triggers: [
    { condition: "tool == 'shop_refund'", action: 'escalate', reason: 'Refunds are for people' },
    { condition: 'args.amount > 500', action: 'deny', reason: 'Nobody refunds that much' },
  ],
  defaults: {
    enforcement_mode: 'enforce',
    unmapped_tool_action: 'block',
    grace_period_hours: 0,
  },
} as const

let t: TestApp
let baseUrl: string
let touchstone: Touchstone
let approver: Touchstone
let count = 0

beforeAll(async () => {
  t = await testApp()
  // The SDK stamps evidence with the current time, so the service's clock must match.
  t.clock.set(new Date().toISOString())
  baseUrl = await t.app.server.listen({ port: 0, host: '127.0.0.1' })
  touchstone = createTouchstone({ baseUrl, token: t.first.api_key, retries: 0 })
  approver = createTouchstone({ baseUrl, token: await t.ownerToken(), retries: 0 })
})

async function newAgent(): Promise<string> {
  count += 1
  const { agent } = await touchstone.agents.create({ agent_id: `guarded-${count}`, card: CARD })
  await touchstone.policies.put(agent.agent_id, POLICY)
  return agent.agent_id
}

async function newGuard(changes: Partial<GuardOptions> = {}) {
  const agentId = await newAgent()
  const onEvidenceLost = ({ reason }: { reason: string }) => expect.fail(reason)
  const options = { client: touchstone, agentId, onEvidenceLost, ...changes }
  return { agentId, guard: createGuard(options) }
}

const recordOf = async (agentId: string) => {
  const { traces } = await touchstone.request('GET', '/v1/agents/{agent_id}/traces', {
    params: { agent_id: agentId },
  })
  const { checkpoints } = await touchstone.request('GET', '/v1/agents/{agent_id}/checkpoints', {
    params: { agent_id: agentId },
  })
  return { traces, checkpoints }
}

const refusalOf = (work: Promise<unknown>): Promise<GuardRefusal> =>
  work.then(
    () => Promise.reject(new Error('the call was not refused')),
    (error) => (error instanceof GuardRefusal ? error : Promise.reject(error)),
  )

describe('an allowed tool call', () => {
  it('runs, and is recorded as a trace and an analysed checkpoint', async () => {
    const { guard, agentId } = await newGuard({ sessionId: 'chat-1' })
    const search = guardTool(({ order }: { order: number }) => `order ${order} is on its way`, {
      guard,
      tool: 'shop_search',
      action: 'search',
    })
    expect(await search({ order: 7 }, { thinking: textOf(1) })).toBe('order 7 is on its way')
    await guard.flush()
    const { traces, checkpoints } = await recordOf(agentId)
    expect(traces).toHaveLength(1)
    expect(traces[0]).toMatchObject({
      action: { type: 'execute', name: 'search', category: 'bounded' },
      decision: { selected: 'shop_search' },
      context: { session_id: 'chat-1', metadata: { decided_by: 'service', outcome: 'succeeded' } },
      tools: ['shop_search'],
      verification: { verified: true },
      policy: { verdict: 'pass' },
    })
    expect(traces[0]?.action).not.toHaveProperty('parameters')
    expect(checkpoints).toMatchObject([
      { verdict: 'clear', synthetic: false, linked_trace_id: traces[0]?.trace_id },
    ])
  })

  it('may fail, which is recorded and rethrown to the caller', async () => {
    const { guard, agentId } = await newGuard({ recordArguments: true })
    const broken = guardTool(
      (_: { order: number }): string => {
        throw new RangeError('no such order')
      },
      { guard, tool: 'shop_search', action: 'search' },
    )
    await expect(broken({ order: 0 })).rejects.toThrow(RangeError)
    await guard.flush()
    const { traces } = await recordOf(agentId)
    expect(traces[0]).toMatchObject({
      action: { parameters: { order: 0 } },
      context: { metadata: { outcome: 'failed' } },
    })
  })
})

describe('a blocked tool call', () => {
  it('does not run, and the refusal gives the reasons', async () => {
    const { guard, agentId } = await newGuard()
    let called = 0
    const shell = guardTool(() => (called += 1), { guard, tool: 'shell_run' })
    const refusal = await refusalOf(shell(undefined))
    expect(refusal).toMatchObject({
      code: 'blocked',
      message: 'shell_run was not called: it is not allowed. No shell',
    })
    await guard.flush()
    expect(called).toBe(0)
    const { traces, checkpoints } = await recordOf(agentId)
    expect(traces[0]?.action).toMatchObject({ type: 'deny', name: 'shell_run' })
    expect(checkpoints).toHaveLength(1)
  })

  it('may be refused because of its arguments', async () => {
    const { guard } = await newGuard()
    const search = guardTool((_: { amount: number }) => 'done', { guard, tool: 'shop_search' })
    expect(await search({ amount: 500 })).toBe('done')
    expect((await refusalOf(search({ amount: 501 }))).reasons).toMatchObject([
      { message: 'Nobody refunds that much' },
    ])
  })

  it('is every call of a contained agent', async () => {
    const { guard, agentId } = await newGuard()
    await touchstone.containment.pause(t.first.org_id, agentId, { reason: 'a look' })
    const refusal = await refusalOf(guard.run({ tool: 'shop_search' }, () => 'done'))
    expect(refusal).toMatchObject({
      code: 'blocked',
      reasons: [{ code: 'agent_paused', message: 'Agent is paused' }],
    })
  })

  it('rejects with an API error if the request itself is invalid', async () => {
    const guard = createGuard({ client: touchstone, agentId: 'nobody-here' })
    const asked = guard.run({ tool: 'shop_search' }, () => 'done')
    await expect(asked).rejects.toBeInstanceOf(ApiError)
  })
})

describe('a call that requires approval', () => {
  it('is refused, and runs once if it names the approval', async () => {
    const { guard, agentId } = await newGuard()
    const refund = guardTool((_: { amount: number }) => 'refunded', { guard, tool: 'shop_refund' })
    const refusal = await refusalOf(refund({ amount: 20 }))
    expect(refusal.code).toBe('escalated')
    const { escalationId } = refusal
    if (escalationId === undefined) throw new Error('the decision has no escalation')
    await approver.gateway.resolve(escalationId, { outcome: 'approve' })
    expect(await refund({ amount: 20 }, { escalationId })).toBe('refunded')
    expect(await refusalOf(refund({ amount: 20 }, { escalationId }))).toMatchObject({
      code: 'blocked',
    })
    await guard.flush()
    const { traces } = await recordOf(agentId)
    const events = traces.map(({ action, escalation }) => [
      action.type,
      escalation?.escalation_status,
    ])
    expect(events).toContainEqual(['escalate', 'pending'])
    expect(events).toContainEqual(['execute', 'approved'])
  })

  it('can wait for the approval', async () => {
    const { guard } = await newGuard({ waitForApproval: { waitMs: 60_000, pollMs: 5 } })
    const answer = async (outcome: 'approve' | 'reject') => {
      const asked = guard.run({ tool: 'shop_refund', sessionId: outcome }, () => 'refunded')
      asked.catch(() => undefined)
      await eventually(async () => expect(await pendingOf(outcome)).toHaveLength(1))
      const [question] = await pendingOf(outcome)
      await approver.gateway.resolve(question?.escalation_id ?? '', { outcome })
      return asked
    }
    expect(await answer('approve')).toBe('refunded')
    expect(await refusalOf(answer('reject'))).toMatchObject({ code: 'rejected' })
  })

  it('waits on while the service cannot be asked', async () => {
    let failures = 0
    const client = createTouchstone({
      baseUrl,
      token: t.first.api_key,
      retries: 0,
      fetch(url, init) {
        const isPoll = String(url).includes('/v1/escalations/')
        if (!isPoll || failures === 3) return fetch(url, init)
        failures += 1
        return Promise.reject(new TypeError('fetch failed'))
      },
    })
    const { guard } = await newGuard({ client, waitForApproval: { waitMs: 60_000, pollMs: 5 } })
    const asked = guard.run({ tool: 'shop_refund', sessionId: 'cut' }, () => 'refunded')
    asked.catch(() => undefined)
    await eventually(async () => expect(await pendingOf('cut')).toHaveLength(1))
    const [question] = await pendingOf('cut')
    await approver.gateway.resolve(question?.escalation_id ?? '', { outcome: 'approve' })
    expect(await asked).toBe('refunded')
    expect(failures).toBe(3)
  })

  it('stays refused if nobody answers in time', async () => {
    const { guard } = await newGuard({ waitForApproval: { waitMs: 0 } })
    const asked = guard.run({ tool: 'shop_refund' }, () => 'refunded')
    expect(await refusalOf(asked)).toMatchObject({ code: 'escalated' })
  })
})

async function pendingOf(sessionId: string) {
  const query = { status: 'pending' } as const
  const { escalations } = await touchstone.request('GET', '/v1/escalations', { query })
  return escalations.filter((one) => one.session_id === sessionId)
}

describe('if the service is unreachable', () => {
  const down = () => {
    let isDown = false
    let sent = 0
    const client = createTouchstone({
      baseUrl,
      token: t.first.api_key,
      retries: 0,
      fetch(url, init) {
        if (isDown) return Promise.reject(new TypeError('fetch failed'))
        sent += 1
        return fetch(url, init)
      },
    })
    return { client, cut: (cut: boolean) => (isDown = cut), sent: () => sent }
  }

  it('no tool runs unless whenUnavailable is allow', async () => {
    const line = down()
    const agentId = await newAgent()
    const closed = createGuard({ client: line.client, agentId })
    const open = createGuard({ client: line.client, agentId, whenUnavailable: 'allow' })
    line.cut(true)
    const refusal = await refusalOf(closed.run({ tool: 'shop_search' }, () => 'done'))
    expect(refusal.code).toBe('unavailable')
    expect(await open.run({ tool: 'shop_search' }, () => 'done')).toBe('done')
    line.cut(false)
    await Promise.all([closed.flush(), open.flush()])
    const { traces } = await recordOf(agentId)
    expect(traces.map(({ action }) => action.type).sort()).toEqual(['deny', 'execute'])
  })

  it('evidence is queued in order and stored once', async () => {
    const line = down()
    const agentId = await newAgent()
    const guard = createGuard({ client: line.client, agentId, whenUnavailable: 'allow' })
    line.cut(true)
    for (const action of ['search', 'recommend', 'search']) {
      await guard.run({ tool: 'shop_search', action }, () => 'done')
    }
    await expect(guard.flush()).rejects.toThrow('fetch failed')
    expect(guard.pending()).toBe(4)
    line.cut(false)
    await guard.flush()
    await guard.flush()
    expect(guard.pending()).toBe(0)
    const { traces, checkpoints } = await recordOf(agentId)
    expect([traces.length, checkpoints.length]).toEqual([3, 1])
  })

  it('calls are refused before evidence would be lost', async () => {
    const line = down()
    const agentId = await newAgent()
    const guard = createGuard({ client: line.client, agentId, evidenceMax: 2 })
    line.cut(true)
    const call = () => refusalOf(guard.run({ tool: 'shop_search' }, () => 'done'))
    const codes = [await call(), await call(), await call()].map(({ code }) => code)
    expect(codes).toEqual(['unavailable', 'unavailable', 'evidence_full'])
    line.cut(false)
    expect(await guard.run({ tool: 'shop_search' }, () => 'done')).toBe('done')
  })

  it('a guard that allows calls anyway reports the evidence it dropped', async () => {
    const line = down()
    const agentId = await newAgent()
    const lost: string[] = []
    const guard = createGuard({
      client: line.client,
      agentId,
      whenUnavailable: 'allow',
      evidenceMax: 2,
      onEvidenceLost: ({ evidence }) => lost.push(...evidence.tools),
    })
    line.cut(true)
    await guard.run({ tool: 'shop_search' }, () => 'done')
    await guard.run({ tool: 'shop_answer' }, () => 'done')
    await guard.run({ tool: 'shop_answer' }, () => 'done')
    expect(lost).toEqual(['shop_search'])
  })

  it('a cached policy still allows and blocks', async () => {
    const line = down()
    const agentId = await newAgent()
    const local = createLocalPolicy({ client: line.client, agentId })
    await local.refresh()
    const guard = createGuard({ client: line.client, agentId, local, whenUnavailable: 'allow' })
    line.cut(true)
    expect(await guard.run({ tool: 'shop_search' }, () => 'done')).toBe('done')
    const refusal = await refusalOf(guard.run({ tool: 'shell_run' }, () => 'done'))
    expect(refusal).toMatchObject({ code: 'blocked', reasons: [{ message: 'No shell' }] })
  })

  it('an outdated cached policy decides nothing', async () => {
    const line = down()
    const agentId = await newAgent()
    const local = createLocalPolicy({ client: line.client, agentId, refreshMs: 0, staleMs: -1 })
    await local.refresh()
    line.cut(true)
    expect(await local.decide({ tool: 'shop_search' })).toBeUndefined()
  })
})

describe('a cached policy', () => {
  async function localGuard(changes: Partial<LocalPolicyOptions> = {}) {
    const agentId = await newAgent()
    const asked: string[] = []
    const client = createTouchstone({
      baseUrl,
      token: t.first.api_key,
      async fetch(url, init) {
        const answer = await fetch(url, init)
        asked.push(`${answer.status} ${new URL(String(url)).pathname.split('/').at(-1)}`)
        return answer
      },
    })
    const local = createLocalPolicy({ client, agentId, ...changes })
    return { agentId, asked, local, guard: createGuard({ client, agentId, local }) }
  }

  it('allows calls locally, and asks the service about the rest', async () => {
    const { guard, asked } = await localGuard()
    expect(await guard.check({ tool: 'shop_search' })).toMatchObject({
      decision: 'allow',
      source: 'local',
    })
    expect(asked.filter((one) => one.endsWith('decide'))).toEqual([])
    expect(await guard.check({ tool: 'shell_run' })).toMatchObject({
      decision: 'block',
      source: 'service',
    })
    const refund = await guard.check({ tool: 'shop_refund' })
    expect(refund).toMatchObject({ decision: 'escalate', source: 'service' })
    expect(refund.escalationId).toMatch(/^esc-/)
  })

  it('agrees with the service about everything it allows', async () => {
    const { agentId, local } = await localGuard()
    const tools = ['shop_search', 'shop_refund', 'shell_run', 'unheard_of']
    for (const tool of tools) {
      for (const args of [{}, { amount: 10 }, { amount: 900 }]) {
        const here = await local.decide({ tool, arguments: args })
        const there = await touchstone.gateway.decide({ agent_id: agentId, tool, arguments: args })
        expect(here?.decision).toBe(there.decision)
      }
    }
  })

  it('is refreshed, and downloaded only if it has changed', async () => {
    const { agentId, asked, local } = await localGuard()
    await local.refresh()
    await local.refresh()
    expect(asked.slice(3).map((one) => one.slice(0, 3))).toEqual(['304', '304', '304'])
    const { meta, capability_mappings } = POLICY
    const shop = { pattern: 'shop_search', reason: 'Closed', severity: 'critical' } as const
    const defaults = { enforcement_mode: 'enforce' } as const
    await touchstone.policies.put(agentId, {
      meta,
      capability_mappings,
      forbidden: [shop],
      defaults,
    })
    await local.refresh()
    expect(asked.slice(-3)).toContain('200 resolved')
    expect(await local.decide({ tool: 'shop_search' })).toMatchObject({ decision: 'block' })
  })

  it('decides nothing for an agent that is contained or in mode enforce', async () => {
    const { agentId, local } = await localGuard()
    await touchstone.agents.setEnforcement(agentId, { mode: 'enforce' })
    expect(await local.decide({ tool: 'shop_search' })).toBeUndefined()
    await touchstone.agents.setEnforcement(agentId, { mode: 'observe' })
    await touchstone.containment.pause(t.first.org_id, agentId)
    await local.refresh()
    expect(await local.decide({ tool: 'shop_search' })).toBeUndefined()
  })

  it('decides nothing about transactions and approvals', async () => {
    const { local } = await localGuard()
    await local.refresh()
    expect(await local.decide({ tool: 'shop_search', transactionId: 'txn-1' })).toBeUndefined()
    expect(await local.decide({ tool: 'shop_search', escalationId: 'esc-1' })).toBeUndefined()
  })
})
