import { createGuard, type GuardOptions } from '@touchstone/sdk/guard'
import { describe, expect, it } from 'vitest'
import { eventually } from '#harness/eventually.ts'
import {
  approvePending,
  cuttableClient,
  DESK_POLICY,
  guardWorld,
  newDeskAgent,
} from '#harness/guarded.ts'

const w = guardWorld()
let count = 0

async function newGuard(changes: Partial<GuardOptions> = {}) {
  return guardOf(await newDeskAgent(w), changes)
}

/** A guard whose key is bound to its agent, as after registration. */
async function guardOf(agentId: string, changes: Partial<GuardOptions> = {}) {
  const { key } = await w.touchstone.request('POST', '/v1/api-keys', {
    body: { agent_id: agentId, role: 'member', scopes: ['decide', 'ingest'], client: 'sdk' },
  })
  const { client, cut } = cuttableClient(w, key ?? '', '/batch')
  const decisionIds: string[] = []
  const guard = createGuard({
    client,
    agentId,
    sessionId: 's1',
    onEvidenceLost: ({ reason }) => expect.fail(reason),
    onDecision: ({ decisionId }) => void decisionIds.push(decisionId ?? ''),
    ...changes,
  })
  return { agentId, guard, decisionIds, cut }
}

const recordsOf = async (agentId: string) => {
  const options = { params: { agent_id: agentId } }
  const { traces } = await w.touchstone.request('GET', '/v1/agents/{agent_id}/traces', options)
  const listed = await w.touchstone.request('GET', '/v1/agents/{agent_id}/checkpoints', options)
  // The list begins with the newest.
  return { traces, checkpoints: listed.checkpoints.toReversed() }
}

/** A call with this many tokens: its line has four characters for each. */
const callOf = (tokens: number, number = 0) => {
  const empty = `shop_search({"query":""})`
  const query = `parcel ${number} `.padEnd(tokens * 4 - empty.length, 'x')
  return { tool: 'shop_search', action: 'search', arguments: { query } }
}

describe("the guard's checkpoints", () => {
  it('are four, relayed and judged, for twelve calls of 40 tokens in a session', async () => {
    const { agentId, guard, decisionIds } = await newGuard()
    for (let number = 0; number < 12; number += 1) {
      await guard.run(callOf(40, number), () => 'found')
    }
    await guard.flush()
    const { traces, checkpoints } = await recordsOf(agentId)
    expect(traces.map((trace) => trace.provenance)).toEqual(Array(12).fill('relayed'))
    expect(checkpoints).toMatchObject(
      Array(4).fill({
        provenance: 'relayed',
        synthetic: false,
        verdict: 'clear',
        session_id: 's1',
      }),
    )
    const named = checkpoints.map((checkpoint) => [...checkpoint.decision_ids].sort())
    expect(named).toEqual([0, 3, 6, 9].map((from) => decisionIds.slice(from, from + 3).sort()))
    const about = new Map(traces.map((trace) => [trace.trace_id, trace.decision_id]))
    const linked = checkpoints.map((checkpoint) => about.get(checkpoint.linked_trace_id ?? ''))
    expect(linked).toEqual([2, 5, 8, 11].map((index) => decisionIds[index]))
  })

  it('are sent as soon as the session has enough words, before it ends', async () => {
    const { agentId, guard } = await newGuard()
    await guard.run(callOf(60), () => 'found')
    await guard.run(callOf(60), () => 'found')
    await eventually(async () => {
      expect((await recordsOf(agentId)).checkpoints).toHaveLength(1)
      expect(guard.pending()).toBe(0)
    })
  })

  it('of different sessions name the decisions of their own session', async () => {
    const { agentId, guard, decisionIds } = await newGuard()
    for (const sessionId of ['a', 'b', 'a', 'b']) {
      await guard.run({ ...callOf(60), sessionId }, () => 'found')
    }
    await guard.flush()
    const { checkpoints } = await recordsOf(agentId)
    const [a1, b1, a2, b2] = decisionIds
    expect(checkpoints.map((one) => [one.session_id, [...one.decision_ids].sort()])).toEqual([
      ['a', [a1, a2].sort()],
      ['b', [b1, b2].sort()],
    ])
  })

  it('are sent at a refused and at an escalated call, which they are linked to', async () => {
    const { agentId, guard, decisionIds } = await newGuard()
    await guard.run(callOf(10), () => 'found')
    await expect(guard.run({ tool: 'shell_run' }, () => 'ran')).rejects.toThrow('No shell')
    await guard.run(callOf(10), () => 'found')
    await expect(guard.run({ tool: 'shop_refund' }, () => 'ran')).rejects.toThrow('Refunds')
    await eventually(async () => expect((await recordsOf(agentId)).checkpoints).toHaveLength(2))
    const { traces, checkpoints } = await recordsOf(agentId)
    const typeOf = new Map(traces.map((trace) => [trace.trace_id, trace.action.type]))
    const linked = checkpoints.map(({ linked_trace_id: id }) => typeOf.get(id ?? ''))
    expect(linked).toEqual(['deny', 'escalate'])
    expect(checkpoints.flatMap((one) => one.decision_ids).sort()).toEqual(decisionIds.toSorted())
    expect(guard.pending()).toBe(0)
  })

  it('are not judged if a session ends with fewer words', async () => {
    const { agentId, guard } = await newGuard()
    await guard.run(callOf(40), () => 'found')
    await guard.run(callOf(40), () => 'found')
    expect(guard.pending()).toBeGreaterThan(0)
    await guard.flush()
    const { checkpoints } = await recordsOf(agentId)
    expect(checkpoints).toMatchObject([
      { synthetic: true, synthetic_reason: 'below_evidence_threshold', provenance: 'relayed' },
    ])
    expect(checkpoints[0]?.decision_ids).toHaveLength(2)
  })

  it('name at most 50 decisions', async () => {
    const { agentId, guard, decisionIds } = await newGuard()
    await w.touchstone.policies.put(agentId, {
      ...DESK_POLICY,
      defaults: { enforcement_mode: 'off' },
    })
    for (let number = 0; number < 51; number += 1) {
      await guard.run({ tool: 'a', action: 'search' }, () => 'done')
    }
    await guard.flush()
    const { checkpoints } = await recordsOf(agentId)
    expect(checkpoints.map((one) => one.decision_ids.length)).toEqual([50, 1])
    expect(checkpoints.flatMap((one) => one.decision_ids).sort()).toEqual(decisionIds.toSorted())
  })

  it('name both decisions of a call that waited for an approval', async () => {
    const waitForApproval = { waitMs: 60_000, pollMs: 20 }
    const { agentId, guard } = await newGuard({ waitForApproval })
    const running = guard.run(
      { tool: 'shop_refund', action: 'search', justification: 'The parcel was lost.' },
      () => 'refunded',
    )
    running.catch(() => undefined)
    await eventually(async () => {
      const escalation = await approvePending(w, agentId)
      expect(escalation.justification).toBe('The parcel was lost.')
    })
    expect(await running).toBe('refunded')
    await eventually(async () => expect((await recordsOf(agentId)).checkpoints).toHaveLength(1))
    const decided = await w.touchstone.request('GET', '/v1/decisions', {
      query: { agent_id: agentId },
    })
    const { checkpoints } = await recordsOf(agentId)
    expect(checkpoints[0]?.decision_ids.toSorted()).toEqual(
      decided.decisions.map((one) => one.decision_id).sort(),
    )
    expect(checkpoints[0]?.decision_ids).toHaveLength(2)
  })

  it('survive an outage, once each and in order, and never fail a call', async () => {
    const delayed: string[] = []
    const { agentId, guard, cut } = await newGuard({
      onEvidenceDelayed: (error) => void delayed.push(String(error)),
    })
    cut(true)
    for (let number = 0; number < 6; number += 1) {
      expect(await guard.run(callOf(40, number), () => 'found')).toBe('found')
    }
    await expect(guard.flush()).rejects.toThrow('cut')
    expect(delayed).toEqual(['TypeError: cut'])
    cut(false)
    await guard.flush()
    await guard.flush()
    const { traces, checkpoints } = await recordsOf(agentId)
    expect(traces).toHaveLength(6)
    expect(checkpoints.map((one) => one.decision_ids.length)).toEqual([3, 3])
    expect(guard.pending()).toBe(0)
  })
})

/** Registered without a card, so that it has the default one, which lists no tool. */
async function newDefaultGuard(policy: object | undefined, changes: Partial<GuardOptions> = {}) {
  count += 1
  const agentId = `default-${count}`
  await w.touchstone.agents.create({ agent_id: agentId })
  if (policy !== undefined)
    await w.t.call('PUT', `/v1/agents/${agentId}/policy`, {
      token: w.t.first.api_key,
      body: policy,
    })
  return guardOf(agentId, changes)
}

const looseCall = (number = 0) => ({
  tool: 'lookup_order',
  arguments: { query: `parcel ${number} `.padEnd(150, 'x') },
})

describe('an agent registered with defaults', () => {
  it.each([
    ['no policy', undefined],
    [
      'a policy that does not map its tools',
      {
        meta: DESK_POLICY.meta,
        defaults: { enforcement_mode: 'enforce', unmapped_tool_action: 'allow' },
      },
    ],
  ])(
    'has only clear checkpoints and verified traces of allowed calls with %s',
    async (_, policy) => {
      const { agentId, guard } = await newDefaultGuard(policy)
      for (let number = 0; number < 6; number += 1)
        await guard.run(looseCall(number), () => 'found')
      await guard.flush()
      const { traces, checkpoints } = await recordsOf(agentId)
      expect(checkpoints).toMatchObject(
        Array(2).fill({ synthetic: false, verdict: 'clear', concerns: [] }),
      )
      expect(traces.map(({ verification }) => verification.verified)).toEqual(Array(6).fill(true))
    },
  )

  it('is judged by its card if that forbids the tool, and for calls that were refused', async () => {
    const { agentId, guard } = await newDefaultGuard({
      meta: DESK_POLICY.meta,
      forbidden: DESK_POLICY.forbidden,
      defaults: { enforcement_mode: 'enforce' },
    })
    await guard.run(looseCall(), () => 'found')
    await guard.run(looseCall(1), () => 'found')
    const refused = { tool: 'shell_run', arguments: { command: 'x'.repeat(200) } }
    await expect(guard.run(refused, () => 'ran')).rejects.toThrow('No shell')
    await guard.flush()
    const token = w.t.first.api_key
    const { body: card } = await w.t.call('GET', `/v1/agents/${agentId}/card`, { token })
    const { autonomy_envelope: envelope } = card.card_json
    await w.t.call('PUT', `/v1/agents/${agentId}/card`, {
      token,
      body: {
        card_json: {
          ...card.card_json,
          autonomy_envelope: { ...envelope, forbidden_actions: ['lookup_order'] },
        },
      },
    })
    for (let number = 0; number < 3; number += 1) await guard.run(looseCall(number), () => 'found')
    await guard.flush()
    const { checkpoints } = await recordsOf(agentId)
    expect(checkpoints.map((one) => one.violation_type)).toEqual([
      'UNBOUNDED_ACTION',
      'FORBIDDEN_ACTION',
    ])
  })

  it('gains nothing by naming a decision about another tool', async () => {
    const { agentId, guard, decisionIds } = await newDefaultGuard(undefined, { record: false })
    await guard.run({ ...looseCall(), sessionId: 's1' }, () => 'found')
    const { body } = await w.t.call('POST', `/v1/agents/${agentId}/checkpoints`, {
      token: w.t.first.api_key,
      body: {
        output: 'x'.repeat(500),
        actions: ['lookup_order', 'wire_money'],
        session_id: 's1',
        decision_ids: decisionIds,
      },
    })
    expect(body.checkpoint.concerns).toMatchObject([{ subject: { name: 'wire_money' } }])
  })
})
