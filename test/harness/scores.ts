import { nodesForRoot } from '@touchstone/protocol/merkle'
import { sql } from 'kysely'
import type { TestApp, TestAppOptions } from './app.ts'
import { checkpointWorld, textOf, VIOLATION } from './checkpoints.ts'

export type SeededViolation = {
  hours: number
  sessionId: string
  cardGap?: boolean
  /** The severity of its one concern; without it, the violation has none. */
  severity?: string
}

/** The history of an agent: counts, and the rows that scores also read. */
export type Evidence = {
  clear: number
  review?: number
  /** Violations with their age in hours. */
  violations?: readonly SeededViolation[]
  excluded?: number
  /** Sessions that are long enough for drift analysis. */
  sessions?: { total: number; unstableIds: readonly string[] }
  /** Verified ones. */
  traces?: number
}

/** The examples of spec: reputation §1; example A has no peers here. */
export const EXAMPLE_A: Evidence = {
  clear: 114,
  review: 4,
  violations: [
    { hours: 24, sessionId: 's7' },
    { hours: 200, sessionId: 's3' },
  ],
  sessions: { total: 10, unstableIds: ['s7'] },
  traces: 96,
}
export const EXAMPLE_B: Evidence = { clear: 50 }
export const EXAMPLE_C: Evidence = {
  clear: 180,
  review: 17,
  violations: [
    { hours: 0, sessionId: 'x' },
    { hours: 10, sessionId: 'x' },
    { hours: 30, sessionId: 'y' },
  ],
  sessions: { total: 16, unstableIds: ['x', 'y'] },
  traces: 230,
}

export const checkpointIdOf = (agentId: string, position: number) => `ic-${agentId}-${position}`

export type ScoreWorld = Awaited<ReturnType<typeof scoreWorld>>

/**
 * A test world in which evidence is inserted into the database instead of being sent as
 * checkpoints.
 */
export async function scoreWorld(
  env: Record<string, string> = {},
  options: Pick<TestAppOptions, 'databaseUrl'> = {},
) {
  const w = await checkpointWorld(env, options)
  const { t, key } = w
  let count = 0
  const score = (
    agentId: string,
    call: { token?: string; headers?: Record<string, string> } = {},
  ) => t.call('GET', `/v1/reputation/${encodeURIComponent(agentId)}`, call)
  return {
    ...w,
    score,

    /** Creates an agent with evidence and without a computed score. */
    async agentWith(evidence: Evidence, changes: object = {}): Promise<string> {
      count += 1
      const agentId = await w.newAgent({ agent_id: `scored-agent-${count}`, ...changes })
      await seedEvidence(t, agentId, evidence)
      return agentId
    },

    seed: (agentId: string, evidence: Evidence) => seedEvidence(t, agentId, evidence),

    recompute: (agentId: string, token = key) =>
      t.call('POST', `/v1/reputation/${encodeURIComponent(agentId)}/recompute`, { token }),

    history: async (agentId: string) =>
      (await t.call('GET', `/v1/reputation/${agentId}/history`)).body.snapshots,

    badge: (agentId: string, query = '', call: { token?: string } = {}) =>
      t.call('GET', `/v1/reputation/${encodeURIComponent(agentId)}/badge.svg${query}`, call),

    /** Advances to the next full hour and runs everything that is due. */
    async nextHour(): Promise<void> {
      const hour = 3_600_000
      t.clock.advance(hour - (t.clock.nowMs() % hour))
      await t.app.kernel.schedules.fireDue()
      await t.settle()
    },

    /** Sends this many checkpoints, a little apart; the predicate makes some of them violations. */
    async sendCheckpoints(agentId: string, amount: number, isViolation = (_n: number) => false) {
      const now = t.clock.nowMs()
      const checkpoints = Array.from({ length: amount }, (_, n) => ({
        agent_id: agentId,
        thinking: textOf(now + n, isViolation(n) ? VIOLATION : ''),
        session_id: `s${n}`,
        timestamp: new Date(now - 600_000 + n * 10_000 + (n % 5) * 700).toISOString(),
      }))
      const { body } = await w.batch(checkpoints)
      return body.results as { checkpoint_id: string; verdict: string }[]
    },

    reputationEvents: async (agentId: string) =>
      (await w.eventsOf(agentId))
        .filter(({ type }) => type.startsWith('reputation.'))
        .map(({ type, data }) => ({ type, data })),
  }
}

async function seedEvidence(t: TestApp, agentId: string, evidence: Evidence): Promise<void> {
  const { db, clock } = t.app.kernel
  const now = clock.nowMs()
  const { violations = [], review = 0, excluded = 0, traces = 0 } = evidence
  const { total, unstableIds } = evidence.sessions ?? { total: 0, unstableIds: [] }
  const reviews = Array.from({ length: review }, () => ({ hours: 48, sessionId: 'reviewed' }))
  const rows = [...violations, ...reviews].map((one, position) => ({
    position,
    session_id: one.sessionId,
    occurred_at: new Date(now - one.hours * 3_600_000),
    verdict: position < violations.length ? 'boundary_violation' : 'review_needed',
    cardGap: 'cardGap' in one && one.cardGap === true,
    concerns: 'severity' in one ? [{ severity: one.severity }] : [],
  }))
  await deleteEvidence(t, agentId)
  await insertCheckpoints(t, agentId, rows)
  await sql`insert into checkpoint_session (agent_id, session_id, checkpoint_count, scored_count,
      unstable, started_at, last_at)
    select ${agentId}, id, 3, 3, true, ${new Date(now)}, ${new Date(now)}::timestamptz
      - place * interval '1 minute'
    from unnest(${unstableIds}::text[]) with ordinality as s (id, place)`.execute(db)
  await sql`insert into trace_tally (agent_id, stored, verified)
    select ${agentId}, ${traces}::bigint, ${traces}::bigint where ${traces}::bigint > 0`.execute(db)
  const leaves = evidence.clear + rows.length + excluded
  await sql`update chain_head set length = ${leaves}, leaf_count = ${leaves},
      edge = ${Buffer.alloc(32 * nodesForRoot(leaves).length, 1)}, clear_count = ${evidence.clear},
      review_count = ${review}, violation_count = ${violations.length},
      excluded_count = ${excluded}, sessions_scored = ${total},
      sessions_unstable = ${unstableIds.length}, leaf_at = ${new Date(now)}
    where agent_id = ${agentId}`.execute(db)
}

/** Deletes the evidence that was seeded before. */
async function deleteEvidence(t: TestApp, agentId: string): Promise<void> {
  await t.app.kernel.db.transaction().execute(async (tx) => {
    await sql`delete from checkpoint_session where agent_id = ${agentId}`.execute(tx)
    await sql`delete from trace_tally where agent_id = ${agentId}`.execute(tx)
    await sql`set local role touchstone_purge`.execute(tx)
    await sql`delete from checkpoint where agent_id = ${agentId}`.execute(tx)
    await sql`delete from checkpoint_reclassification where agent_id = ${agentId}`.execute(tx)
    await sql`delete from checkpoint_owner where agent_id = ${agentId}`.execute(tx)
  })
}

type SeededRow = {
  position: number
  session_id: string
  occurred_at: Date
  verdict: string
  cardGap: boolean
  concerns: readonly object[]
}

async function insertCheckpoints(t: TestApp, agentId: string, rows: readonly SeededRow[]) {
  const { db } = t.app.kernel
  const hash = Buffer.alloc(32, 2)
  await sql`insert into checkpoint (agent_id, position, checkpoint_id, session_id, card_id,
      occurred_at, created_at, provider, model, verdict, concerns, reasoning_summary,
      conscience_context, analyzer, analysis_model, analysis_duration_ms, confidence,
      analysis_details, flags, excluded, cross_validation_warnings, thinking_hash, card_hash,
      values_hash, context_hash, template_version, content_key, record_hash, chain_hash, leaf_index)
    select ${agentId}, r.position, 'ic-' || ${agentId} || '-' || r.position, r.session_id, 'ac-1',
      r.occurred_at, r.occurred_at, 'acme', 'm', r.verdict, r.concerns, '', '{}', 'rules', 'rules-v1', 1,
      1, '{}', '{}', false, '{}', ${hash}, ${hash}, ${hash}, ${hash}, 'cp-1', ${hash}, ${hash},
      ${hash}, r.position
    from json_to_recordset(${JSON.stringify(rows)}::json) as r (position bigint, session_id text,
      occurred_at timestamptz, verdict text, concerns jsonb)`.execute(db)
  const gaps = rows.flatMap((row) => (row.cardGap ? [row.position] : []))
  await sql`insert into checkpoint_reclassification (agent_id, position, new_type, applied_at)
    select ${agentId}, position, 'card_gap', ${t.clock.now()}
    from unnest(${gaps}::bigint[]) as position`.execute(db)
  await sql`insert into checkpoint_owner (checkpoint_id, agent_id, position)
    select checkpoint_id, agent_id, position from checkpoint
    where agent_id = ${agentId}`.execute(db)
}

/** Inserts many agents directly, each with fifty clear checkpoints. */
export async function seedAgents(t: TestApp, prefix: string, amount: number): Promise<string[]> {
  const edge = Buffer.alloc(32 * nodesForRoot(50).length, 1)
  const created = await sql<{
    agent_id: string
  }>`insert into agent (agent_id, org_id, name, visibility,
      status, enforcement_mode, metadata, claim_verifier, card_id, card_version, created_at,
      updated_at)
    select ${prefix} || lpad(n::text, 4, '0'), ${t.first.org_id}, 'One of many', 'public', 'active',
      'observe', '{}', 'none', 'ac-' || n, 1, ${t.clock.now()}, ${t.clock.now()}
    from generate_series(1, ${amount}::int) as n returning agent_id`.execute(t.app.kernel.db)
  const ids = created.rows.map((row) => row.agent_id)
  await sql`insert into chain_head (agent_id, length, leaf_count, edge, clear_count)
    select id, 50, 50, ${edge}, 50 from unnest(${ids}::text[]) as id`.execute(t.app.kernel.db)
  return ids
}
