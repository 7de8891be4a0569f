import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { verifyDecisionReceipt } from '@touchstone/protocol/policy'
import { sql } from 'kysely'
import pg from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { verifyOffline } from '#harness/checkpoints.ts'
import { testClock } from '#harness/clock.ts'
import { emptyDatabaseUrl } from '#harness/database.ts'
import { MIGRATIONS_DIR } from '#harness/global-setup.ts'
import { restoreBackup } from '../../packages/server/src/backup/restore-backup.ts'
import { migrate } from '../../packages/server/src/postgres/migrate.ts'

/**
 * The data of an installation that version 0.1 wrote through its API, and what 0.1 answered about it.
 * INVARIANT: never created again by a newer version.
 */
const FOLDER = new URL('../fixtures/version-0.1/', import.meta.url)
const LAST_MIGRATION = '0062_policy_evaluation_findings.sql'

type Recorded = {
  now: string
  first: { email: string; password: string; api_key: string; org_id: string }
  escalations: { pending: string; approved: string; used: string; rejected: string }
  receipt: unknown
  answers: Record<string, object>
}

let recorded: Recorded
let t: TestApp
let owner: string
let violationDays: unknown[]
let reclassified: unknown
let monthly: { before: number[]; after: number[] }

beforeAll(async () => {
  recorded = JSON.parse(await readFile(new URL('answers.json', FOLDER), 'utf8'))
  const connectionString = await emptyDatabaseUrl()
  await migrate({ connectionString, dir: MIGRATIONS_DIR, upTo: LAST_MIGRATION })
  await restoreBackup({ connectionString, file: fileURLToPath(new URL('data.backup', FOLDER)) })
  await collide(connectionString)
  const before = await countByMonth(connectionString)
  await migrate({ connectionString, dir: MIGRATIONS_DIR })
  monthly = { before, after: await countByMonth(connectionString) }
  t = await testApp({ databaseUrl: connectionString, clock: testClock(recorded.now) })
  const { email, password } = recorded.first
  owner = (await t.call('POST', '/v1/auth/login', { body: { email, password } })).body.access_token
  const days = await sql`select agent_id, day::text, violation_count, card_gap_count
    from checkpoint_violation_day order by agent_id`.execute(t.app.kernel.db)
  violationDays = days.rows
  reclassified = (await get('/v1/reputation/old-clerk')).body.reclassified
})

/** The rows of tables that had no months then. */
async function countByMonth(connectionString: string): Promise<number[]> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  const counts = []
  for (const table of ['event', 'policy_evaluation', 'audit_entry']) {
    counts.push(Number((await client.query(`select count(*) from ${table}`)).rows[0].count))
  }
  await client.end()
  return counts
}

/**
 * Adds what 0.1 allowed: ids that differ only by case, a pair of two organisations, and a violation
 * that was reclassified as a card gap.
 */
async function collide(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  const copyAgent = (agentId: string, orgId: string) =>
    client.query(
      `insert into agent (agent_id, org_id, name, visibility, status, enforcement_mode, metadata,
        claim_verifier, card_id, card_version, created_at, updated_at)
      select $1, $2, $1, visibility, status, enforcement_mode, metadata, claim_verifier, card_id,
        card_version, created_at, updated_at from agent where agent_id = 'old-clerk'`,
      [agentId, orgId],
    )
  await copyAgent('Old-Clerk', 'org-of-others')
  await copyAgent('old-peer', recorded.first.org_id)
  await client.query(`insert into coherence_pair (agent_a, agent_b, score_e4, since, checked_at)
    values ('Old-Clerk', 'old-clerk', 100, now(), now()),
      ('old-clerk', 'old-peer', 8000, now(), now())`)
  await client.query(`insert into trace_owner
    values ('old-order', 'Old-Clerk'), ('old-own', 'old-peer')`)
  await client.query(`insert into checkpoint select (jsonb_populate_record(c,
      '{"agent_id": "Old-Clerk", "checkpoint_id": "ic-excused"}')).*
    from checkpoint c where agent_id = 'old-clerk' and verdict = 'boundary_violation'`)
  await client.query(`insert into checkpoint_reclassification (agent_id, position, new_type)
    select agent_id, position, 'card_gap' from checkpoint where checkpoint_id = 'ic-excused'`)
  await client.end()
}

const key = () => recorded.first.api_key
const get = (url: string, token = key()) => t.call('GET', url, { token })
const decide = (call: object) =>
  t.call('POST', '/v1/gateway/decide', { token: key(), body: { agent_id: 'old-clerk', ...call } })

describe('data of version 0.1', () => {
  it('opens with its accounts and keys, and answers the same', async () => {
    expect(owner).toEqual(expect.any(String))
    for (const [url, answer] of Object.entries(recorded.answers)) {
      const { body } = await get(url, owner)
      // The log has had a key of its own since then.
      if (url === '/v1/keys')
        body.keys = body.keys.filter((key: { use: string }) => key.use === 'sig')
      expect(body, url).toMatchObject(answer)
    }
  })

  it('keeps what is partitioned by month now', () => {
    expect(Math.min(...monthly.before)).toBeGreaterThan(0)
    expect(monthly.after).toEqual(monthly.before)
  })

  it('keeps certificates to the byte, and they and receipts verify offline', async () => {
    const [url = '', certificate] =
      Object.entries(recorded.answers).find(([path]) => path.endsWith('/certificate')) ?? []
    const { body } = await get(url)
    expect(body).toEqual(certificate)
    expect((await verifyOffline(t, body)).valid).toBe(true)
    const { keys } = (await get('/v1/keys')).body
    expect(verifyDecisionReceipt(recorded.receipt, keys)).toMatchObject({ valid: true })
  })

  it('continues the chain of an agent and its score', async () => {
    const text = 'The parcel left the depot this morning, so the answer names the window. '.repeat(
      20,
    )
    const added = await t.call('POST', '/v1/agents/old-clerk/checkpoints', {
      token: key(),
      body: { thinking: text },
    })
    expect(added).toMatchObject({ status: 201, body: { attestation: { position: 52 } } })
    await t.app.rateAll()
    await t.settle()
    expect((await get('/v1/reputation/old-clerk')).body).toMatchObject({ checkpoint_count: 53 })
  })

  it('decides by the stored policy, and stores the decision', async () => {
    const { body } = await decide({ tool: 'mcp__shell__run' })
    expect(body).toMatchObject({ decision: 'block', reasons: [{ code: 'forbidden' }] })
    expect(await get(`/v1/decisions/${body.decision_id}`)).toMatchObject({ status: 200 })
  })
})

describe('violations of version 0.1', () => {
  it('are counted by day with their card gaps, and stated with the score', async () => {
    const day = recorded.now.slice(0, 10)
    expect(violationDays).toEqual([
      { agent_id: 'Old-Clerk', day, violation_count: 1, card_gap_count: 1 },
      { agent_id: 'old-clerk', day, violation_count: 1, card_gap_count: 0 },
    ])
    expect(reclassified).toEqual({ card_gap: 0, of: 1 })
  })

  it('have no known sender, so only a person can excuse them', async () => {
    const listed = await get('/v1/agents/old-clerk/checkpoints?per_page=100')
    const { checkpoint_id } = listed.body.checkpoints.findLast(
      (one: { verdict: string }) => one.verdict === 'boundary_violation',
    )
    const { card_json: card } = (await get('/v1/agents/old-clerk/card')).body
    const envelope = { ...card.autonomy_envelope, forbidden_actions: [] }
    const put = await t.call('PUT', '/v1/agents/old-clerk/card', {
      token: owner,
      body: { card_json: { ...card, autonomy_envelope: envelope } },
    })
    expect(put.body.amendment_ids).toHaveLength(1)
    const approver = await t.call('POST', '/v1/api-keys', {
      token: owner,
      body: { scopes: ['read', 'write', 'approve'] },
    })
    const excuse = (token: string) =>
      t.call('POST', '/v1/agents/old-clerk/reclassify', {
        token,
        body: {
          checkpoint_id,
          new_type: 'card_gap',
          reason: 'The card was wrong.',
          card_amendment_id: put.body.amendment_ids[0],
        },
      })
    expect(await excuse(approver.body.key)).toMatchObject({ status: 403 })
    expect(await excuse(owner)).toMatchObject({ status: 200 })
  })
})

describe('names of version 0.1', () => {
  it('that differ only by case are each found by the exact id', async () => {
    expect((await get('/v1/agents/old-clerk')).body).toMatchObject({ org_id: expect.any(String) })
    const other = (await get('/v1/agents/Old-Clerk')).body
    expect(other).toMatchObject({ agent_id: 'Old-Clerk' })
    expect(other).not.toHaveProperty('org_id')
    expect((await get('/v1/agents/OLD-CLERK')).status).toBe(404)
    expect((await get('/v1/agents/OLD-PEER')).body).toMatchObject({ agent_id: 'old-peer' })
    const body = { agent_id: 'OLD-clerk' }
    const refused = await t.call('POST', '/v1/agents', { token: key(), body })
    expect(refused).toMatchObject({ status: 409, body: { error: 'conflict' } })
  })

  it('of traces are kept, each for its organisation', async () => {
    const owners = await sql`select org_id, trace_id, agent_id from trace_owner
      order by trace_id`.execute(t.app.kernel.db)
    expect(owners.rows).toEqual([
      { org_id: 'org-of-others', trace_id: 'old-order', agent_id: 'Old-Clerk' },
      { org_id: recorded.first.org_id, trace_id: 'old-own', agent_id: 'old-peer' },
    ])
    const trace = {
      agent_id: 'old-clerk',
      action: { type: 'execute', name: 'search', category: 'bounded' },
      decision: { selected: 'a', selection_reasoning: 'It fits.', values_applied: [] },
    }
    const post = (id: string) =>
      t.call('POST', '/v1/traces', { token: key(), body: { ...trace, trace_id: id } })
    expect((await post('old-own')).status).toBe(409)
    expect((await post('old-order')).status).toBe(201)
  })

  it('pairs of two organisations count for neither any more, and others still do', async () => {
    const { db } = t.app.kernel
    const pairs = await sql<{ agent_b: string }>`select agent_b from coherence_pair
      where agent_a in ('Old-Clerk', 'old-clerk')`.execute(db)
    expect(pairs.rows).toEqual([{ agent_b: 'old-peer' }])
    const past = await sql<{ agent_id: string }>`select agent_id from coherence_past
      where score_e4 = 100 order by agent_id`.execute(db)
    expect(past.rows.map((row) => row.agent_id).sort()).toEqual(['Old-Clerk', 'old-clerk'])
  })
})

describe('escalations of version 0.1', () => {
  it('keep their status', async () => {
    const { pending, approved, used, rejected } = recorded.escalations
    const statusOf = async (id: string) => (await get(`/v1/escalations/${id}`)).body.status
    expect(await Promise.all([pending, approved, used, rejected].map(statusOf))).toEqual([
      'pending',
      'approved',
      'approved',
      'rejected',
    ])
  })

  it('can be approved, but cover no call with arguments, which 0.1 did not record', async () => {
    const { pending, approved } = recorded.escalations
    const answer = await t.call('POST', `/v1/escalations/${pending}/resolve`, {
      token: owner,
      body: { outcome: 'approve' },
    })
    expect(answer).toMatchObject({ status: 200, body: { status: 'approved' } })
    const call = { tool: 'search', arguments: { pii: true, n: 1 }, session_id: 's-1' }
    expect((await decide({ ...call, escalation_id: approved })).body).toMatchObject({
      decision: 'block',
      reasons: [{ code: 'approval_mismatch' }, { code: 'escalation' }],
    })
  })
})
