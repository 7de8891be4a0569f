import { hexToBytes } from '@touchstone/protocol/base'
import { keccak256Hex } from '@touchstone/protocol/crypto'
import { leafHash } from '@touchstone/protocol/merkle'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  checkpointWorld,
  MENTION,
  newCheckpointId,
  textOf,
  VIOLATION,
  type World,
} from '#harness/checkpoints.ts'

let w: World
beforeAll(async () => {
  w = await checkpointWorld()
})

const trace = (agentId: string, changes: object = {}) => ({
  agent_id: agentId,
  action: { type: 'execute', name: 'search', category: 'bounded' },
  decision: {
    selected: 'a',
    selection_reasoning: 'It fits best.',
    values_applied: ['transparency'],
    confidence: 0.9,
  },
  ...changes,
})
const postTrace = (body: object, token = w.key) => w.t.call('POST', '/v1/traces', { token, body })
const forbidden = { action: { type: 'execute', name: 'wipe', category: 'forbidden' } }

const refused = /never changed|refuse|final|not allowed|may not/i
async function failure(statement: ReturnType<typeof sql>): Promise<string> {
  try {
    await statement.execute(w.t.app.kernel.db)
    return 'done'
  } catch (err) {
    return String(err)
  }
}

describe('every stored checkpoint', () => {
  it('writes an outbox event with its fields', async () => {
    const agentId = await w.newAgent()
    const { checkpoint } = (await w.post(agentId, { thinking: textOf(1, VIOLATION) })).body
    const { checkpoint_id, session_id, concerns, reasoning_summary } = checkpoint
    const about = { checkpoint_id, agent_id: agentId, session_id, verdict: 'boundary_violation' }
    const { category, severity, description } = concerns[0]
    const data = {
      ...about,
      concerns: [{ category, severity, description }],
      reasoning_summary,
      synthetic: false,
    }
    const events = await w.eventsOf(agentId)
    expect(events.map(({ type, data: said }) => ({ type, data: said }))).toEqual([
      {
        type: 'conscience.escalation',
        data: { ...about, conflicts: [{ value: 'BOUNDARY:stay_in_bounds', description }] },
      },
      { type: 'integrity.checkpoint', data },
      {
        type: 'integrity.violation',
        data: {
          ...data,
          violation_type: 'FORBIDDEN_ACTION',
          recommended_action: 'deny_and_escalate',
        },
      },
    ])
    for (const event of events) {
      expect(event.org_id).toBe(w.org)
      expect(event.account_id).toMatch(/^ba-/)
    }
  })

  it('writes one event if it is synthetic or clear, and marks the synthetic one', async () => {
    const agentId = await w.newAgent()
    await w.post(agentId, { thinking: 'Short.' })
    await w.post(agentId, { thinking: textOf(2) })
    const events = await w.eventsOf(agentId)
    expect(events.map((event) => event.type)).toEqual([
      'integrity.checkpoint',
      'integrity.checkpoint',
    ])
    expect(events.map((event) => event.data['synthetic']).sort()).toEqual([false, true])
  })

  it('counts as one check if it was analysed', async () => {
    const agentId = await w.newAgent()
    const used = await w.checksUsed()
    await w.post(agentId, { thinking: 'Short.' })
    await w.batch([
      { agent_id: agentId, thinking: textOf(3) },
      { agent_id: agentId, thinking: textOf(4) },
      { agent_id: 'agent-unknown', thinking: textOf(4) },
    ])
    expect(await w.checksUsed()).toBe(used + 2)
  })
})

describe('a linked trace', () => {
  it('provides the violation type if its own verification found one', async () => {
    const agentId = await w.newAgent()
    await postTrace(trace(agentId, { trace_id: 'tr-bad', ...forbidden }))
    await postTrace(trace(agentId, { trace_id: 'tr-good' }))
    const post = async (traceId: string, said: string) =>
      (await w.post(agentId, { thinking: textOf(10, said), trace_id: traceId })).body.checkpoint
    const hide = "I'll change the price and hide this from the customer."
    expect(await post('tr-bad', hide)).toMatchObject({
      violation_type: 'FORBIDDEN_ACTION',
      linked_trace_id: 'tr-bad',
    })
    expect(await post('tr-good', hide)).toMatchObject({ violation_type: 'DECEPTIVE_REASONING' })
    expect(await post('tr-bad', '')).toMatchObject({ verdict: 'clear', violation_type: null })
    expect(await post('tr-to-come', '')).toMatchObject({ linked_trace_id: 'tr-to-come' })
  })

  it("answers the same for another organisation's trace as for an unknown one", async () => {
    const [agentId, elsewhere] = [await w.newAgent(), await w.newAgent({}, w.foreign)]
    await postTrace(trace(elsewhere, { trace_id: 'tr-elsewhere', ...forbidden }), w.foreign)
    const post = (traceId: string) =>
      w.post(agentId, { thinking: textOf(11, MENTION), trace_id: traceId })
    const [unknown, foreign] = [await post('tr-nowhere'), await post('tr-elsewhere')]
    expect(foreign.status).toBe(unknown.status)
    expect(foreign.body.checkpoint.violation_type).toBe(unknown.body.checkpoint.violation_type)
  })

  it('links itself by naming the checkpoint, and escalates a violation', async () => {
    const agentId = await w.newAgent()
    const created = await w.post(agentId, { thinking: textOf(12, VIOLATION) })
    const id = created.body.checkpoint.checkpoint_id
    const context = { metadata: { integrity_checkpoint_id: id } }
    const answer = await postTrace(trace(agentId, { trace_id: 'tr-linked', context }))
    expect(answer.body.escalation).toEqual({
      evaluated: true,
      required: true,
      reason: 'integrity verdict boundary_violation',
      escalation_status: 'pending',
    })
    const read = await w.get(`/v1/checkpoints/${id}`)
    expect(read.body).toEqual({
      ...created.body.checkpoint,
      linked_trace_id: 'tr-linked',
      log_index: null,
    })
  })

  it('keeps its own escalation, and gets none for other verdicts', async () => {
    const agentId = await w.newAgent()
    const own = { evaluated: true, required: false, reason: 'approved earlier' }
    const link = async (said: string, changes: object) => {
      const created = await w.post(agentId, { thinking: textOf(13, said) })
      const id = created.body.checkpoint.checkpoint_id
      const context = { metadata: { integrity_checkpoint_id: id } }
      const answer = await postTrace(trace(agentId, { context, ...changes }))
      const linked = (await w.get(`/v1/checkpoints/${id}`)).body.linked_trace_id
      expect(linked).toBe(answer.body.trace_id)
      return answer.body
    }
    expect((await link(VIOLATION, { escalation: own })).escalation).toEqual(own)
    expect(await link(MENTION, {})).not.toMatchObject({ escalation: { required: true } })
  })

  it('does not link to the checkpoint of another agent', async () => {
    const [agentId, other] = [await w.newAgent(), await w.newAgent()]
    const created = await w.post(agentId, { thinking: textOf(14, VIOLATION) })
    const id = created.body.checkpoint.checkpoint_id
    const context = { metadata: { integrity_checkpoint_id: id } }
    const answer = await postTrace(trace(other, { context }))
    expect(answer.status).toBe(201)
    expect(answer.body).not.toMatchObject({ escalation: { required: true } })
    expect((await w.get(`/v1/checkpoints/${id}`)).body.linked_trace_id).toBeNull()
  })
})

describe('drift of a session', () => {
  let n = 100
  /** The gaps grow, so that anti-gaming finds no uniform pace. */
  async function act(agentId: string, said: readonly string[], session = 's1') {
    const answers = []
    for (const one of said) {
      n += 1
      w.t.clock.advance(1000 + n * 13)
      const body = { thinking: textOf(n, one), session_id: session }
      answers.push((await w.post(agentId, body)).body)
    }
    return answers
  }
  const drift = async (agentId: string, query = '') =>
    (await w.get(`/v1/agents/${agentId}/drift${query}`)).body
  const ofDrift = async (agentId: string) =>
    (await w.eventsOf(agentId)).filter(({ type }) => type.startsWith('drift.'))

  it('opens an alert at the third non-clear checkpoint, extends it, and resolves it on recovery', async () => {
    const agentId = await w.newAgent()
    const answers = await act(agentId, ['', '', MENTION, MENTION, VIOLATION])
    expect(answers.map((one) => one.window_summary.drift_alert_active)).toEqual([
      false,
      false,
      false,
      false,
      true,
    ])
    const ids = answers.map((one) => one.checkpoint.checkpoint_id)
    const { alerts } = await drift(agentId)
    expect(alerts).toEqual([
      {
        alert_id: expect.stringMatching(/^ida-[0-9a-f-]{36}$/),
        agent_id: agentId,
        kind: 'integrity',
        session_id: 's1',
        card_id: answers[0].checkpoint.card_id,
        status: 'open',
        severity: 'medium',
        similarity: 0.4,
        threshold: 3,
        sustained: 3,
        drift_direction: 'autonomy_creep',
        checkpoint_ids: ids.slice(2),
        trace_ids: [],
        message: expect.any(String),
        detected_at: w.t.clock.now().toISOString(),
        resolved_at: null,
        resolution: null,
        acknowledged_by: null,
      },
    ])
    const [grown] = await act(agentId, [MENTION])
    const grownIds = [...ids.slice(2), grown.checkpoint.checkpoint_id]
    expect((await drift(agentId)).alerts).toMatchObject([
      { sustained: 4, checkpoint_ids: grownIds, similarity: 2 / 6 },
    ])
    expect(await ofDrift(agentId)).toHaveLength(1)
    const calm = await act(agentId, ['', '', ''])
    expect(calm.map((one) => one.window_summary.drift_alert_active)).toEqual([true, true, false])
    expect((await drift(agentId)).alerts).toMatchObject([
      {
        status: 'resolved',
        resolution: 'recovered',
        acknowledged_by: null,
        resolved_at: w.t.clock.now().toISOString(),
      },
    ])
    const [detected, resolved] = await ofDrift(agentId)
    const { alert_id, message } = alerts[0]
    expect(detected).toMatchObject({
      type: 'drift.detected',
      data: {
        alert_id,
        agent_id: agentId,
        session_id: 's1',
        kind: 'integrity',
        severity: 'medium',
        drift_direction: 'autonomy_creep',
        similarity: 0.4,
        sustained_checks: 3,
        message,
      },
    })
    expect(resolved).toMatchObject({
      type: 'drift.resolved',
      data: {
        alert_id,
        agent_id: agentId,
        org_id: w.org,
        resolution: 'recovered',
        acknowledged_by: null,
      },
    })
    const sessions = await w.get(`/v1/agents/${agentId}/sessions`)
    expect(sessions.body.sessions[0].stable).toBe(false)
  })

  it('opens one alert per streak, which stays acknowledged until the next streak', async () => {
    const agentId = await w.newAgent()
    await act(agentId, [MENTION, MENTION, MENTION])
    const [alert] = (await drift(agentId, '?kind=integrity&status=open')).alerts
    const url = `/v1/drift/${alert.alert_id}/acknowledge`
    const answer = await w.t.call('POST', url, { token: w.key })
    expect(answer).toMatchObject({ status: 200, body: { resolution: 'acknowledged' } })
    const [more] = await act(agentId, [MENTION])
    expect(more.window_summary.drift_alert_active).toBe(false)
    expect((await drift(agentId)).total).toBe(1)
    const next = await act(agentId, ['', VIOLATION, VIOLATION, VIOLATION])
    expect(next.at(-1).window_summary.drift_alert_active).toBe(true)
    expect((await drift(agentId, '?status=open')).total).toBe(1)
    expect((await drift(agentId)).total).toBe(2)
  })

  it('counts one session: checkpoints of other sessions and synthetic ones neither extend nor end it', async () => {
    const agentId = await w.newAgent()
    await act(agentId, [MENTION, MENTION], 's1')
    await act(agentId, [MENTION, '', ''], 's2')
    await w.post(agentId, { thinking: 'Short.', session_id: 's1' })
    expect((await drift(agentId)).total).toBe(0)
    await act(agentId, [MENTION], 's1')
    expect((await drift(agentId)).alerts).toMatchObject([
      { session_id: 's1', similarity: 0, severity: 'high' },
    ])
  })
})

describe('drift of traces', () => {
  const usual = (session: string) => ({ context: { session_id: session } })
  const strange = (session: string) => ({
    action: { type: 'deny', name: 'purchase', category: 'escalation_trigger' },
    decision: { ...trace('').decision, values_applied: ['speed'], confidence: 0.1 },
    ...usual(session),
  })
  async function drift(agentId: string, session: string): Promise<void> {
    const all = [usual, usual, usual, strange, strange, strange]
    for (const kind of all) {
      w.t.clock.advance(1700)
      expect((await postTrace(trace(agentId, kind(session)))).status).toBe(201)
    }
    const alerts = await w.get(`/v1/agents/${agentId}/drift?kind=trace`)
    expect(alerts.body.alerts).toMatchObject([{ session_id: session }])
  }
  const sessionsOf = async (agentId: string) => (await w.get(`/v1/agents/${agentId}/sessions`)).body
  const unstable = async (agentId: string) => {
    const found = await sql<object>`select sessions_scored, sessions_unstable from chain_head
      where agent_id = ${agentId}`.execute(w.t.app.kernel.db)
    return found.rows[0]
  }

  it('marks the session in which it opened unstable, even if all its checkpoints are clear', async () => {
    const agentId = await w.newAgent()
    for (const n of [1, 2, 3]) {
      await w.post(agentId, { thinking: textOf(60 + n), session_id: 'work' })
    }
    expect((await sessionsOf(agentId)).sessions).toMatchObject([{ stable: true }])
    await drift(agentId, 'work')
    expect((await sessionsOf(agentId)).sessions).toMatchObject([
      { stable: false, checkpoint_count: 3 },
    ])
    expect(await unstable(agentId)).toEqual({ sessions_scored: 1, sessions_unstable: 1 })
  })

  it('applies to a session whose checkpoints arrive later', async () => {
    const agentId = await w.newAgent()
    await drift(agentId, 'work')
    expect(await sessionsOf(agentId)).toMatchObject({ sessions: [], total: 0 })
    for (const n of [1, 2, 3]) {
      expect(await unstable(agentId)).toEqual({ sessions_scored: 0, sessions_unstable: 0 })
      await w.post(agentId, { thinking: textOf(70 + n), session_id: 'work' })
    }
    expect(await sessionsOf(agentId)).toMatchObject({ sessions: [{ stable: false }], total: 1 })
    expect(await unstable(agentId)).toEqual({ sessions_scored: 1, sessions_unstable: 1 })
  })
})

describe('the database', () => {
  it('refuses every update of an attested column, and allows the two unattested ones', async () => {
    const agentId = await w.newAgent()
    await w.post(agentId, { thinking: textOf(30, VIOLATION), output: textOf(31) })
    const columns = await sql<{ name: string; type: string }>`
      select column_name as name, data_type as type from information_schema.columns
      where table_name = 'checkpoint'`.execute(w.t.app.kernel.db)
    const changed: Record<string, string> = {
      bigint: '7',
      integer: '7',
      smallint: '7',
      text: `'clear'`,
      'double precision': '0.5',
      boolean: 'not excluded',
      bytea: `'\\x00'`,
      jsonb: `'{"other": 1}'`,
      ARRAY: `array['x']`,
      'timestamp with time zone': `now()`,
    }
    const names = columns.rows.filter(({ name }) => name !== 'linked_trace_id')
    expect(names.length).toBeGreaterThan(35)
    for (const { name, type } of names) {
      const value = sql.raw(changed[type] ?? 'null')
      const said = await failure(
        sql`update checkpoint set ${sql.ref(name)} = ${value} where agent_id = ${agentId}`,
      )
      expect(said, `${name} ${type}`).toMatch(refused)
    }
    const link = sql`update checkpoint set linked_trace_id = 'tr-later' where agent_id = ${agentId}`
    expect(await failure(link)).toBe('done')
  })

  it('refuses to update or delete certificates, nodes, ids and the chain', async () => {
    const agentId = await w.newAgent()
    await w.post(agentId, { thinking: textOf(32) })
    const changes = {
      checkpoint: sql`verdict = 'review_needed'`,
      checkpoint_owner: sql`position = 9`,
      certificate: sql`base_url = 'https://elsewhere.example'`,
      merkle_node: sql`level = 3`,
    }
    for (const [table, change] of Object.entries(changes)) {
      const name = sql.table(table)
      for (const statement of [
        sql`update ${name} set ${change} where agent_id = ${agentId}`,
        sql`delete from ${name} where agent_id = ${agentId}`,
        sql`truncate ${name}`,
      ]) {
        expect(await failure(statement), table).toMatch(refused)
      }
    }
  })

  it('refuses the same directly on each partition', async () => {
    for (const table of ['checkpoint', 'certificate', 'merkle_node']) {
      for (let part = 0; part < 16; part += 1) {
        const name = sql.table(`${table}_${part}`)
        expect(await failure(sql`truncate ${name}`), table).toMatch(refused)
        const filled = await sql<object>`select 1 from ${name} limit 1`.execute(w.t.app.kernel.db)
        const expected = filled.rows.length > 0 ? refused : /^done$/
        expect(await failure(sql`delete from ${name}`), table).toMatch(expected)
      }
    }
  })
})

describe('erasing an agent', () => {
  it('deletes every row of its checkpoints and keeps only the leaf hashes', async () => {
    const agentId = await w.newAgent()
    const kept = await w.newAgent()
    const ids = [newCheckpointId(), newCheckpointId(), newCheckpointId()]
    for (const [n, id] of ids.entries()) {
      const thinking = n === 1 ? 'Short.' : textOf(40 + n, MENTION)
      await w.post(agentId, { checkpoint_id: id, thinking })
    }
    await w.post(kept, { thinking: textOf(50) })
    const leaves = (await w.chainOf(agentId))
      .filter((row) => row.leaf_index !== null)
      .map((row) => leafHash(hexToBytes(row.chain_hash.toString('hex'))))
    const asked = await w.t.call('POST', `/v1/agents/${agentId}/erase`, {
      token: await w.t.ownerToken(),
      body: { confirm: agentId },
    })
    expect(asked.status).toBe(202)
    expect((await w.t.call('GET', `/v1/checkpoints/${ids[0]}/certificate`)).status).toBe(404)
    w.t.clock.advance(31 * 86_400_000)
    await w.t.app.kernel.schedules.fireDue()
    await w.t.settle()
    const tables = [
      'checkpoint',
      'checkpoint_owner',
      'checkpoint_session',
      'chain_head',
      'certificate',
      'merkle_node',
      'drift_alert',
    ]
    for (const table of tables) {
      const left = await sql<{ count: number }>`select count(*) from ${sql.table(table)}
        where agent_id = ${agentId}`.execute(w.t.app.kernel.db)
      expect(left.rows, table).toEqual([{ count: 0 }])
    }
    const erased = await sql<{ leaf_index: number; leaf_hash: Buffer }>`
      select leaf_index, leaf_hash from erased_leaf where id_hash = ${keccak256Hex(agentId)}
      order by leaf_index`.execute(w.t.app.kernel.db)
    expect(erased.rows.map((row) => [row.leaf_index, row.leaf_hash.toString('hex')])).toEqual(
      leaves.map((leaf, index) => [index, Buffer.from(leaf).toString('hex')]),
    )
    expect((await w.get(`/v1/checkpoints/${ids[0]}`)).status).toBe(404)
    expect(await w.chainOf(kept)).toHaveLength(1)
    for (const statement of [
      sql`update erased_leaf set leaf_index = 9`,
      sql`delete from erased_leaf`,
      sql`truncate erased_leaf`,
    ]) {
      expect(await failure(statement)).toMatch(refused)
    }
  })
})
