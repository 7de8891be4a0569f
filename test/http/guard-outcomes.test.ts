import { createTouchstone } from '@touchstone/sdk'
import { createGuard, type GuardOptions } from '@touchstone/sdk/guard'
import { describe, expect, it } from 'vitest'
import { eventually } from '#harness/eventually.ts'
import { approvePending, cuttableClient, guardWorld, newDeskAgent } from '#harness/guarded.ts'

const w = guardWorld()

async function newGuard(changes: Partial<GuardOptions> = {}) {
  const agentId = await newDeskAgent(w)
  const onOutcomeLost = ({ reason }: { reason: string }) => expect.fail(reason)
  const options = { client: w.touchstone, agentId, onOutcomeLost, ...changes }
  return { agentId, guard: createGuard(options) }
}

const outcomesOf = async (agentId: string) => {
  const path = `/v1/decisions?agent_id=${agentId}`
  const { body } = await w.t.call('GET', path, { token: w.t.first.api_key })
  return body.decisions.reverse()
}

describe('a guard', () => {
  it('reports whether the tool ran, failed or was not called', async () => {
    const { guard, agentId } = await newGuard()
    await guard.run({ tool: 'shop_search' }, () => 'found')
    const broken = () => {
      throw new RangeError(`no such order ${'x'.repeat(600)}`)
    }
    await expect(guard.run({ tool: 'shop_order' }, broken)).rejects.toThrow(RangeError)
    await expect(guard.run({ tool: 'shell_run' }, () => 'ran')).rejects.toThrow()
    await expect(guard.run({ tool: 'shop_refund' }, () => 'ran')).rejects.toThrow()
    await guard.flush()
    const decisions = await outcomesOf(agentId)
    expect(decisions).toMatchObject([
      { decision: 'allow', outcome: { status: 'executed', error: null } },
      {
        decision: 'allow',
        outcome: { status: 'failed', error: expect.stringMatching(/^no such order x+$/) },
      },
      { decision: 'block', outcome: { status: 'not_executed', duration_ms: null, error: null } },
      { decision: 'escalate', outcome: { status: 'not_executed', error: null } },
    ])
    expect(decisions[1].outcome.error).toHaveLength(500)
    expect(decisions[0].outcome.duration_ms).toBeGreaterThanOrEqual(0)
    const events = await w.t.call('GET', `/v1/decisions?agent_id=${agentId}&outcome=bypassed`, {
      token: w.t.first.api_key,
    })
    expect(events.body.decisions).toEqual([])
  })

  it('needs no agent with a key that is bound to one', async () => {
    const agentId = await newDeskAgent(w)
    const { key } = await w.touchstone.request('POST', '/v1/api-keys', {
      body: { agent_id: agentId, role: 'member', scopes: ['decide', 'ingest'] },
    })
    const client = createTouchstone({ baseUrl: w.baseUrl, token: key ?? '', retries: 0 })
    const onEvidenceLost = ({ reason }: { reason: string }) => expect.fail(reason)
    const guard = createGuard({ client, onEvidenceLost })
    await guard.run({ tool: 'shop_search' }, () => 'found')
    await guard.flush()
    expect(await outcomesOf(agentId)).toMatchObject([{ outcome: { status: 'executed' } }])
    const path = `/v1/agents/${agentId}/traces`
    const { body: listed } = await w.t.call('GET', path, { token: w.t.first.api_key })
    expect(listed.traces).toHaveLength(1)
  })

  it('reports in the background, once calls pause', async () => {
    const { guard, agentId } = await newGuard({ record: false })
    await guard.run({ tool: 'shop_search' }, () => 'found')
    expect(guard.pending()).toBe(1)
    await eventually(async () => {
      expect(await outcomesOf(agentId)).toMatchObject([{ outcome: { status: 'executed' } }])
      // Later than the outcome is stored: the answer is still on its way then.
      expect(guard.pending()).toBe(0)
    })
  })

  it('reports the refused decision and the approved one', async () => {
    const waitForApproval = { waitMs: 60_000, pollMs: 20 }
    const { guard, agentId } = await newGuard({ waitForApproval, sessionId: 'one' })
    const running = guard.run({ tool: 'shop_refund' }, () => 'refunded')
    await eventually(async () => {
      await approvePending(w, agentId)
    })
    expect(await running).toBe('refunded')
    await guard.flush()
    expect(await outcomesOf(agentId)).toMatchObject([
      { decision: 'escalate', outcome: { status: 'not_executed' } },
      { outcome: { status: 'executed' } },
    ])
  })

  it('tells a failure to report and does not throw it', async () => {
    const { client, cut } = cuttableClient(w, w.t.first.api_key, '/outcomes')
    const delayed: string[] = []
    const lost: string[] = []
    const { guard, agentId } = await newGuard({
      client,
      record: false,
      onOutcomeLost: ({ reason }) => void lost.push(reason),
      onEvidenceDelayed: (error) => void delayed.push(String(error)),
    })
    cut(true)
    expect(await guard.run({ tool: 'shop_search' }, () => 'found')).toBe('found')
    await guard.flush()
    expect([delayed.length, guard.pending()]).toEqual([1, 1])
    cut(false)
    const [{ decision_id: decisionId }] = await outcomesOf(agentId)
    await w.touchstone.gateway.reportOutcome(decisionId, { status: 'failed', error: 'elsewhere' })
    await guard.flush()
    expect(lost).toEqual(['The decision has another outcome, or is more than 24 hours old.'])
    expect(guard.pending()).toBe(0)
    const { results } = await w.touchstone.gateway.reportOutcomes({
      outcomes: [{ decision_id: decisionId, status: 'failed', error: 'elsewhere' }],
    })
    expect(results).toEqual([{ decision_id: decisionId, status: 'duplicate' }])
  })
})
