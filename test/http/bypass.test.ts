import { verifyBundle } from '@touchstone/protocol/bundle'
import { hashCanonical } from '@touchstone/protocol/crypto'
import { verifyCertificate } from '@touchstone/protocol/evidence'
import { beforeAll, describe, expect, it } from 'vitest'
import { type ScoreWorld, scoreWorld } from '#harness/scores.ts'

const POLICY = {
  meta: { schema_version: '1.0', name: 'shop', scope: 'agent' },
  capability_mappings: { shop: { tools: ['shop_*'], card_actions: ['serve'] } },
  forbidden: [{ pattern: 'shop_wipe', reason: 'Nobody wipes', severity: 'critical' }],
  escalation_triggers: [
    { condition: "tool == 'shop_refund'", action: 'escalate', reason: 'Refunds are for people' },
  ],
  defaults: { enforcement_mode: 'enforce' },
}

let w: ScoreWorld

beforeAll(async () => {
  w = await scoreWorld()
})

async function newAgent(policy: object = POLICY): Promise<string> {
  const agentId = await w.newAgent()
  await w.t.call('PUT', `/v1/agents/${agentId}/policy`, { token: w.key, body: policy })
  return agentId
}

const decide = async (agentId: string, tool: string, more: object = {}) =>
  (
    await w.t.call('POST', '/v1/gateway/decide', {
      token: w.key,
      body: { agent_id: agentId, tool, ...more },
    })
  ).body

const report = (decisionId: string, body: object) =>
  w.t.call('POST', `/v1/decisions/${decisionId}/outcome`, { token: w.key, body })

const eventsOf = async (agentId: string, type: string) =>
  (await w.eventsOf(agentId)).filter((event) => event.type === type)

const checkpointsOf = async (agentId: string) =>
  (await w.get(`/v1/agents/${agentId}/checkpoints`)).body.checkpoints

describe('a bypass', () => {
  it('is an event and a sealed boundary violation that lowers the score', async () => {
    const agentId = await newAgent()
    await w.sendCheckpoints(agentId, 50)
    await w.recompute(agentId)
    const before = (await w.score(agentId)).body.score
    expect(before).toBeGreaterThan(0)
    w.t.clock.advance(60_000)
    const blocked = await decide(agentId, 'shop_wipe', { session_id: 'night' })
    expect(blocked.decision).toBe('block')
    expect((await report(blocked.decision_id, { status: 'executed' })).status).toBe(200)

    const [event, ...others] = await eventsOf(agentId, 'decision.bypassed')
    expect(others).toEqual([])
    expect(event?.data).toEqual({
      decision_id: blocked.decision_id,
      agent_id: agentId,
      session_id: 'night',
      tool: 'shop_wipe',
      decision: 'block',
      reasons: blocked.reasons,
      policy_id: blocked.policy_id,
      policy_version: 1,
      escalation_id: null,
      outcome: 'executed',
      checkpoint_id: expect.stringMatching(/^ic-/),
    })

    const id = event?.data['checkpoint_id']
    const { body: checkpoint } = await w.get(`/v1/checkpoints/${id}`)
    expect(checkpoint).toMatchObject({
      session_id: 'night',
      verdict: 'boundary_violation',
      violation_type: 'POLICY_VIOLATION',
      synthetic: false,
      concerns: [{ category: 'autonomy_violation', severity: 'critical' }],
      analysis_metadata: { analyzer: 'gateway', analysis_model: 'gateway' },
    })
    expect(await eventsOf(agentId, 'integrity.violation')).toHaveLength(1)

    const { body: certificate } = await w.get(`/v1/checkpoints/${id}/certificate`)
    const { keys } = (await w.t.call('GET', '/v1/keys')).body
    expect(verifyCertificate(certificate, keys)).toMatchObject({
      wellFormed: true,
      verification: { valid: true },
    })
    expect(certificate.claims.analyzer).toBe('gateway')
    expect(certificate.input_commitments.output_block_hash).toBe(
      hashCanonical(blocked.receipt.statement),
    )

    expect((await w.recompute(agentId)).body.score_after).toBeLessThan(before)
    const bundle = await w.t.call('GET', `/v1/reputation/${agentId}/bundle`)
    expect(await verifyBundle(bundle.text.split('\n'), keys)).toMatchObject({
      faults: [],
      ok: true,
      equal: true,
    })

    const listed = await w.get(`/v1/decisions?agent_id=${agentId}&outcome=bypassed`)
    expect(listed.body.decisions).toMatchObject([{ decision_id: blocked.decision_id }])
  })

  it('is a failed call after an escalation, too, once however often it is reported', async () => {
    const agentId = await newAgent()
    const escalated = await decide(agentId, 'shop_refund')
    const given = { status: 'failed', error: 'No money' }
    await Promise.all(Array.from({ length: 4 }, () => report(escalated.decision_id, given)))
    expect(await eventsOf(agentId, 'decision.bypassed')).toMatchObject([
      { data: { decision: 'escalate', escalation_id: escalated.escalation_id, outcome: 'failed' } },
    ])
    expect(await checkpointsOf(agentId)).toHaveLength(1)
  })

  it.each([
    ['answered in its client, if the policy allows that', { local: true }, 0],
    ['answered in its client, if the policy does not allow that', { local: false }, 1],
    ['answered by one person of several', { local: true, required: 2 }, 1],
  ])('of a call that was %s', async (_name, approval, bypasses) => {
    const [refunds] = POLICY.escalation_triggers
    const agentId = await newAgent({
      ...POLICY,
      meta: { ...POLICY.meta, schema_version: '1.1' },
      escalation_triggers: [{ ...refunds, approval }],
    })
    const escalated = await decide(agentId, 'shop_refund')
    expect(escalated.decision).toBe('escalate')
    expect((await report(escalated.decision_id, { status: 'executed' })).status).toBe(200)
    expect(await eventsOf(agentId, 'decision.bypassed')).toHaveLength(bypasses)
    expect(await checkpointsOf(agentId)).toHaveLength(bypasses)
    const blocked = await decide(agentId, 'shop_wipe')
    await report(blocked.decision_id, { status: 'executed' })
    expect(await eventsOf(agentId, 'decision.bypassed')).toHaveLength(bypasses + 1)
  })

  it('is a call that a person rejected, whoever may answer', async () => {
    const [refunds] = POLICY.escalation_triggers
    const agentId = await newAgent({
      ...POLICY,
      meta: { ...POLICY.meta, schema_version: '1.1' },
      escalation_triggers: [{ ...refunds, approval: { local: true } }],
    })
    const escalated = await decide(agentId, 'shop_refund')
    const rejected = await w.t.call('POST', `/v1/escalations/${escalated.escalation_id}/resolve`, {
      token: await w.t.ownerToken(),
      body: { outcome: 'reject' },
    })
    expect(rejected.status).toBe(200)
    await report(escalated.decision_id, { status: 'executed' })
    expect(await eventsOf(agentId, 'decision.bypassed')).toHaveLength(1)
  })

  it('is not a call that was stopped or let through', async () => {
    const agentId = await newAgent()
    const blocked = await decide(agentId, 'shop_wipe')
    await report(blocked.decision_id, { status: 'not_executed' })
    const allowed = await decide(agentId, 'shop_read')
    await report(allowed.decision_id, { status: 'failed', error: 'x' })
    expect(await eventsOf(agentId, 'decision.bypassed')).toEqual([])
    expect(await checkpointsOf(agentId)).toEqual([])
  })

  it('of an archived agent is an event without a checkpoint', async () => {
    const agentId = await newAgent()
    const blocked = await decide(agentId, 'shop_wipe')
    const owner = await w.t.ownerToken()
    const archived = await w.t.call('DELETE', `/v1/agents/${agentId}`, { token: owner })
    expect(archived.status).toBeLessThan(300)
    expect((await report(blocked.decision_id, { status: 'executed' })).status).toBe(200)
    expect(await eventsOf(agentId, 'decision.bypassed')).toMatchObject([
      { data: { checkpoint_id: null } },
    ])
  })
})

describe('the events of stopped calls', () => {
  const MINUTE_MS = 60_000

  it('tell a blocked call at once, and equal ones once a minute with their number', async () => {
    const agentId = await newAgent()
    const counts = async () =>
      (await eventsOf(agentId, 'decision.blocked')).map(({ data }) => data['count'])
    const first = await decide(agentId, 'shop_wipe')
    expect(await eventsOf(agentId, 'decision.blocked')).toMatchObject([
      { data: { decision_id: first.decision_id, tool: 'shop_wipe', decision: 'block', count: 1 } },
    ])
    await Promise.all(Array.from({ length: 6 }, () => decide(agentId, 'shop_wipe')))
    expect(await counts()).toEqual([1])
    w.t.clock.advance(MINUTE_MS)
    const next = await decide(agentId, 'shop_wipe')
    expect(await counts()).toEqual([1, 7])
    expect((await eventsOf(agentId, 'decision.blocked')).at(-1)?.data['decision_id']).toBe(
      next.decision_id,
    )
  })

  it('tell the rest within a minute or two if no other call follows', async () => {
    const agentId = await newAgent()
    const ids: string[] = []
    for (const _ of [1, 2, 3]) ids.push((await decide(agentId, 'shop_wipe')).decision_id)
    for (const _ of [1, 2, 3]) {
      w.t.clock.advance(MINUTE_MS)
      await w.t.app.kernel.schedules.fireDue()
      await w.t.settle()
    }
    const told = await eventsOf(agentId, 'decision.blocked')
    expect(told.map(({ data }) => [data['decision_id'], data['count']])).toEqual([
      [ids[0], 1],
      [ids[2], 2],
    ])
  })

  it('tell every escalated call', async () => {
    const agentId = await newAgent()
    const first = await decide(agentId, 'shop_refund', { session_id: 'a' })
    const second = await decide(agentId, 'shop_refund', { session_id: 'a' })
    expect(await eventsOf(agentId, 'decision.escalated')).toMatchObject(
      [first, second].map(({ decision_id, escalation_id, reasons }) => ({
        data: { decision_id, escalation_id, reasons, decision: 'escalate' },
      })),
    )
  })

  it('tell that a person has answered', async () => {
    const agentId = await newAgent()
    const { decision_id, escalation_id } = await decide(agentId, 'shop_refund', { session_id: 's' })
    const token = await w.t.ownerToken()
    const path = `/v1/escalations/${escalation_id}/resolve`
    const answer = await w.t.call('POST', path, { token, body: { outcome: 'reject' } })
    expect(answer.status, answer.text).toBe(200)
    expect(await eventsOf(agentId, 'escalation.resolved')).toMatchObject([
      {
        data: {
          escalation_id,
          decision_id,
          session_id: 's',
          tool: 'shop_refund',
          status: 'rejected',
        },
      },
    ])
  })

  it('do not exist for calls that are let through', async () => {
    const agentId = await newAgent()
    await decide(agentId, 'shop_read')
    expect((await w.eventsOf(agentId)).filter(({ type }) => type.startsWith('decision.'))).toEqual(
      [],
    )
  })
})
