import { readFile } from 'node:fs/promises'
import { sha256Hex } from '@touchstone/protocol/crypto'
import { parseTlogPolicy } from '@touchstone/protocol/log'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { CARD, textOf } from '#harness/checkpoints.ts'
import { type LogWitness, startLogWitness } from '#harness/log-witness.ts'
import { type ScoreWorld, scoreWorld } from '#harness/scores.ts'

let w: ScoreWorld
let agentId: string
let secret: string
let witness: LogWitness

const DAY_MS = 86_400_000
const MIGRATION = new URL('../../migrations/0074_assurance_day.sql', import.meta.url)

beforeAll(async () => {
  witness = await startLogWitness('watcher', logKey)
  w = await scoreWorld({ WITNESSES: JSON.stringify([witness.setting]) })
  const body = { agent_id: 'assured-agent', card: CARD }
  const created = await w.t.call('POST', '/v1/agents', { token: w.key, body })
  agentId = created.body.agent.agent_id
  secret = created.body.agent_secret
})

async function logKey() {
  const policy = parseTlogPolicy((await w.t.call('GET', '/v1/log/policy')).text)
  const [log] = policy.ok ? policy.value.logs : []
  if (log === undefined) throw new Error('the policy names no log')
  return log.key
}

let sent = 0
/** Ids of the gateway's decisions. */
const decisions: string[] = []

/** Sends checkpoints on so many days, each claimed to be of any time of the week before. */
async function sendDays(days: number, perDay: number): Promise<void> {
  for (let day = 0; day < days; day += 1) {
    const now = w.t.clock.nowMs()
    const checkpoints = Array.from({ length: perDay }, () => {
      sent += 1
      return {
        agent_id: agentId,
        thinking: textOf(sent),
        timestamp: new Date(now - sent * 61_007 - (sent % 7) * 1013).toISOString(),
      }
    })
    expect((await w.batch(checkpoints)).status).toBe(200)
    w.t.clock.advance(DAY_MS)
  }
}

const assess = async () => {
  await w.nextHour()
  return (await w.score(agentId)).body
}

const decide = async (call: object) =>
  (
    await w.t.call('POST', '/v1/gateway/decide', {
      token: w.key,
      body: { agent_id: agentId, tool: 'search', ...call },
    })
  ).body

/** Reports that these calls were made. */
async function report(some: readonly string[]): Promise<void> {
  const outcomes = some.map((decision_id) => ({ decision_id, status: 'executed' }))
  const { status } = await w.t.call('POST', '/v1/decisions/outcomes', {
    token: w.key,
    body: { outcomes },
  })
  expect(status).toBe(200)
}

/**
 * Sends checkpoints as a guard does: with a key bound to the agent, each naming a decision. Reports
 * the calls of all days but the last.
 */
async function relayDays(days: number, perDay: number): Promise<void> {
  const made = await w.t.call('POST', '/v1/api-keys', {
    token: await w.t.ownerToken(),
    body: {
      org_id: w.org,
      name: 'guard',
      scopes: ['ingest', 'decide'],
      agent_id: agentId,
      client: 'sdk',
    },
  })
  expect(made.status).toBe(201)
  for (let day = 0; day < days; day += 1) {
    for (let n = 0; n < perDay; n += 1) {
      sent += 1
      const session_id = `relayed-${sent}`
      const { decision_id } = await decide({ session_id })
      decisions.push(decision_id)
      const body = { thinking: textOf(sent), session_id, decision_ids: [decision_id] }
      const stored = await w.post(agentId, body, made.body.key)
      expect(stored).toMatchObject({ status: 201 })
      w.t.clock.advance(61_000 + 7919 * (n % 5))
    }
    if (day === days - 1) return
    await report(decisions.slice(-perDay))
    w.t.clock.advance(DAY_MS - perDay * 80_000)
  }
}

describe('the assurance of a score', () => {
  it('is unverified before three days, whatever the timestamps say', async () => {
    await sendDays(2, 30)
    expect(await assess()).toMatchObject({
      score: 875,
      grade: 'AA',
      assurance: {
        level: 0,
        observed_share: 0,
        relayed_share: 0,
        days: 2,
        span_days: 1,
        effective_checkpoints: 60,
        limits: ['SELF_REPORTED', 'SHORT_HISTORY', 'UNCLAIMED', 'UNWITNESSED'],
      },
      assured_score: 599,
      methodology: '2',
    })
  })

  it('is recorded from the third day on', async () => {
    await sendDays(1, 30)
    const body = await assess()
    expect(body).toMatchObject({ assurance: { level: 1, days: 3, effective_checkpoints: 90 } })
    expect(body.assured_score).toBe(749)
    expect(body.conservative_score).toBeGreaterThan(749)
    expect(body.a2a_trust_extension).toMatchObject({ assurance: 1, assured_score: 749 })
  })

  it('is relayed once the agent is claimed and a guard sent half of a week', async () => {
    await relayDays(4, 25)
    expect((await assess()).assurance).toMatchObject({
      level: 1,
      days: 7,
      effective_checkpoints: 190,
      relayed_share: 0.5263,
      limits: ['SHORT_HISTORY', 'UNTRACED', 'UNCLAIMED', 'UNWITNESSED'],
    })
    const claimed = await w.t.call('POST', `/v1/agents/${agentId}/claim`, {
      token: await w.t.ownerToken(),
      body: { hash_proof: sha256Hex(secret) },
    })
    expect(claimed.status).toBe(200)
    const body = await assess()
    expect(body.assurance.level).toBe(2)
    expect(body.assured_score).toBe(Math.min(849, body.conservative_score))
    expect(body.assured_score).toBeGreaterThan(749)
  })

  it('is in the answers of history, verify, batch, compare, search and benchmarks', async () => {
    const { assured_score } = (await w.score(agentId)).body
    const assured = { assurance: 2, assured_score }
    expect((await w.history(agentId))[0]).toMatchObject(assured)
    expect((await w.get(`/v1/reputation/${agentId}/verify`)).body).toMatchObject({
      verified: true,
      assurance: { level: 2 },
      assured_score,
      methodology: '2',
    })
    const batch = await w.t.call('POST', '/v1/reputation/batch', {
      token: w.key,
      body: { agent_ids: [agentId, 'nobody'] },
    })
    expect(batch.body.scores).toMatchObject([assured, { assurance: null, assured_score: null }])
    const compared = await w.get(`/v1/reputation/compare?agent_ids=${agentId},nobody`)
    expect(compared.body.agents).toMatchObject([assured, { assurance: null, assured_score: null }])
    const idsFrom = async (query: string) => {
      const { body } = await w.get(`/v1/directory?${query}`, '')
      return body.agents.map((one: { agent_id: string }) => one.agent_id)
    }
    const { body } = await w.get('/v1/reputation/search?sort=assurance')
    expect(body.agents[0]).toMatchObject({ agent_id: agentId, ...assured })
    expect(await idsFrom('assurance=2')).toEqual([agentId])
    expect(await idsFrom('assurance=3')).toEqual([])
    expect((await w.get('/v1/directory?assurance=5')).status).toBe(400)
    expect((await w.get('/v1/reputation/benchmarks')).body.assurance_levels).toEqual({
      0: 0,
      1: 0,
      2: 1,
      3: 0,
      4: 0,
    })
  })

  it('is drawn on the badge', async () => {
    const { text } = await w.badge(agentId, '?variant=assurance')
    expect(text).toContain('AA relayed')
    expect((await w.badge('nobody', '?variant=assurance')).text).toContain('Not Rated')
  })

  it('counts the outcomes of allowed calls', async () => {
    // 75 are known already.
    await report(decisions.slice(75, 79))
    expect((await assess()).assurance.limits).toContain('UNTRACED')
    // A repeated report counts once.
    await report(decisions.slice(78, 80))
    await report(decisions.slice(78, 80))
    const { rows } = await sql<{ allowed_count: number; known_count: number }>`
      select sum(allowed_count)::int as allowed_count, sum(known_count)::int as known_count
      from decision_outcome_day where agent_id = ${agentId}`.execute(w.t.app.kernel.db)
    expect(rows).toEqual([{ allowed_count: 100, known_count: 80 }])
    expect((await assess()).assurance.limits).not.toContain('UNTRACED')
  })

  it('says when witnesses have confirmed a log with all recent checkpoints', async () => {
    witness.behave(() => ({ status: 503 }))
    await w.t.app.sequenceLog()
    expect((await assess()).assurance.limits).toContain('UNWITNESSED')
    witness.behave(undefined)
    await w.t.app.askWitnesses()
    expect((await assess()).assurance.limits).toEqual(['SHORT_HISTORY'])
  })

  it('has the same counts after an upgrade as after ingest', async () => {
    const { db } = w.t.app.kernel
    const migration = await readFile(MIGRATION, 'utf8')
    const now = `'${w.t.clock.now().toISOString()}'::timestamptz`
    await w.t.settle()
    for (const table of ['assurance_day', 'decision_outcome_day']) {
      const start = migration.indexOf(`insert into ${table}`)
      const statement = migration.slice(start, migration.indexOf(';', start))
      const read = async () =>
        (await sql`select * from ${sql.table(table)} order by agent_id, day`.execute(db)).rows
      const kept = await read()
      expect(kept).not.toEqual([])
      await sql`delete from ${sql.table(table)}`.execute(db)
      await sql.raw(statement.replaceAll('now()', now)).execute(db)
      expect(await read()).toEqual(kept)
    }
  })

  it('forgets checkpoints that were received more than 90 days ago', async () => {
    w.t.clock.advance(90 * DAY_MS)
    expect(await assess()).toMatchObject({
      assurance: { level: 0, days: 0, effective_checkpoints: 0 },
      assured_score: 599,
    })
  })
})

describe('an unverified trace', () => {
  it('does not count towards trace completeness', async () => {
    const tracedId = await w.newAgent()
    await w.sendCheckpoints(tracedId, 50)
    const trace = (tool: string) => ({
      agent_id: tracedId,
      action: { type: 'execute', name: tool, category: 'bounded' },
      decision: {
        selected: tool,
        selection_reasoning: 'It fits.',
        values_applied: ['transparency'],
      },
    })
    for (const name of ['search', 'exfiltrate_data']) {
      const body = trace(name)
      expect((await w.t.call('POST', '/v1/traces', { token: w.key, body })).status).toBe(201)
    }
    await w.nextHour()
    const { body } = await w.score(tracedId)
    const completeness = body.components.find(
      (one: { key: string }) => one.key === 'trace_completeness',
    )
    expect(completeness.factors).toEqual(['2% of expected decisions traced (1/50)'])
  })
})
