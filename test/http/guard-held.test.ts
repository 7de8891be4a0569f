import { createGuard } from '@touchstone/sdk/guard'
import { describe, expect, it } from 'vitest'
import {
  approvePending,
  bypassesOf,
  decisionsOf,
  guardWorld,
  newDeskAgent,
} from '#harness/guarded.ts'
import { admitOrAsk } from '../../packages/sdk/src/adapters/approval.ts'

const w = guardWorld()
const REFUND = { tool: 'shop_refund', arguments: { amount: 20 } }
const PAUSE = new Error('paused')

async function newGuard({ local }: { local: boolean }) {
  const agentId = await newDeskAgent(w, { local })
  const onOutcomeLost = ({ reason }: { reason: string }) => expect.fail(reason)
  const guard = createGuard({ client: w.touchstone, agentId, sessionId: 's1', onOutcomeLost })
  return { agentId, guard }
}

async function outcomesOf(agentId: string): Promise<string[]> {
  const decisions = await decisionsOf(w, agentId)
  return decisions.map(({ decision, outcome }) => `${decision} ${outcome?.status}`)
}

describe('a held call', () => {
  it('shows where a person can approve it, and is not recorded before it ends', async () => {
    const { guard, agentId } = await newGuard({ local: false })
    const { escalation, refusal, end } = await guard.admit(REFUND, { holdEscalated: true })
    expect(refusal?.code).toBe('escalated')
    expect(escalation).toEqual({
      escalationId: refusal?.escalationId,
      approveUrl: expect.stringContaining(`/approvals/${refusal?.escalationId}`),
      local: false,
    })
    await guard.flush()
    expect(await outcomesOf(agentId)).toEqual(['escalate undefined'])
    end('refused')
    await guard.flush()
    expect(await outcomesOf(agentId)).toEqual(['escalate not_executed'])
  })

  it('is made if the policy lets the user of the framework approve it, which is no bypass', async () => {
    const { guard, agentId } = await newGuard({ local: true })
    const { refusal, end } = await admitOrAsk(guard, REFUND, ({ local }) => local)
    expect(refusal).toBe(undefined)
    end('succeeded')
    await guard.flush()
    expect(await outcomesOf(agentId)).toEqual(['escalate executed'])
    expect(await bypassesOf(w, agentId)).toBe(0)
    const options = { params: { agent_id: agentId } }
    const { traces } = await w.touchstone.request('GET', '/v1/agents/{agent_id}/traces', options)
    expect(traces).toMatchObject([
      { action: { type: 'execute' }, escalation: { escalation_status: 'approved' } },
    ])
  })

  it('is not made if only the service can approve it, whatever the user of the framework says', async () => {
    const { guard, agentId } = await newGuard({ local: false })
    const { refusal } = await admitOrAsk(guard, REFUND, () => true)
    expect(refusal?.code).toBe('escalated')
    await guard.flush()
    expect(await outcomesOf(agentId)).toEqual(['escalate not_executed', 'escalate not_executed'])
  })

  it('is made if the service approved it while the user of the framework was asked', async () => {
    const { guard, agentId } = await newGuard({ local: false })
    const { refusal, end } = await admitOrAsk(guard, REFUND, async () => {
      await approvePending(w, agentId)
      return true
    })
    expect(refusal).toBe(undefined)
    end('succeeded')
    await guard.flush()
    expect(await outcomesOf(agentId)).toEqual(['escalate not_executed', 'allow executed'])
  })

  it('is not made if the user of the framework rejects it', async () => {
    const { guard, agentId } = await newGuard({ local: true })
    const { refusal } = await admitOrAsk(guard, REFUND, () => false)
    expect(refusal?.code).toBe('rejected')
    await guard.flush()
    expect(await outcomesOf(agentId)).toEqual(['escalate not_executed'])
  })

  it('is recorded as refused when the run pauses, and decided again when it resumes', async () => {
    const { guard, agentId } = await newGuard({ local: false })
    const pause = () => {
      throw PAUSE
    }
    await expect(admitOrAsk(guard, REFUND, pause)).rejects.toBe(PAUSE)
    const { escalation_id } = await approvePending(w, agentId)
    const resumed = await admitOrAsk(guard, REFUND, pause)
    expect(resumed.verdict).toMatchObject({ decision: 'allow', escalationId: escalation_id })
    resumed.end('succeeded')
    await guard.flush()
    expect(await outcomesOf(agentId)).toEqual(['escalate not_executed', 'allow executed'])
  })
})
