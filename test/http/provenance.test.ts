import { verifyCertificate } from '@touchstone/protocol/evidence'
import { beforeAll, describe, expect, it } from 'vitest'
import { checkpointWorld, newCheckpointId, textOf, type World } from '#harness/checkpoints.ts'

const DAY_MS = 24 * 3_600_000

let w: World
let number = 0

beforeAll(async () => {
  w = await checkpointWorld()
})

const nextText = () => {
  number += 1
  return textOf(number)
}

type Client = 'api' | 'sdk' | 'mcp_guard' | 'hook'

async function newKey(changes: { client?: Client; agent_id?: string }): Promise<string> {
  const body = { scopes: ['read', 'ingest', 'decide'], ...changes }
  const made = await w.t.call('POST', '/v1/api-keys', { token: await w.t.ownerToken(), body })
  expect(made.status).toBe(201)
  return made.body.key
}

/** An agent with a guard: a key that is bound to it. */
async function guarded(client: Client = 'mcp_guard') {
  const agentId = await w.newAgent()
  return { agentId, guard: await newKey({ client, agent_id: agentId }) }
}

async function decide(agentId: string, sessionId?: string, token = w.key): Promise<string> {
  const body = { agent_id: agentId, tool: 'search', session_id: sessionId }
  const answer = await w.t.call('POST', '/v1/gateway/decide', { token, body })
  expect(answer.status).toBe(200)
  return answer.body.decision_id
}

const submit = (agentId: string, token: string, body: object = {}) =>
  w.post(agentId, { thinking: nextText(), session_id: 's', ...body }, token)

const trace = (agentId: string, changes: object = {}) => ({
  agent_id: agentId,
  action: { type: 'execute', name: 'search', category: 'bounded' },
  decision: { selected: 'a', selection_reasoning: 'It fits.', values_applied: ['honesty'] },
  context: { session_id: 's' },
  ...changes,
})

const submitTrace = (agentId: string, token: string, changes: object = {}) =>
  w.t.call('POST', '/v1/traces', { token, body: trace(agentId, changes) })

const certificateOf = async (id: string) => {
  const { body } = await w.get(`/v1/checkpoints/${id}/certificate`)
  const { keys } = (await w.t.call('GET', '/v1/keys')).body
  const verified = verifyCertificate(body, keys)
  expect(verified).toMatchObject({ wellFormed: true, verification: { valid: true } })
  expect((await w.t.call('POST', '/v1/verify', { body: { certificate: body } })).body.valid).toBe(
    true,
  )
  return body
}

describe('a checkpoint', () => {
  it.each(['sdk', 'mcp_guard', 'hook'] as const)(
    'of a bound %s that names decisions is relayed, in every answer and in its certificate',
    async (client) => {
      const { agentId, guard } = await guarded(client)
      const ids = [await decide(agentId, 's', guard), await decide(agentId, 's', guard)].sort()
      const created = await submit(agentId, guard, { decision_ids: ids.toReversed() })
      expect(created.status).toBe(201)
      const origin = {
        provenance: 'relayed',
        decision_ids: ids,
        received_at: w.t.clock.now().toISOString(),
      }
      expect(created.body.checkpoint).toMatchObject(origin)
      const { checkpoint_id: id } = created.body.checkpoint
      expect((await w.get(`/v1/checkpoints/${id}`)).body).toMatchObject(origin)
      const listed = await w.get(`/v1/agents/${agentId}/checkpoints?provenance=relayed`)
      expect(listed.body).toMatchObject({ total: 1, checkpoints: [origin] })
      const others = await w.get(`/v1/agents/${agentId}/checkpoints?provenance=reported`)
      expect(others.body).toMatchObject({ total: 0, checkpoints: [] })
      const certificate = await certificateOf(id)
      expect(certificate).toMatchObject({ version: '1.1.0', subject: origin })
      const signed = JSON.parse(certificate.proofs.signature.signed_payload)
      expect(signed.verification).toEqual(certificate.verification)
    },
  )

  it('is reported without a decision, a guard or a key of its agent', async () => {
    const { agentId, guard } = await guarded()
    const unbound = await newKey({ client: 'mcp_guard' })
    const plain = await newKey({ client: 'api', agent_id: agentId })
    const sent = [
      await submit(agentId, guard),
      await submit(agentId, unbound, { decision_ids: [await decide(agentId, 's')] }),
      await submit(agentId, plain, { decision_ids: [await decide(agentId, 's')] }),
      await submit(agentId, (await w.t.ownerToken()) ?? '', {
        decision_ids: [await decide(agentId, 's')],
      }),
    ]
    expect(sent.map((one) => one.body.checkpoint.provenance)).toEqual(Array(4).fill('reported'))
    const { checkpoint_id: id } = sent[0]?.body.checkpoint ?? {}
    expect((await certificateOf(id)).subject).toMatchObject({ decision_ids: [] })
  })

  it('is imported if it reports something more than a day old, unless it is relayed', async () => {
    const { agentId, guard } = await guarded()
    const ago = (ms: number) => new Date(w.t.clock.nowMs() - ms).toISOString()
    const provenanceAt = async (ms: number, more: object = {}) => {
      const { body } = await submit(agentId, guard, { timestamp: ago(ms), ...more })
      return body.checkpoint.provenance
    }
    expect(await provenanceAt(DAY_MS)).toBe('reported')
    expect(await provenanceAt(DAY_MS + 1)).toBe('imported')
    const ids = [await decide(agentId, 's')]
    expect(await provenanceAt(DAY_MS + 1, { decision_ids: ids })).toBe('relayed')
  })

  it.each(['provenance', 'received_at'])(
    'is refused with 400 if it claims its %s',
    async (name) => {
      const { agentId, guard } = await guarded()
      const claim = { [name]: name === 'provenance' ? 'observed' : '2026-03-01T00:00:00.000Z' }
      const detail = { path: `/${name}`, code: 'not_accepted' }
      const refused = { status: 400, body: { error: 'invalid_request', details: [detail] } }
      expect(await submit(agentId, guard, claim)).toMatchObject(refused)
      expect(await submitTrace(agentId, guard, claim)).toMatchObject(refused)
      expect((await w.integrity(agentId)).total_checks).toBe(0)
    },
  )

  it('is refused with 400 for decisions that are not stored, or of another agent or session', async () => {
    const { agentId, guard } = await guarded()
    const other = await w.newAgent()
    const own = await decide(agentId, 's')
    for (const wrong of [
      'dec-00000000-0000-7000-8000-000000000000',
      'no decision',
      await decide(other, 's'),
      await decide(agentId, 'another'),
      await decide(agentId),
    ]) {
      const answer = await submit(agentId, guard, { decision_ids: [own, wrong] })
      expect(answer).toMatchObject({
        status: 400,
        body: { details: [{ path: '/decision_ids', code: 'not_found' }] },
      })
      expect(answer.body.message).toContain(wrong)
      expect(await submitTrace(agentId, guard, { decision_id: wrong })).toMatchObject({
        status: 400,
        body: { details: [{ path: '/decision_id', code: 'not_found' }] },
      })
    }
    expect((await w.integrity(agentId)).total_checks).toBe(0)
    expect((await submit(agentId, guard, { decision_ids: [own] })).status).toBe(201)
  })

  it('is refused with 400 for decisions of another organisation', async () => {
    const { agentId, guard } = await guarded()
    const theirs = await w.newAgent({ agent_id: 'foreign-agent' }, w.foreign)
    const foreign = await decide(theirs, 's', w.foreign)
    expect((await submit(agentId, guard, { decision_ids: [foreign] })).status).toBe(400)
  })

  it('without a session names decisions without a session', async () => {
    const { agentId, guard } = await guarded()
    const ids = [await decide(agentId)]
    expect((await submit(agentId, guard, { decision_ids: ids })).status).toBe(400)
    const body = { thinking: nextText(), decision_ids: ids }
    const answer = await w.post(agentId, body, guard)
    expect(answer.body.checkpoint).toMatchObject({ provenance: 'relayed', decision_ids: ids })
  })

  it('names 1 to 50 different decisions', async () => {
    const { agentId, guard } = await guarded()
    const many = Array.from({ length: 51 }, (_, i) => `dec-${i}`)
    for (const wrong of [[], many, ['dec-1', 'dec-1'], [1], 'dec-1']) {
      const answer = await submit(agentId, guard, { decision_ids: wrong })
      expect(answer.status).toBe(400)
      expect(answer.body.details[0].path).toMatch(/^\/decision_ids/)
    }
  })

  it('is shown by a dry run with its provenance, which uses no decision', async () => {
    const { agentId, guard } = await guarded()
    const ids = [await decide(agentId, 's')]
    const { body } = await submit(agentId, guard, { decision_ids: ids, dry_run: true })
    expect(body.checkpoint).toMatchObject({ provenance: 'relayed', decision_ids: ids })
    expect((await submit(agentId, guard, { decision_ids: ids })).status).toBe(201)
  })
})

describe('a decision', () => {
  it('counts for one checkpoint only: 409 for another', async () => {
    const { agentId, guard } = await guarded()
    const [first, second] = [await decide(agentId, 's'), await decide(agentId, 's')]
    expect((await submit(agentId, guard, { decision_ids: [first] })).status).toBe(201)
    const again = await submit(agentId, guard, { decision_ids: [second, first] })
    expect(again).toMatchObject({ status: 409, body: { error: 'decision_used' } })
    expect(again.body.message).toContain(first)
    expect((await submit(agentId, guard, { decision_ids: [second] })).status).toBe(201)
  })

  it('is used by no other key either', async () => {
    const { agentId, guard } = await guarded()
    const ids = [await decide(agentId, 's')]
    expect((await submit(agentId, w.key, { decision_ids: ids })).status).toBe(201)
    expect((await submit(agentId, guard, { decision_ids: ids })).status).toBe(409)
  })

  it('of a checkpoint that is sent again is no conflict', async () => {
    const { agentId, guard } = await guarded()
    const ids = [await decide(agentId, 's'), await decide(agentId, 's')]
    const body = { checkpoint_id: newCheckpointId(), thinking: nextText(), decision_ids: ids }
    expect((await submit(agentId, guard, body)).status).toBe(201)
    const again = await submit(agentId, guard, { ...body, decision_ids: ids.toReversed() })
    expect(again).toMatchObject({ status: 200, body: { duplicate: true } })
    const other = await submit(agentId, guard, { ...body, decision_ids: ids.slice(1) })
    expect(other).toMatchObject({ status: 409, body: { error: 'conflict' } })
  })

  it('counts for the first of a batch', async () => {
    const { agentId } = await guarded()
    const ids = [await decide(agentId, 's')]
    const item = () => ({
      agent_id: agentId,
      session_id: 's',
      thinking: nextText(),
      decision_ids: ids,
    })
    const { body } = await w.batch([item(), item(), { ...item(), decision_ids: ['dec-1'] }])
    expect(body.results).toMatchObject([
      { status: 'created' },
      { status: 'rejected', error: 'decision_used' },
      { status: 'rejected', error: 'invalid_request' },
    ])
  })

  it('counts for exactly one of many checkpoints sent at once', async () => {
    const { agentId, guard } = await guarded()
    const ids = await Promise.all([1, 2, 3].map(() => decide(agentId, 's')))
    const pairs = ids.flatMap((one) => ids.filter((id) => id !== one).map((id) => [one, id]))
    const answers = await Promise.all(
      [...pairs, ...pairs].map((named) => submit(agentId, guard, { decision_ids: named })),
    )
    const stored = answers.filter(({ status }) => status === 201)
    expect(stored).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(answers.length - 1)
    expect((await w.integrity(agentId)).total_checks).toBe(1)
  })
})

describe('a trace', () => {
  it('that names a decision is relayed from a guard, and shown so', async () => {
    const { agentId, guard } = await guarded()
    const decisionId = await decide(agentId, 's')
    const created = await submitTrace(agentId, guard, { decision_id: decisionId })
    const origin = {
      provenance: 'relayed',
      decision_id: decisionId,
      received_at: w.t.clock.now().toISOString(),
    }
    expect(created).toMatchObject({ status: 201, body: origin })
    expect((await w.get(`/v1/traces/${created.body.trace_id}`)).body).toMatchObject(origin)
    const listed = await w.get(`/v1/agents/${agentId}/traces?provenance=relayed`)
    expect(listed.body).toMatchObject({ total: 1, traces: [origin] })
    const others = await w.get(`/v1/traces?agent_id=${agentId}&provenance=imported`)
    expect(others.body).toMatchObject({ total: 0 })
  })

  it('shares its decision with a checkpoint, and with no other trace', async () => {
    const { agentId, guard } = await guarded()
    const decisionId = await decide(agentId, 's')
    expect((await submit(agentId, guard, { decision_ids: [decisionId] })).status).toBe(201)
    const named = { decision_id: decisionId, trace_id: 'tr-named-once' }
    expect((await submitTrace(agentId, guard, named)).status).toBe(201)
    const at = { timestamp: undefined }
    expect((await submitTrace(agentId, guard, { ...named, ...at })).status).toBe(200)
    const again = await submitTrace(agentId, guard, { decision_id: decisionId })
    expect(again).toMatchObject({ status: 409, body: { error: 'decision_used' } })
    const batch = await w.t.call('POST', '/v1/traces/batch', {
      token: guard,
      body: { traces: [trace(agentId, { decision_id: decisionId }), trace(agentId)] },
    })
    expect(batch.body.results).toMatchObject([
      { status: 'rejected', error: 'decision_used' },
      { status: 'created' },
    ])
  })

  it('counts once for a decision that many traces name at once', async () => {
    const { agentId, guard } = await guarded()
    const decisionId = await decide(agentId, 's')
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => submitTrace(agentId, guard, { decision_id: decisionId })),
    )
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([201, ...Array(7).fill(409)])
  })

  it('is reported or imported otherwise', async () => {
    const { agentId, guard } = await guarded()
    const old = new Date(w.t.clock.nowMs() - DAY_MS - 1).toISOString()
    expect((await submitTrace(agentId, guard)).body.provenance).toBe('reported')
    const imported = await submitTrace(agentId, guard, { timestamp: old })
    expect(imported.body.provenance).toBe('imported')
    const ids = { decision_id: await decide(agentId, 's') }
    expect((await submitTrace(agentId, w.key, ids)).body.provenance).toBe('reported')
  })
})
