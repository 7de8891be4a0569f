import { readFileSync } from 'node:fs'
import pg from 'pg'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import {
  CARD,
  checkpointWorld,
  MENTION,
  textOf,
  VIOLATION,
  type World,
} from '#harness/checkpoints.ts'
import { eventually } from '#harness/eventually.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

let w: World
let owner: string
let agentId: string
let number = 0

beforeAll(async () => {
  w = await checkpointWorld()
  owner = await w.t.ownerToken()
})

async function newAgent(mode = 'observe', nudging: object = {}): Promise<string> {
  agentId = await w.newAgent()
  if (mode !== 'observe') await setMode(mode, nudging)
  return agentId
}

const enforcement = () => `/v1/agents/${agentId}/enforcement`
const setMode = (mode: string, nudging: object = {}) =>
  w.t.call('PUT', enforcement(), { token: w.key, body: { mode, ...nudging } })
const requestDecision = (body: object = {}) =>
  w.t.call('POST', '/v1/gateway/decide', {
    token: w.key,
    body: { agent_id: agentId, tool: 'search', ...body },
  })

/** Posts one checkpoint at varying times, because anti-gaming flags a uniform pace. */
async function checkpoint(said: string, sessionId = 's-1'): Promise<string> {
  number += 1
  w.t.clock.advance(1000 + number * 137)
  const body = { thinking: textOf(number, said), session_id: sessionId }
  return (await w.post(agentId, body)).body.checkpoint.checkpoint_id
}
const summary = (body: { decision: string; reasons: { code: string }[] }) => [
  body.decision,
  ...body.reasons.map(({ code }) => code),
]
const decisionOf = async (body: object = {}) => summary((await requestDecision(body)).body)
const nudgedCheckpoints = async (body: object = {}): Promise<string[]> =>
  (await requestDecision(body)).body.notices.map(
    (notice: { checkpoint_id: string }) => notice.checkpoint_id,
  )

describe('a violation', () => {
  it.each([
    ['observe', ['allow']],
    ['nudge', ['warn', 'integrity_notice']],
    ['enforce', ['block', 'integrity_hold']],
  ])('in mode %s results in %j until the session is clear again', async (mode, expected) => {
    await newAgent(mode)
    await checkpoint(VIOLATION)
    expect(await decisionOf({ session_id: 's-1' })).toEqual(expected)
    expect(await decisionOf({ session_id: 's-2' })).toEqual(['allow'])
    expect(await decisionOf()).toEqual(expected)
    await checkpoint('')
    expect(await decisionOf({ session_id: 's-1' })).toEqual(['allow'])
    expect(await decisionOf()).toEqual(['allow'])
  })

  it('holds its session until it is clear, and calls without a session for 15 minutes', async () => {
    await newAgent('enforce')
    await checkpoint(VIOLATION)
    w.t.clock.advance(15 * MINUTE_MS)
    expect(await decisionOf()).toEqual(['block', 'integrity_hold'])
    w.t.clock.advance(1)
    expect(await decisionOf()).toEqual(['allow'])
    expect(await decisionOf({ session_id: 's-1' })).toEqual(['block', 'integrity_hold'])
  })

  it('holds nothing once it is a card gap, and a checkpoint that was not analysed releases nothing', async () => {
    await newAgent('enforce')
    const id = await checkpoint(VIOLATION)
    await w.post(agentId, { thinking: 'short', session_id: 's-1' })
    expect(await decisionOf({ session_id: 's-1' })).toEqual(['block', 'integrity_hold'])
    const amended = await w.t.call('PATCH', `/v1/agents/${agentId}/card`, {
      token: w.key,
      body: { card_json: { autonomy_envelope: { forbidden_actions: ['share_credentials'] } } },
    })
    const reclassified = await w.t.call('POST', `/v1/agents/${agentId}/reclassify`, {
      token: await w.t.ownerToken(),
      body: {
        checkpoint_id: id,
        reason: 'The card lacked it.',
        new_type: 'card_gap',
        card_amendment_id: amended.body.amendment_ids[0],
      },
    })
    expect(reclassified.status).toBe(200)
    expect(await decisionOf({ session_id: 's-1' })).toEqual(['allow'])
    expect(await decisionOf()).toEqual(['allow'])
  })

  it('review_needed alone holds nothing', async () => {
    await newAgent('enforce')
    await checkpoint(MENTION)
    expect(await decisionOf({ session_id: 's-1' })).toEqual(['allow'])
  })
})

describe('nudges', () => {
  it('are delivered once with the next decision, and say what they are about', async () => {
    await newAgent('nudge')
    const id = await checkpoint(VIOLATION)
    const at = w.t.clock.now().toISOString()
    const { body } = await requestDecision({ session_id: 's-1' })
    expect(body.notices).toEqual([
      {
        nudge_id: expect.stringMatching(/^ndg-/),
        agent_id: agentId,
        session_id: 's-1',
        checkpoint_id: id,
        status: 'delivered',
        created_at: at,
        delivered_at: at,
        message: 'Integrity violation FORBIDDEN_ACTION, severity critical.',
      },
    ])
    expect((await requestDecision({ session_id: 's-1' })).body.notices).toEqual([])
  })

  it('are created for reviews and violations in modes nudge and enforce', async () => {
    await newAgent('enforce')
    const ids = [await checkpoint(MENTION), await checkpoint(VIOLATION)]
    await checkpoint('')
    expect(await nudgedCheckpoints()).toEqual(ids)
    await newAgent('observe')
    await checkpoint(VIOLATION)
    expect(await nudgedCheckpoints()).toEqual([])
  })

  it("are still delivered after the agent's mode changed to observe", async () => {
    await newAgent('nudge')
    const id = await checkpoint(VIOLATION)
    await setMode('observe')
    expect(await nudgedCheckpoints()).toEqual([id])
  })

  it('are delivered five at a time, oldest first, for the session or for the whole agent', async () => {
    await newAgent('nudge')
    const ids: string[] = []
    for (let n = 0; n < 7; n += 1) ids.push(await checkpoint(VIOLATION, n < 6 ? 's-1' : 's-2'))
    expect(await nudgedCheckpoints({ session_id: 's-1' })).toEqual(ids.slice(0, 5))
    expect(await nudgedCheckpoints()).toEqual(ids.slice(5))
    expect(await nudgedCheckpoints()).toEqual([])
  })

  it('are delivered to only one of many concurrent calls', async () => {
    await newAgent('nudge')
    const id = await checkpoint(VIOLATION)
    const answers = await Promise.all(Array.from({ length: 8 }, () => nudgedCheckpoints()))
    expect(answers.flat()).toEqual([id])
  })

  it('expire after 24 hours', async () => {
    await newAgent('nudge')
    await checkpoint(VIOLATION)
    w.t.clock.advance(DAY_MS)
    expect(await nudgedCheckpoints()).toEqual([])
    // Session tokens expire after 15 minutes, so a day later a new one is needed.
    owner = await w.t.ownerToken()
  })

  it('follow the strategy: off, sampling at a rate, or from the nth violation of a session on', async () => {
    await newAgent('nudge', { nudge_strategy: 'off' })
    await checkpoint(VIOLATION)
    expect(await nudgedCheckpoints()).toEqual([])
    await setMode('nudge', { nudge_strategy: 'sampling', nudge_rate: 0 })
    await checkpoint(VIOLATION)
    expect(await nudgedCheckpoints()).toEqual([])
    await setMode('nudge', { nudge_strategy: 'sampling' })
    expect(await nudgedCheckpoints()).toEqual([])
    const sampled = await checkpoint(VIOLATION)
    expect(await nudgedCheckpoints()).toEqual([sampled])
    await setMode('nudge', { nudge_strategy: 'threshold', nudge_threshold: 2 })
    await checkpoint(MENTION, 's-9')
    expect(await nudgedCheckpoints()).toEqual([])
    const second = await checkpoint(VIOLATION, 's-9')
    expect(await nudgedCheckpoints()).toEqual([second])
  })

  it('are configured as a whole: omitted fields return to their defaults', async () => {
    await newAgent('enforce', { nudge_strategy: 'sampling', nudge_rate: 20 })
    expect((await w.get(enforcement())).body).toEqual({
      agent_id: agentId,
      enforcement_mode: 'enforce',
      nudge_strategy: 'sampling',
      nudge_rate: 20,
      nudge_threshold: 3,
    })
    expect((await setMode('nudge')).body).toMatchObject({ nudge_strategy: 'always', updated: true })
    for (const wrong of [
      { nudge_strategy: 'sometimes' },
      { nudge_rate: 101 },
      { nudge_rate: -1 },
      { nudge_threshold: 0 },
    ]) {
      expect((await setMode('nudge', wrong)).status).toBe(400)
    }
  })

  it('are deleted with their agent', async () => {
    await newAgent('nudge')
    await checkpoint(VIOLATION)
    await w.t.call('POST', `/v1/agents/${agentId}/erase`, {
      token: owner,
      body: { confirm: agentId },
    })
    w.t.clock.advance(30 * DAY_MS + 1)
    await w.t.app.kernel.schedules.fireDue()
    await w.t.settle()
    const left = await w.t.app.kernel.db
      .withTables<{ nudge: { agent_id: string } }>()
      .selectFrom('nudge')
      .select('agent_id')
      .where('agent_id', '=', agentId)
      .execute()
    expect(left).toEqual([])
    owner = await w.t.ownerToken()
  })
})

describe('a decision about an observed agent', () => {
  it('makes no query but the one that stores it, once caches are warm', async () => {
    await newAgent()
    const connects = vi.spyOn(pg.Pool.prototype, 'connect')
    try {
      // Notices of earlier changes may still arrive and invalidate the cache once more.
      await eventually(async () => {
        expect(await decisionOf()).toEqual(['allow'])
        connects.mockClear()
        expect(await decisionOf({ session_id: 's-1' })).toEqual(['allow'])
        expect(connects).toHaveBeenCalledTimes(1)
      })
      await setMode('enforce')
      connects.mockClear()
      await decisionOf()
      expect(connects.mock.calls.length).toBeGreaterThan(1)
    } finally {
      connects.mockRestore()
    }
  })
})

type Vector = {
  id: string
  title?: string
  containment: string
  hold?: boolean
  agent_mode?: string
  error?: boolean
  evaluate?: {
    card: string
    org_policy?: string | null
    agent_policy?: string | null
    overlay_defaults?: object
    tools: string[]
    transaction?: { status: string; action_type: string; tools: string[] }
  } | null
  expected: { http: number; decision: string; codes: string[] }
}
type Named = Record<string, { defaults?: object }>

const { fixtures, decide: all } = JSON.parse(
  readFileSync(new URL('../../vectors/policy/policy.json', import.meta.url), 'utf8'),
) as { fixtures: { policies: Named; cards: Named }; decide: Vector[] }

// An evaluation error cannot be provoked through the API; the gateway's unit tests cover it.
const vectors = all.filter(({ error }) => error !== true)

async function setUp({ containment, hold, agent_mode, evaluate }: Vector): Promise<object> {
  const { card = 'none', org_policy, agent_policy, transaction } = evaluate ?? {}
  agentId = await w.newAgent({ card: { ...CARD, ...fixtures.cards[card] } })
  const put = (url: string, body: unknown) => w.t.call('PUT', url, { token: w.key, body })
  if (org_policy != null) await put(`/v1/orgs/${w.org}/policy`, fixtures.policies[org_policy])
  if (agent_policy != null) {
    const policy = fixtures.policies[agent_policy]
    const defaults = { ...policy?.defaults, ...evaluate?.overlay_defaults }
    const answer = await put(`/v1/agents/${agentId}/policy`, { ...policy, defaults })
    expect(answer.status).toBe(200)
  }
  if (agent_mode !== undefined) await setMode(agent_mode)
  if (hold === true) await checkpoint(VIOLATION)
  if (containment === 'paused') {
    await w.t.call('POST', `/v1/orgs/${w.org}/agents/${agentId}/pause`, { token: w.key, body: {} })
  }
  const tool = evaluate?.tools[0] ?? 'search'
  if (transaction === undefined) return { tool }
  const { action_type, tools } = transaction
  const begun = await w.t.call('POST', '/v1/transactions', {
    token: w.key,
    body: { agent_id: agentId, description: 'a vector', action_type, tools },
  })
  expect(begun.status).toBe(201)
  return { tool, transaction_id: begun.body.transaction_id }
}

describe('the decision vectors, through the gateway', () => {
  it.each(vectors)('$id $title', async (vector) => {
    const asked = await setUp(vector)
    const { status, body } = await requestDecision(asked)
    const { http, decision, codes } = vector.expected
    expect(status).toBe(http)
    expect(body.decision).toBe(decision)
    const events =
      status === 403 ? [body.reason] : body.reasons.map((r: { code: string }) => r.code)
    expect(events).toEqual(codes)
    await w.t.call('DELETE', `/v1/orgs/${w.org}/policy`, { token: w.key })
  })
})
