import { createHash } from 'node:crypto'
import { canonicalJson } from '@touchstone/protocol/base'
import { beforeAll, describe, expect, it } from 'vitest'
import { testApp } from '#harness/app.ts'
import { checkpointWorld, textOf, VIOLATION, type World } from '#harness/checkpoints.ts'
import { eventually } from '#harness/eventually.ts'

const DAY_MS = 24 * 60 * 60_000

let w: World
let owner: string
let agentId: string
let number = 0

beforeAll(async () => {
  w = await checkpointWorld()
  owner = await w.t.ownerToken()
})

/** Each test gets a new agent, which is active. */
async function newAgent(): Promise<string> {
  agentId = await w.newAgent()
  return agentId
}

const url = (what: string, of = agentId) => `/v1/orgs/${w.org}/agents/${of}/${what}`
const move = (action: string, body?: object, token: string | undefined = owner) =>
  w.t.call('POST', url(action), { token, body })
const containment = async () => (await w.get(url('containment'))).body
const threshold = (value: unknown, token = w.key) =>
  w.t.call('PUT', url('containment-policy'), {
    token,
    body: { auto_containment_threshold: value },
  })
const requestDecision = (body: object = {}) =>
  w.t.call('POST', '/v1/gateway/decide', {
    token: w.key,
    body: { agent_id: agentId, tool: 'search', ...body },
  })

/** Varies the timestamps, because anti-gaming flags a uniform pace. */
function thinking(said = '') {
  number += 1
  w.t.clock.advance(1000 + number * 137)
  return { thinking: textOf(number, said), session_id: `s-${number % 3}` }
}
async function violate(times = 1): Promise<string> {
  let id = ''
  for (let n = 0; n < times; n += 1) {
    const answer = await w.post(agentId, thinking(VIOLATION))
    expect(answer.body.checkpoint.verdict).toBe('boundary_violation')
    id = answer.body.checkpoint.checkpoint_id
  }
  return id
}
const behave = () => w.post(agentId, thinking())

describe('an agent', () => {
  it('is paused and resumed, with actor, time and reason', async () => {
    await newAgent()
    const at = w.t.clock.now().toISOString()
    expect(await move('pause', { reason: 'Investigating' })).toMatchObject({
      status: 200,
      body: {
        agent_id: agentId,
        containment_status: 'paused',
        contained_at: at,
        contained_by: expect.any(String),
        containment_reason: 'Investigating',
      },
    })
    expect((await w.get(`/v1/agents/${agentId}`)).body.status).toBe('paused')
    expect((await move('resume', undefined, w.key)).body).toEqual({
      agent_id: agentId,
      containment_status: 'active',
      contained_at: null,
      contained_by: null,
      containment_reason: null,
    })
    expect((await w.get(`/v1/agents/${agentId}`)).body.status).toBe('active')
  })

  it('is killed and reactivated by owners only', async () => {
    await newAgent()
    const admin = await w.t.newUser('contain-admin@example.com', { orgId: w.org, role: 'admin' })
    expect((await move('kill', {}, admin.token)).status).toBe(403)
    expect((await move('kill', {}, w.key)).status).toBe(403)
    expect((await move('kill')).body.containment_status).toBe('killed')
    expect((await move('reactivate', {}, admin.token)).status).toBe(403)
    expect((await move('reactivate')).body.containment_status).toBe('active')
  })

  it('changes state only as the table allows, and answers 400 otherwise', async () => {
    await newAgent()
    const statuses = async (...actions: string[]) => {
      const found: number[] = []
      for (const action of actions) found.push((await move(action)).status)
      return found
    }
    expect(await statuses('resume', 'reactivate')).toEqual([400, 400])
    await move('pause')
    expect(await statuses('pause', 'reactivate')).toEqual([400, 400])
    await move('kill')
    expect(await statuses('pause', 'resume', 'kill')).toEqual([400, 400, 400])
    expect(await move('kill')).toMatchObject({
      status: 400,
      body: {
        error: 'invalid_request',
        message: 'An agent that is killed does not allow kill.',
        details: [{ path: '', code: 'status' }],
      },
    })
  })

  it('that is paused and killed concurrently ends killed, with one winner per state', async () => {
    await newAgent()
    const actions = ['pause', 'kill', 'pause', 'kill']
    const answers = await Promise.all(actions.map((action) => move(action)))
    const won = (action: string) =>
      answers.filter(({ status }, n) => actions[n] === action && status === 200).length
    const { status, log } = await containment()
    expect(status).toBe('killed')
    expect(won('kill')).toBe(1)
    expect(won('pause')).toBeLessThanOrEqual(1)
    expect(log).toHaveLength(won('kill') + won('pause'))
  })

  it('writes each change to the outbox and the audit log, with its actor', async () => {
    await newAgent()
    for (const action of ['pause', 'resume', 'kill', 'reactivate']) await move(action)
    const events = (await w.eventsOf(agentId)).filter(({ type }) => type.startsWith('agent.'))
    expect(
      events.map(({ type, data }) => [type, data['action'], data['new_status']]).sort(),
    ).toEqual([
      ['agent.killed', 'kill', 'killed'],
      ['agent.paused', 'pause', 'paused'],
      ['agent.resumed', 'reactivate', 'active'],
      ['agent.resumed', 'resume', 'active'],
    ])
    const audit = await w.get(`/v1/orgs/${w.org}/audit-log?target=${agentId}`)
    const actions = audit.body.entries.map((entry: { action: string }) => entry.action)
    for (const action of ['paused', 'resumed', 'killed', 'reactivated']) {
      expect(actions).toContain(`agent.${action}`)
    }
  })

  it('has a log in which every entry is linked to the previous one', async () => {
    await newAgent()
    await move('pause', { reason: 'One' }, w.key)
    await move('kill', { reason: 'Two' })
    await move('reactivate')
    const { status, auto_containment_threshold, log } = await containment()
    expect([status, auto_containment_threshold]).toEqual(['active', null])
    expect(log.map((entry: { action: string }) => entry.action)).toEqual([
      'reactivate',
      'kill',
      'pause',
    ])
    expect(log[2].actor).not.toBe(log[1].actor)
    let before = '0'.repeat(64)
    for (const { prev_hash, entry_hash, ...entry } of log.toReversed()) {
      expect(prev_hash).toBe(before)
      const hash = createHash('sha256').update(`${prev_hash}\n${canonicalJson(entry)}`)
      expect(entry_hash).toBe(hash.digest('hex'))
      before = entry_hash
    }
  })

  it('is 404 if unknown or another organisation’s, and 401 or 403 without permission', async () => {
    await newAgent()
    expect((await move('pause', {}, w.foreign)).status).toBe(404)
    const missing = await w.t.call('POST', url('pause', 'nobody'), { token: owner, body: {} })
    expect(missing).toMatchObject({ status: 404, body: { error: 'agent_not_found' } })
    expect((await w.get(url('containment', 'nobody'))).status).toBe(404)
    expect((await w.get(url('containment'), w.foreign)).status).toBe(404)
    const wrong = { token: owner, body: { reason: 7 } }
    expect((await w.t.call('POST', url('pause', 'nobody'), wrong)).status).toBe(404)
    expect((await w.t.call('POST', url('pause'), wrong)).status).toBe(400)
    expect((await w.t.call('POST', url('pause'), { body: {} })).status).toBe(401)
    const member = await w.t.newUser('contain-member@example.com', { orgId: w.org, role: 'member' })
    expect((await move('pause', {}, member.token)).status).toBe(403)
    const unseen = { token: member.token, body: {} }
    expect((await w.t.call('POST', url('pause', 'nobody'), unseen)).status).toBe(404)
    expect((await w.get(url('containment'), member.token)).status).toBe(200)
  })

  it('accepts a reason of up to 500 characters', async () => {
    await newAgent()
    expect((await move('pause', { reason: 'x'.repeat(501) })).status).toBe(400)
    expect((await move('pause', { reason: 'x'.repeat(500) })).status).toBe(200)
  })

  it('that is archived changes no more, and keeps its log', async () => {
    await newAgent()
    await move('pause')
    await w.t.call('DELETE', `/v1/agents/${agentId}`, { token: owner })
    expect((await move('resume')).status).toBe(409)
    expect((await threshold(3)).status).toBe(409)
    expect((await containment()).log).toHaveLength(1)
  })
})

describe('a contained agent', () => {
  it('is blocked by the gateway and starts no transaction, while evidence and reads stay open', async () => {
    await newAgent()
    expect((await requestDecision()).body.decision).toBe('allow')
    const at = w.t.clock.now().toISOString()
    await move('pause')
    const refusal = {
      error: 'forbidden',
      message: 'Agent is paused',
      type: 'containment_error',
      reason: 'agent_paused',
      agent_id: agentId,
      containment_status: 'paused',
      contained_at: at,
    }
    expect(await requestDecision()).toMatchObject({
      status: 403,
      body: { ...refusal, decision: 'block' },
    })
    const begin = () =>
      w.t.call('POST', '/v1/transactions', {
        token: w.key,
        body: {
          agent_id: agentId,
          description: 'One refund',
          action_type: 'data_access',
          tools: ['search'],
        },
      })
    const begun = await begin()
    expect(begun.status).toBe(403)
    expect(begun.body).toEqual(refusal)
    expect((await behave()).status).toBe(201)
    const evaluated = await w.t.call('POST', '/v1/policies/evaluate', {
      token: w.key,
      body: { agent_id: agentId, tools: ['search'] },
    })
    expect(evaluated.status).not.toBe(403)
    await move('kill')
    expect((await requestDecision()).body).toMatchObject({ reason: 'agent_killed' })
    expect((await begin()).body).toMatchObject({ message: 'Agent is killed' })
    await move('reactivate')
    expect((await requestDecision()).body.decision).toBe('allow')
    expect((await begin()).status).toBe(201)
  })

  it('is blocked by every other node within a moment', async () => {
    await newAgent()
    const other = await testApp({ databaseUrl: w.t.databaseUrl, clock: w.t.clock })
    const askThere = async () =>
      (
        await other.call('POST', '/v1/gateway/decide', {
          token: w.key,
          body: { agent_id: agentId, tool: 'search' },
        })
      ).status
    expect(await askThere()).toBe(200)
    await move('pause')
    await eventually(async () => expect(await askThere()).toBe(403))
    await move('resume')
    await eventually(async () => expect(await askThere()).toBe(200))
  })
})

describe('a containment policy', () => {
  it('is a threshold of 2 to 100 or null, and set by admins', async () => {
    await newAgent()
    expect((await threshold(3)).body).toEqual({
      agent_id: agentId,
      auto_containment_threshold: 3,
    })
    expect((await containment()).auto_containment_threshold).toBe(3)
    for (const wrong of [1, 101, 2.5, 'many', undefined]) {
      expect((await threshold(wrong)).status).toBe(400)
    }
    expect((await threshold(null)).status).toBe(200)
    expect((await containment()).auto_containment_threshold).toBeNull()
    expect((await threshold(2, w.foreign)).status).toBe(404)
  })

  it('pauses the agent after that many consecutive violations across all sessions', async () => {
    await newAgent()
    await threshold(3)
    await violate(2)
    await behave()
    await violate(2)
    expect((await requestDecision()).status).toBe(200)
    await violate()
    expect(await requestDecision()).toMatchObject({ status: 403, body: { reason: 'agent_paused' } })
    expect(await containment()).toMatchObject({
      status: 'paused',
      contained_by: 'system',
      containment_reason: 'Auto-contained: 3 consecutive boundary violations',
      log: [{ action: 'auto_pause', actor: 'system', previous_status: 'active' }],
    })
    const events = (await w.eventsOf(agentId)).filter(({ type }) => type === 'agent.paused')
    expect(events).toMatchObject([{ data: { action: 'auto_pause', actor: 'system' } }])
    await violate()
    expect((await containment()).log).toHaveLength(1)
  })

  it('restarts its count when the agent is resumed', async () => {
    await newAgent()
    await threshold(2)
    await violate(2)
    await move('resume')
    await violate()
    expect((await containment()).status).toBe('active')
    await violate()
    expect((await containment()).status).toBe('paused')
    await move('kill')
    await move('reactivate')
    await violate()
    expect((await containment()).status).toBe('active')
  })

  it('ignores card gaps', async () => {
    await newAgent()
    await threshold(2)
    const gap = await violate()
    const amended = await w.t.call('PATCH', `/v1/agents/${agentId}/card`, {
      token: w.key,
      body: { card_json: { autonomy_envelope: { forbidden_actions: ['share_credentials'] } } },
    })
    const reclassified = await w.t.call('POST', `/v1/agents/${agentId}/reclassify`, {
      token: await w.t.ownerToken(),
      body: {
        checkpoint_id: gap,
        reason: 'The card lacked it.',
        new_type: 'card_gap',
        card_amendment_id: amended.body.amendment_ids[0],
      },
    })
    expect(reclassified.status).toBe(200)
    const forbidden_actions = ['exfiltrate_data', 'share_credentials']
    await w.t.call('PATCH', `/v1/agents/${agentId}/card`, {
      token: w.key,
      body: { card_json: { autonomy_envelope: { forbidden_actions } } },
    })
    await violate()
    expect((await containment()).status).toBe('active')
    await violate()
    expect((await containment()).containment_reason).toContain('2 consecutive')
  })

  it('counts each checkpoint of a batch', async () => {
    await newAgent()
    await threshold(2)
    const items = [VIOLATION, VIOLATION, '', VIOLATION].map((said) => ({
      agent_id: agentId,
      ...thinking(said),
    }))
    expect((await w.batch(items)).status).toBe(200)
    expect((await containment()).containment_reason).toContain('2 consecutive')
  })

  it('survives concurrent violations and state changes: none fails, and the log stays linked', async () => {
    await newAgent()
    await threshold(2)
    const posts = Array.from({ length: 12 }, () => w.post(agentId, thinking(VIOLATION)))
    const moves = ['resume', 'pause', 'resume', 'kill', 'reactivate', 'resume'].map((m) => move(m))
    for (const { status } of await Promise.all(posts)) expect(status).toBe(201)
    for (const { status } of await Promise.all(moves)) expect([200, 400]).toContain(status)
    let before = { entry_hash: '0'.repeat(64), new_status: 'active' }
    for (const entry of (await containment()).log.toReversed()) {
      expect(entry.prev_hash).toBe(before.entry_hash)
      expect(entry.previous_status).toBe(before.new_status)
      before = entry
    }
    expect((await w.get(`/v1/agents/${agentId}`)).body.status).toBe(before.new_status)
  })

  it('that is set after violations pauses at the next one', async () => {
    await newAgent()
    await violate(3)
    await threshold(2)
    expect((await containment()).status).toBe('active')
    await violate()
    expect((await containment()).containment_reason).toContain('4 consecutive')
  })
})

describe('an erased agent', () => {
  it('leaves no row of its containment', async () => {
    await newAgent()
    await move('pause', { reason: 'Zanzibar' })
    owner = await w.t.ownerToken()
    await w.t.call('POST', `/v1/agents/${agentId}/erase`, {
      token: owner,
      body: { confirm: agentId },
    })
    w.t.clock.advance(30 * DAY_MS + 1)
    await w.t.app.kernel.schedules.fireDue()
    await w.t.settle()
    expect((await w.get(url('containment'))).status).toBe(404)
    const { db } = w.t.app.kernel
    const left = await db
      .withTables<{ containment_entry: { agent_id: string } }>()
      .selectFrom('containment_entry')
      .select('agent_id')
      .where('agent_id', '=', agentId)
      .execute()
    expect(left).toEqual([])
  })
})
