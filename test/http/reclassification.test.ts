import { createHash } from 'node:crypto'
import { canonicalJson } from '@touchstone/protocol/base'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { MENTION, newCheckpointId, textOf, VIOLATION } from '#harness/checkpoints.ts'
import { type ScoreWorld, scoreWorld } from '#harness/scores.ts'

let w: ScoreWorld
let agentId: string
let owner: string
let number = 0

beforeAll(async () => {
  w = await scoreWorld()
  owner = await w.t.ownerToken()
  agentId = await w.newAgent()
})

/** One decision; gives the id of its checkpoint. */
async function decide(said: string, body: object = {}, of = agentId): Promise<string> {
  number += 1
  w.t.clock.advance(60_000 + number * 137)
  const checkpointId = newCheckpointId()
  const thinking = textOf(number, said)
  const answer = await w.post(of, { checkpoint_id: checkpointId, thinking, ...body })
  expect(answer.status).toBe(201)
  return checkpointId
}

const unbounded = () => decide('', { actions: ['search', 'delete_rows'] })

const reclassify = (checkpointId: string, body: object = {}, token: string | undefined = w.key) =>
  w.t.call('POST', `/v1/agents/${agentId}/reclassify`, {
    token,
    body: { checkpoint_id: checkpointId, reason: 'The card lacked it.', ...body },
  })

async function amend(of = agentId): Promise<string> {
  number += 1
  const body = {
    card_json: { autonomy_envelope: { bounded_actions: ['search', `extra_${number}`] } },
  }
  const answer = await w.t.call('PATCH', `/v1/agents/${of}/card`, { token: w.key, body })
  expect(answer.status).toBe(200)
  return answer.body.amendment_ids[0]
}

const violations = async (query = '') =>
  (await w.get(`/v1/agents/${agentId}/violations${query}`)).body

describe('a reclassification', () => {
  it('says who took a violation for what and why, and that the score is still to come', async () => {
    const checkpointId = await unbounded()
    const { status, body } = await reclassify(checkpointId)
    expect(status).toBe(200)
    expect(body).toEqual({
      reclassification_id: expect.stringMatching(/^rcl-[0-9a-f-]{36}$/),
      agent_id: agentId,
      checkpoint_id: checkpointId,
      original_type: 'UNBOUNDED_ACTION',
      new_type: 'card_gap',
      reason: 'The card lacked it.',
      card_amendment_id: null,
      approved_by: expect.any(String),
      created_at: w.t.clock.now().toISOString(),
      score_impact: { score_before: null, score_after: null, recomputation_pending: true },
    })
    const checkpoint = (await w.get(`/v1/checkpoints/${checkpointId}`)).body
    expect(checkpoint).toMatchObject({ verdict: 'review_needed', reclassification: 'card_gap' })
  })

  it('is a behavior gap for what no gap of a card explains, or where one is asked for', async () => {
    const hard = await reclassify(await decide(VIOLATION))
    expect(hard.body).toMatchObject({ original_type: 'FORBIDDEN_ACTION', new_type: 'behavior_gap' })
    const asked = await reclassify(await unbounded(), { new_type: 'behavior_gap' })
    expect(asked.body.new_type).toBe('behavior_gap')
  })

  it('needs an amendment of this agent to make a hard type a card gap', async () => {
    const checkpointId = await decide(VIOLATION)
    const refused = { status: 400, body: { error: 'invalid_request' } }
    expect(await reclassify(checkpointId, { new_type: 'card_gap' })).toMatchObject(refused)
    const other = await amend(await w.newAgent())
    expect(await reclassify(checkpointId, { card_amendment_id: other })).toMatchObject(refused)
    expect(await reclassify(checkpointId, { card_amendment_id: 'amend-0' })).toMatchObject(refused)
    const own = await reclassify(checkpointId, { card_amendment_id: await amend() })
    expect(own).toMatchObject({ status: 200, body: { new_type: 'card_gap' } })
  })

  it('links an amendment to the first that names it', async () => {
    const amendmentId = await amend()
    const named = { card_amendment_id: amendmentId }
    const first = (await reclassify(await unbounded(), named)).body.reclassification_id
    await reclassify(await unbounded(), named)
    const { body } = await w.get(`/v1/agents/${agentId}/card-amendments?per_page=1`)
    expect(body).toMatchObject({ page: 1, per_page: 1, total: expect.any(Number) })
    expect(body.card_amendments[0]).toMatchObject({
      amendment_id: amendmentId,
      agent_id: agentId,
      field_changed: 'autonomy_envelope.bounded_actions',
      linked_reclassification_id: first,
    })
    const unlinked = await amend()
    const after = (await w.get(`/v1/agents/${agentId}/card-amendments`)).body.card_amendments
    expect(after[0]).toMatchObject({ amendment_id: unlinked, linked_reclassification_id: null })
  })

  it('is refused for what is no violation, for the unknown, and for the foreign', async () => {
    const clear = await decide('')
    expect(await reclassify(clear)).toMatchObject({ status: 400 })
    const synthetic = await decide('', { thinking: 'Too short.' })
    expect(await reclassify(synthetic)).toMatchObject({ status: 400 })
    const missing = { status: 404, body: { error: 'checkpoint_not_found' } }
    expect(await reclassify(newCheckpointId())).toMatchObject(missing)
    const elsewhere = await decide(VIOLATION, {}, await w.newAgent())
    expect(await reclassify(elsewhere)).toMatchObject(missing)
    expect(await reclassify(await unbounded(), {}, w.foreign)).toMatchObject({
      status: 404,
      body: { error: 'agent_not_found' },
    })
    expect(await reclassify(await unbounded(), {}, '')).toMatchObject({ status: 401 })
  })

  it.each([{ reason: '' }, { reason: 'x'.repeat(501) }, { reason: 7 }, { new_type: 'gap' }])(
    'is refused with %j',
    async (body) => {
      expect(await reclassify(await unbounded(), body)).toMatchObject({ status: 400 })
    },
  )

  it('is for owners and administrators, and is recorded', async () => {
    const checkpointId = await unbounded()
    const org = { orgId: w.org, role: 'member' }
    const member = await w.t.newUser('member@example.com', org)
    expect((await reclassify(checkpointId, {}, member.token)).status).toBe(403)
    expect((await reclassify(checkpointId, {}, await w.t.ownerToken())).status).toBe(200)
    const log = await w.t.call(
      'GET',
      `/v1/orgs/${w.org}/audit-log?action=violation.reclassified&per_page=1`,
      { token: await w.t.ownerToken() },
    )
    expect(log.body.entries[0]).toMatchObject({ target: { type: 'checkpoint', id: checkpointId } })
  })

  it('succeeds once, however many try at once, and has no undo', async () => {
    const checkpointId = await unbounded()
    const tries = await Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        reclassify(checkpointId, { new_type: at % 2 === 0 ? 'card_gap' : 'behavior_gap' }),
      ),
    )
    expect(tries.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const { status, body } of tries.filter((one) => one.status !== 200)) {
      expect({ status, error: body.error }).toEqual({ status: 409, error: 'already_reclassified' })
    }
    const { db } = w.t.app.kernel
    for (const table of ['reclassification', 'checkpoint_reclassification']) {
      const change = sql`update ${sql.table(table)} set new_type = 'card_gap'`.execute(db)
      await expect(change).rejects.toThrow('never changed')
      await expect(sql`delete from ${sql.table(table)}`.execute(db)).rejects.toThrow('never')
    }
  })

  it('is not for archived agents', async () => {
    const archived = await w.newAgent()
    const checkpointId = await decide(VIOLATION, {}, archived)
    owner = await w.t.ownerToken()
    await w.t.call('DELETE', `/v1/agents/${archived}`, { token: owner })
    const body = { checkpoint_id: checkpointId, reason: 'Too late.' }
    const answer = await w.t.call('POST', `/v1/agents/${archived}/reclassify`, {
      token: w.key,
      body,
    })
    expect(answer).toMatchObject({ status: 409, body: { error: 'conflict' } })
  })
})

describe('the lists', () => {
  it('show reclassifications newest first, page by page, without the agent', async () => {
    const { body } = await w.get(`/v1/agents/${agentId}/reclassifications?per_page=2`)
    expect(body).toMatchObject({ page: 1, per_page: 2 })
    expect(body.total).toBeGreaterThan(5)
    expect(body.reclassifications).toHaveLength(2)
    const [newest, older] = body.reclassifications
    expect(newest.created_at > older.created_at).toBe(true)
    expect(newest).not.toHaveProperty('agent_id')
    expect((await w.get(`/v1/agents/${agentId}/reclassifications`, w.foreign)).status).toBe(404)
  })

  it('tell everything about a violation', async () => {
    const checkpointId = await decide(VIOLATION, { session_id: 'told' })
    const [newest] = (await violations()).violations
    const { body: certificate } = await w.get(`/v1/checkpoints/${checkpointId}/certificate`)
    const hash = createHash('sha256').update(canonicalJson(certificate)).digest('hex')
    expect(newest).toEqual({
      checkpoint_id: checkpointId,
      session_id: 'told',
      trace_id: null,
      verdict: 'boundary_violation',
      type: 'FORBIDDEN_ACTION',
      severity: 'critical',
      description: expect.stringContaining('exfiltrate_data'),
      card_id: expect.stringMatching(/^ac-/),
      detected_at: w.t.clock.now().toISOString(),
      reclassified_as: null,
      reclassification_id: null,
      counts_against_score: true,
      certificate_hash: `sha256:${hash}`,
      policy: null,
      comment_count: 0,
      comments: [],
    })
    const made = await reclassify(checkpointId, { card_amendment_id: await amend() })
    expect((await violations()).violations[0]).toMatchObject({
      reclassified_as: 'card_gap',
      reclassification_id: made.body.reclassification_id,
      counts_against_score: false,
    })
  })

  it('choose violations by status and verdict, and know nothing else', async () => {
    const open = await unbounded()
    await decide(MENTION)
    const all = await violations('?per_page=100')
    const idsOf = (page: { violations: { checkpoint_id: string }[] }) =>
      page.violations.map((one) => one.checkpoint_id)
    const [opened, closed] = [
      await violations('?status=open&per_page=100'),
      await violations('?status=reclassified&per_page=100'),
    ]
    expect(idsOf(opened)).toContain(open)
    expect(opened.total + closed.total).toBe(all.total)
    expect([...idsOf(opened), ...idsOf(closed)].sort()).toEqual(idsOf(all).sort())
    const grave = await violations('?verdict=boundary_violation&per_page=100')
    const verdicts = new Set(grave.violations.map((one: { verdict: string }) => one.verdict))
    expect([...verdicts]).toEqual(['boundary_violation'])
    expect(grave.total).toBeLessThan(all.total)
    const second = await violations('?page=2&per_page=1')
    expect(idsOf(second)).toEqual(idsOf(all).slice(1, 2))
    for (const query of ['?status=closed', '?verdict=clear', '?page=0']) {
      expect((await w.get(`/v1/agents/${agentId}/violations${query}`)).status).toBe(400)
    }
  })

  it('show what policies said of the linked trace', async () => {
    const policy = {
      meta: { schema_version: '1.0', name: 'No shell', scope: 'agent' },
      forbidden: [{ pattern: 'shell', reason: 'No shell', severity: 'high' }],
    }
    const url = `/v1/agents/${agentId}/policy`
    expect((await w.t.call('PUT', url, { token: w.key, body: policy })).status).toBe(200)
    const trace = {
      agent_id: agentId,
      trace_id: 'tr-with-policy',
      action: { type: 'execute', name: 'shell', category: 'bounded' },
      decision: { selected: 'a', selection_reasoning: 'It fits.', values_applied: ['honesty'] },
    }
    expect((await w.t.call('POST', '/v1/traces', { token: w.key, body: trace })).status).toBe(201)
    await decide(VIOLATION, { trace_id: 'tr-with-policy' })
    expect((await violations()).violations[0]).toMatchObject({
      trace_id: 'tr-with-policy',
      type: 'UNBOUNDED_ACTION',
      policy: { verdict: 'fail', violations: 1 },
    })
  })
})

describe('the trail of an appeal', () => {
  const urlOf = (checkpointId: string) =>
    `/v1/agents/${agentId}/violations/${checkpointId}/comments`
  const say = (checkpointId: string, text: string, token: string | undefined = w.key) =>
    w.t.call('POST', urlOf(checkpointId), { token, body: { text } })

  it('links each entry of an agent to the one before, whatever it is about', async () => {
    const [one, other] = [await unbounded(), await unbounded()]
    const said = [
      await say(one, 'The operator asked for this.'),
      await say(other, 'So it was here.'),
      await say(one, 'Agreed.'),
    ]
    let previous = '0'.repeat(64)
    for (const { status, body } of said) {
      const { prev_hash, entry_hash, ...entry } = body
      expect({ status, prev_hash }).toEqual({ status: 201, prev_hash: previous })
      const hash = createHash('sha256').update(`${previous}\n${canonicalJson(entry)}`)
      previous = hash.digest('hex')
      expect(entry_hash).toBe(previous)
    }
    const { body } = await w.get(urlOf(one))
    expect(body).toEqual({
      comments: [said[2]?.body, said[0]?.body],
      total: 2,
      page: 1,
      per_page: 20,
    })
    const listed = (await violations('?per_page=2')).violations
    expect(listed[1]).toMatchObject({
      checkpoint_id: one,
      comment_count: 2,
      comments: [said[0]?.body, said[2]?.body],
    })
  })

  it('is one chain, however many speak at once', async () => {
    const checkpointId = await unbounded()
    const texts = Array.from({ length: 12 }, (_, at) => `Entry ${at}`)
    await Promise.all(texts.map((text) => say(checkpointId, text)))
    const { comments } = (await w.get(`${urlOf(checkpointId)}?per_page=100`)).body
    const previous = comments.map((one: { prev_hash: string }) => one.prev_hash)
    expect(new Set(previous).size).toBe(12)
    expect(previous.slice(0, -1)).toEqual(
      comments.slice(1).map((one: { entry_hash: string }) => one.entry_hash),
    )
  })

  it('takes the word of everybody in the organisation, and of nobody else', async () => {
    const checkpointId = await unbounded()
    const auditor = await w.t.newUser('auditor@example.com', { orgId: w.org, role: 'auditor' })
    const { body } = await say(checkpointId, 'Seen.', auditor.token)
    expect(body.author).toBe(auditor.userId)
    expect((await say(checkpointId, 'Mine?', w.foreign)).status).toBe(404)
    expect((await say(checkpointId, 'Who?', '')).status).toBe(401)
  })

  it('is about violations alone, in 1 to 2000 characters', async () => {
    const checkpointId = await unbounded()
    expect((await say(checkpointId, 'x'.repeat(2000))).status).toBe(201)
    expect((await say(checkpointId, '')).status).toBe(400)
    expect((await say(checkpointId, 'x'.repeat(2001))).status).toBe(400)
    const missing = { status: 404, body: { error: 'checkpoint_not_found' } }
    expect(await say(await decide(''), 'It was fine.')).toMatchObject(missing)
    expect(await w.get(urlOf(newCheckpointId()))).toMatchObject(missing)
  })

  it('cannot be changed', async () => {
    const { db } = w.t.app.kernel
    const change = sql`update violation_comment set text = 'other'`.execute(db)
    await expect(change).rejects.toThrow()
    await expect(sql`delete from violation_comment`.execute(db)).rejects.toThrow()
  })
})
