import { createHash } from 'node:crypto'
import { canonicalJson } from '@touchstone/protocol/base'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { CARD, MENTION, newCheckpointId, textOf, VIOLATION } from '#harness/checkpoints.ts'
import { type ScoreWorld, scoreWorld } from '#harness/scores.ts'

let w: ScoreWorld
let agentId: string
let owner: string
let number = 0

const OPEN = {
  forbidden_actions: ['share_credentials'],
  bounded_actions: ['search', 'delete_rows'],
}

beforeAll(async () => {
  w = await scoreWorld()
  owner = await w.t.ownerToken()
  agentId = await w.newAgent()
})

/** Posts one checkpoint and returns its id. */
async function postCheckpoint(said: string, body: object = {}, of = agentId): Promise<string> {
  number += 1
  w.t.clock.advance(60_000 + number * 137)
  const checkpointId = newCheckpointId()
  const thinking = textOf(number, said)
  const answer = await w.post(of, { checkpoint_id: checkpointId, thinking, ...body })
  expect(answer.status).toBe(201)
  return checkpointId
}

const unbounded = () => postCheckpoint('', { actions: ['search', 'delete_rows'] })

const reclassify = (checkpointId: string, body: object = {}, token: string | undefined = w.key) =>
  w.t.call('POST', `/v1/agents/${agentId}/reclassify`, {
    token,
    body: { checkpoint_id: checkpointId, reason: 'The card lacked it.', ...body },
  })

/** Changes the card: by default it allows everything that the violations here are about. */
async function amend(of = agentId, envelope: object = OPEN): Promise<string> {
  const body = { card_json: { autonomy_envelope: envelope } }
  const answer = await w.t.call('PATCH', `/v1/agents/${of}/card`, { token: w.key, body })
  expect(answer.status).toBe(200)
  return answer.body.amendment_ids[0]
}

/** Restores the card, so that later violations are ones. */
const restore = () => amend(agentId, CARD.autonomy_envelope)

const violations = async (query = '') =>
  (await w.get(`/v1/agents/${agentId}/violations${query}`)).body

describe('a reclassification', () => {
  it('records who, what and why, and says that the score is still pending', async () => {
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

  it('is a behavior gap if a card gap cannot explain the violation, or on request', async () => {
    const hard = await reclassify(await postCheckpoint(VIOLATION))
    expect(hard.body).toMatchObject({ original_type: 'FORBIDDEN_ACTION', new_type: 'behavior_gap' })
    const asked = await reclassify(await unbounded(), { new_type: 'behavior_gap' })
    expect(asked.body.new_type).toBe('behavior_gap')
  })

  it('requires an amendment of the same agent to make a hard type a card gap', async () => {
    const checkpointId = await postCheckpoint(VIOLATION)
    const refused = { status: 400, body: { error: 'invalid_request' } }
    expect(await reclassify(checkpointId, { new_type: 'card_gap' })).toMatchObject(refused)
    const other = await amend(await w.newAgent())
    expect(await reclassify(checkpointId, { card_amendment_id: other })).toMatchObject(refused)
    expect(await reclassify(checkpointId, { card_amendment_id: 'amend-0' })).toMatchObject(refused)
    const named = { card_amendment_id: await amend(agentId, { forbidden_actions: [] }) }
    const own = await reclassify(checkpointId, named, await w.t.ownerToken())
    expect(own).toMatchObject({ status: 200, body: { new_type: 'card_gap' } })
    await restore()
  })

  it('is linked to an amendment by the first one that names it', async () => {
    const [one, other] = [await unbounded(), await unbounded()]
    const amendmentId = await amend(agentId, { bounded_actions: ['search', 'delete_rows'] })
    const named = { card_amendment_id: amendmentId }
    const person = await w.t.ownerToken()
    const first = (await reclassify(one, named, person)).body.reclassification_id
    expect((await reclassify(other, named, person)).status).toBe(200)
    const { body } = await w.get(`/v1/agents/${agentId}/card-amendments?per_page=1`)
    expect(body).toMatchObject({ page: 1, per_page: 1, total: expect.any(Number) })
    expect(body.card_amendments[0]).toMatchObject({
      amendment_id: amendmentId,
      agent_id: agentId,
      field_changed: 'autonomy_envelope.bounded_actions',
      linked_reclassification_id: first,
    })
    const unlinked = await amend(agentId, { bounded_actions: ['search', 'recommend'] })
    const after = (await w.get(`/v1/agents/${agentId}/card-amendments`)).body.card_amendments
    expect(after[0]).toMatchObject({ amendment_id: unlinked, linked_reclassification_id: null })
  })

  it("is refused for a checkpoint that is no violation, unknown, or another organisation's", async () => {
    const clear = await postCheckpoint('')
    expect(await reclassify(clear)).toMatchObject({ status: 400 })
    const synthetic = await postCheckpoint('', { thinking: 'Too short.' })
    expect(await reclassify(synthetic)).toMatchObject({ status: 400 })
    const missing = { status: 404, body: { error: 'checkpoint_not_found' } }
    expect(await reclassify(newCheckpointId())).toMatchObject(missing)
    const elsewhere = await postCheckpoint(VIOLATION, {}, await w.newAgent())
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

  it('is for owners and administrators, and is audited', async () => {
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

  it('succeeds once, even if requested concurrently, and cannot be undone', async () => {
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

  it('is refused for archived agents', async () => {
    const archived = await w.newAgent()
    const checkpointId = await postCheckpoint(VIOLATION, {}, archived)
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

describe('an amendment', () => {
  const excuse = async (checkpointId: string, amendmentId: string, token?: string) =>
    reclassify(checkpointId, { card_amendment_id: amendmentId }, token ?? (await w.t.ownerToken()))
  const doesNotApply = { status: 400, body: { error: 'amendment_does_not_apply' } }

  async function newKey(scopes: string[]): Promise<string> {
    const made = await w.t.call('POST', `/v1/orgs/${w.org}/api-keys`, {
      token: await w.t.ownerToken(),
      body: { name: scopes.join(' '), scopes },
    })
    return made.body.key
  }

  /** Changes a stored row, as only a superuser can. */
  async function rewrite(checkpointId: string, change: string): Promise<void> {
    await w.t.app.kernel.db.transaction().execute(async (tx) => {
      await sql`set local session_replication_role = replica`.execute(tx)
      await sql`update checkpoint set ${sql.raw(change)}
        where agent_id = ${agentId} and checkpoint_id = ${checkpointId}`.execute(tx)
    })
  }

  it('that does not explain the violation is refused, with what is missing', async () => {
    const checkpointId = await postCheckpoint(VIOLATION)
    const refused = await excuse(
      checkpointId,
      await amend(agentId, { bounded_actions: ['search'] }),
    )
    expect(refused).toMatchObject(doesNotApply)
    const message = 'The amended card must not forbid exfiltrate_data.'
    expect(refused.body.details).toEqual([
      { path: '/card_amendment_id', code: 'amendment_does_not_apply', message },
    ])
    await restore()
  })

  it('must explain a soft violation too, if it is named', async () => {
    const checkpointId = await unbounded()
    const other = await amend(agentId, { bounded_actions: ['search', 'delete_row'] })
    expect(await excuse(checkpointId, other)).toMatchObject(doesNotApply)
    await restore()
    expect(await reclassify(checkpointId)).toMatchObject({
      status: 200,
      body: { new_type: 'card_gap' },
    })
  })

  it('settles a missed escalation by the facts that were stored', async () => {
    const checkpointId = await postCheckpoint('', { context: { amount: 250, action: 'order' } })
    const limit = (amount: number) =>
      amend(agentId, { max_autonomous_value: { amount, currency: 'USD' } })
    const tooLow = await limit(200)
    expect(await excuse(checkpointId, tooLow)).toMatchObject(doesNotApply)
    expect((await excuse(checkpointId, await limit(250))).status).toBe(200)
    await restore()
  })

  it('settles a violation that the linked trace named', async () => {
    const trace = {
      agent_id: agentId,
      trace_id: 'tr-refund',
      action: { type: 'execute', name: 'send_refund', category: 'bounded' },
      decision: { selected: 'a', selection_reasoning: 'It fits.', values_applied: ['honesty'] },
    }
    expect((await w.t.call('POST', '/v1/traces', { token: w.key, body: trace })).status).toBe(201)
    const checkpointId = await postCheckpoint(MENTION, { trace_id: 'tr-refund' })
    const forbidden_actions = ['share_credentials']
    const half = await amend(agentId, { forbidden_actions })
    const refused = await excuse(checkpointId, half)
    expect(refused).toMatchObject(doesNotApply)
    expect(refused.body.message).toContain('the trace is still a case of UNBOUNDED_ACTION')
    const whole = await amend(agentId, { bounded_actions: ['search', 'send_refund'] })
    expect((await excuse(checkpointId, whole)).status).toBe(200)
    await restore()
  })

  it('is for people and for other keys with the scope approve', async () => {
    const checkpointId = await postCheckpoint(VIOLATION)
    const amendmentId = await amend(agentId, { forbidden_actions: ['share_credentials'] })
    const forbidden = { status: 403, body: { error: 'forbidden' } }
    expect(await excuse(checkpointId, amendmentId, w.key)).toMatchObject(forbidden)
    const approver = await newKey(['read', 'approve'])
    await rewrite(checkpointId, 'sent_by = null')
    const unknown = await excuse(checkpointId, amendmentId, approver)
    expect(unknown).toMatchObject(forbidden)
    expect(unknown.body.message).toContain('not known which key')
    await rewrite(checkpointId, "sent_by = 'user'")
    expect((await excuse(checkpointId, amendmentId, approver)).status).toBe(200)
    await restore()
  })

  it('applies to a checkpoint that was stored without names, whose certificate is unchanged', async () => {
    const checkpointId = await postCheckpoint(VIOLATION)
    const url = `/v1/checkpoints/${checkpointId}`
    const { concerns } = (await w.get(url)).body
    expect(concerns[0].subject).toEqual({ kind: 'mentioned_action', name: 'exfiltrate_data' })
    const certificate = (await w.get(`${url}/certificate`)).text
    expect(certificate).not.toContain('subject":{"kind')
    await rewrite(
      checkpointId,
      "concerns = (select jsonb_agg(one - 'subject') from jsonb_array_elements(concerns) one)",
    )
    expect((await w.get(url)).body.concerns[0]).not.toHaveProperty('subject')
    expect((await w.get(`${url}/certificate`)).text).toBe(certificate)
    const amendmentId = await amend(agentId, { forbidden_actions: ['share_credentials'] })
    expect((await excuse(checkpointId, amendmentId)).status).toBe(200)
    await restore()
  })
})

describe('the lists', () => {
  it('show reclassifications newest first, in pages, without the agent', async () => {
    const { body } = await w.get(`/v1/agents/${agentId}/reclassifications?per_page=2`)
    expect(body).toMatchObject({ page: 1, per_page: 2 })
    expect(body.total).toBeGreaterThan(5)
    expect(body.reclassifications).toHaveLength(2)
    const [newest, older] = body.reclassifications
    expect(newest.created_at > older.created_at).toBe(true)
    expect(newest).not.toHaveProperty('agent_id')
    expect((await w.get(`/v1/agents/${agentId}/reclassifications`, w.foreign)).status).toBe(404)
  })

  it('show every field of a violation', async () => {
    const checkpointId = await postCheckpoint(VIOLATION, { session_id: 'told' })
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
      loosened_by: [],
      comment_count: 0,
      comments: [],
    })
    const amendmentId = await amend(agentId, { forbidden_actions: [] })
    const named = { card_amendment_id: amendmentId }
    const created = await reclassify(checkpointId, named, await w.t.ownerToken())
    await restore()
    expect((await violations()).violations[0]).toMatchObject({
      loosened_by: [amendmentId],
      reclassified_as: 'card_gap',
      reclassification_id: created.body.reclassification_id,
      counts_against_score: false,
    })
  })

  it('filter violations by status and verdict, and refuse other filters', async () => {
    const open = await unbounded()
    await postCheckpoint(MENTION)
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

  it('show the policy findings of the linked trace', async () => {
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
    await postCheckpoint(VIOLATION, { trace_id: 'tr-with-policy' })
    expect((await violations()).violations[0]).toMatchObject({
      trace_id: 'tr-with-policy',
      type: 'UNBOUNDED_ACTION',
      policy: { verdict: 'fail', violations: 1 },
    })
  })
})

describe('the comments of an appeal', () => {
  const urlOf = (checkpointId: string) =>
    `/v1/agents/${agentId}/violations/${checkpointId}/comments`
  const comment = (checkpointId: string, text: string, token: string | undefined = w.key) =>
    w.t.call('POST', urlOf(checkpointId), { token, body: { text } })

  it('link each entry of an agent to the previous one, whatever its violation', async () => {
    const [one, other] = [await unbounded(), await unbounded()]
    const said = [
      await comment(one, 'The operator asked for this.'),
      await comment(other, 'So it was here.'),
      await comment(one, 'Agreed.'),
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

  it('form one chain, even if written concurrently', async () => {
    const checkpointId = await unbounded()
    const texts = Array.from({ length: 12 }, (_, at) => `Entry ${at}`)
    await Promise.all(texts.map((text) => comment(checkpointId, text)))
    const { comments } = (await w.get(`${urlOf(checkpointId)}?per_page=100`)).body
    const previous = comments.map((one: { prev_hash: string }) => one.prev_hash)
    expect(new Set(previous).size).toBe(12)
    expect(previous.slice(0, -1)).toEqual(
      comments.slice(1).map((one: { entry_hash: string }) => one.entry_hash),
    )
  })

  it('are accepted from every member of the organisation, and nobody else', async () => {
    const checkpointId = await unbounded()
    const auditor = await w.t.newUser('auditor@example.com', { orgId: w.org, role: 'auditor' })
    const { body } = await comment(checkpointId, 'Seen.', auditor.token)
    expect(body.author).toBe(auditor.userId)
    expect((await comment(checkpointId, 'Mine?', w.foreign)).status).toBe(404)
    expect((await comment(checkpointId, 'Who?', '')).status).toBe(401)
  })

  it('must be about a violation, in 1 to 2000 characters', async () => {
    const checkpointId = await unbounded()
    expect((await comment(checkpointId, 'x'.repeat(2000))).status).toBe(201)
    expect((await comment(checkpointId, '')).status).toBe(400)
    expect((await comment(checkpointId, 'x'.repeat(2001))).status).toBe(400)
    const missing = { status: 404, body: { error: 'checkpoint_not_found' } }
    expect(await comment(await postCheckpoint(''), 'It was fine.')).toMatchObject(missing)
    expect(await w.get(urlOf(newCheckpointId()))).toMatchObject(missing)
  })

  it('cannot be changed', async () => {
    const { db } = w.t.app.kernel
    const change = sql`update violation_comment set text = 'other'`.execute(db)
    await expect(change).rejects.toThrow()
    await expect(sql`delete from violation_comment`.execute(db)).rejects.toThrow()
  })
})
