import type { Verdict } from '@touchstone/protocol/analysis'
import {
  contentKeyOf,
  type SealedCheckpoint,
  type WindowEntry,
} from '@touchstone/protocol/evidence'
import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import { rowsOf } from '../../../postgres/rows.ts'
import { type AgentDay, addDays } from './assurance-store.ts'
import type { Head } from './head.ts'
import { type HeadRow, type SessionRow, toHead, toSession } from './head-store.ts'
import { type AgentSlot, addSlots } from './novelty-store.ts'
import type { Session } from './session.ts'

type Place = { agentId: string; sessionId: string }

/** With the credential that sent it, which is not part of the record. */
export type SentCheckpoint = SealedCheckpoint & { sentBy: string }

type MemberRow = { id: string; at: string; verdict: Verdict; summary: string }

/** A session with the members of its window. */
export type SessionWindow = { session: Session; window: readonly WindowEntry[] }

/** The fields by which a submission sent again is recognised. */
export type KnownSubmission = {
  checkpointId: string
  agentId: string
  sessionId: string
  thinkingHash: string
  outputHash: string | null
  decisionIds: readonly string[]
}

/** Identifies submissions with the same texts, within the interval in which repeats are counted. */
export type Content = { agentId: string; contentKey: string; from: Date; to: Date }

const CHECKPOINT_COLUMNS = {
  agent_id: 'text',
  position: 'bigint',
  checkpoint_id: 'text',
  session_id: 'text',
  card_id: 'text',
  occurred_at: 'timestamptz',
  created_at: 'timestamptz',
  provider: 'text',
  model: 'text',
  verdict: 'text',
  violation_type: 'text',
  concerns: 'jsonb',
  reasoning_summary: 'text',
  conscience_context: 'jsonb',
  window_index: 'smallint',
  window_size: 'smallint',
  analyzer: 'text',
  analysis_model: 'text',
  analysis_duration_ms: 'integer',
  confidence: 'double precision',
  analysis_details: 'jsonb',
  synthetic_reason: 'text',
  flags: 'text[]',
  excluded: 'boolean',
  cross_validation_warnings: 'text[]',
  thinking_hash: 'hex',
  output_hash: 'hex',
  card_hash: 'hex',
  values_hash: 'hex',
  context_hash: 'hex',
  template_version: 'text',
  content_key: 'hex',
  record_hash: 'hex',
  previous_hash: 'hex',
  chain_hash: 'hex',
  leaf_index: 'bigint',
  linked_trace_id: 'text',
  provenance: 'text',
  decision_ids: 'text[]',
  sent_by: 'text',
}
const SESSION_COLUMNS = {
  agent_id: 'text',
  session_id: 'text',
  checkpoint_count: 'bigint',
  clear_count: 'bigint',
  review_count: 'bigint',
  violation_count: 'bigint',
  scored_count: 'bigint',
  window_positions: 'bigint[]',
  streak: 'jsonb',
  calm: 'integer',
  alerted: 'boolean',
  unstable: 'boolean',
  trace_drift: 'boolean',
  started_at: 'timestamptz',
  last_at: 'timestamptz',
}
const HEAD_COLUMNS = {
  agent_id: 'text',
  length: 'bigint',
  chain_hash: 'hex',
  leaf_count: 'bigint',
  edge: 'hex',
  recent_at: 'bigint[]',
  clear_count: 'bigint',
  review_count: 'bigint',
  violation_count: 'bigint',
  excluded_count: 'bigint',
  latest_verdict: 'text',
  sessions_scored: 'bigint',
  sessions_unstable: 'bigint',
  session_count: 'bigint',
  leaf_at: 'timestamptz',
  hour_from: 'timestamptz',
  hour_count: 'integer',
}
const CONTENT_COLUMNS = {
  place: 'integer',
  agent_id: 'text',
  content_key: 'hex',
  at_first: 'timestamptz',
  at_last: 'timestamptz',
}

/** Appends a batch of checkpoints in a constant number of statements. */
export function createAppendStore(tx: Db) {
  return {
    /** Locks in order of agent id, to prevent deadlocks. Omits unknown agents. */
    async lockHeads(agentIds: readonly string[]): Promise<Map<string, Head>> {
      const found = await sql<HeadRow>`
        select * from chain_head where agent_id = any(${agentIds})
        order by agent_id for update`.execute(tx)
      return new Map(found.rows.map((row) => [row.agent_id, toHead(row)]))
    },

    /** The agents whose heads another transaction has locked. */
    async lockedAmong(agentIds: readonly string[]): Promise<string[]> {
      const found = await sql<{ agent_id: string }>`
        with free as materialized (
          select agent_id from chain_head where agent_id = any(${agentIds}) for update skip locked)
        select agent_id from chain_head where agent_id = any(${agentIds})
          and agent_id not in (select agent_id from free)`.execute(tx)
      return found.rows.map((row) => row.agent_id)
    },

    /** The sessions that exist, with the members of their windows in chain order. */
    async sessions(places: readonly Place[]): Promise<SessionWindow[]> {
      const found = await sql<SessionRow & { members: MemberRow[] | null }>`
        select s.*, (
          select json_agg(json_build_object('id', c.checkpoint_id, 'at', c.occurred_at,
            'verdict', c.verdict, 'summary', c.reasoning_summary) order by c.position)
          from checkpoint c
          where c.agent_id = s.agent_id and c.session_id = s.session_id
            and c.position = any(s.window_positions)) as members
        from checkpoint_session s
        join unnest(${places.map((one) => one.agentId)}::text[],
                    ${places.map((one) => one.sessionId)}::text[]) as wanted (agent_id, session_id)
          using (agent_id, session_id)`.execute(tx)
      return found.rows.map((row) => ({
        session: toSession(row),
        window: (row.members ?? []).map(toMember),
      }))
    },

    /**
     * For each content, in the order given, the times of up to `twinsMax` analysed checkpoints with
     * the same texts. Key and time are compared as one row value: given a time range alone, the
     * planner would scan everything the agent did in it.
     */
    async twins(contents: readonly Content[], twinsMax: number): Promise<Date[][]> {
      const found = await sql<{ times: Date[] | null }>`
        select (
          select array_agg(occurred_at) from (
            select occurred_at from checkpoint c
            where c.agent_id = given.agent_id
              and c.content_key = given.content_key and c.synthetic_reason is null
              and (c.content_key, c.occurred_at) >= (given.content_key, given.at_first)
              and (c.content_key, c.occurred_at) <= (given.content_key, given.at_last)
            limit ${twinsMax}) as near) as times
        from ${rowsOf(CONTENT_COLUMNS, contents.map(toContentRow))} as given
        order by place`.execute(tx)
      return found.rows.map((row) => row.times ?? [])
    },

    /** The stored submissions among these ids. */
    async known(checkpointIds: readonly string[]): Promise<KnownSubmission[]> {
      if (checkpointIds.length === 0) return []
      const found = await sql<{
        checkpoint_id: string
        agent_id: string
        session_id: string
        thinking_hash: Buffer
        output_hash: Buffer | null
        decision_ids: string[] | null
      }>`
        select c.checkpoint_id, c.agent_id, c.session_id, c.thinking_hash, c.output_hash,
          c.decision_ids
        from checkpoint_owner o
        join checkpoint c on c.agent_id = o.agent_id and c.position = o.position
        where o.checkpoint_id = any(${checkpointIds})`.execute(tx)
      return found.rows.map((row) => ({
        checkpointId: row.checkpoint_id,
        agentId: row.agent_id,
        sessionId: row.session_id,
        thinkingHash: row.thinking_hash.toString('hex'),
        outputHash: row.output_hash?.toString('hex') ?? null,
        decisionIds: row.decision_ids ?? [],
      }))
    },

    /**
     * Stores checkpoints, their owners, and the new state of sessions and heads in one statement,
     * and adds the new checkpoints to the counts of their days.
     */
    async save(saved: {
      checkpoints: readonly SentCheckpoint[]
      sessions: readonly Session[]
      heads: readonly Head[]
      days: readonly AgentDay[]
      slots: readonly AgentSlot[]
    }): Promise<void> {
      await sql`
        with added as (
          select * from ${rowsOf(CHECKPOINT_COLUMNS, saved.checkpoints.map(toRow))} as r
        ), stored as (
          insert into checkpoint (agent_id, position, checkpoint_id, session_id, card_id,
            occurred_at, created_at, provider, model, verdict, violation_type, concerns,
            reasoning_summary, conscience_context, window_index, window_size, analyzer,
            analysis_model, analysis_duration_ms, confidence, analysis_details, synthetic_reason,
            flags, excluded, cross_validation_warnings, thinking_hash, output_hash, card_hash,
            values_hash, context_hash, template_version, content_key, record_hash, previous_hash,
            chain_hash, leaf_index, linked_trace_id, provenance, decision_ids, sent_by)
          select agent_id, position, checkpoint_id, session_id, card_id, occurred_at, created_at,
            provider, model, verdict, violation_type, concerns, reasoning_summary,
            conscience_context, window_index, window_size, analyzer, analysis_model,
            analysis_duration_ms, confidence, analysis_details, synthetic_reason, flags, excluded,
            cross_validation_warnings, thinking_hash, output_hash, card_hash, values_hash,
            context_hash, template_version, content_key, record_hash, previous_hash, chain_hash,
            leaf_index, linked_trace_id, provenance, decision_ids, sent_by
          from added
        ), owned as (
          insert into checkpoint_owner (checkpoint_id, agent_id, position)
          select checkpoint_id, agent_id, position from added
        ), followed as (
          insert into checkpoint_session (agent_id, session_id, checkpoint_count, clear_count,
            review_count, violation_count, scored_count, window_positions, streak, calm, alerted,
            unstable, trace_drift, started_at, last_at)
          select agent_id, session_id, checkpoint_count, clear_count, review_count,
            violation_count, scored_count, window_positions, streak, calm, alerted, unstable,
            trace_drift, started_at, last_at
          from ${rowsOf(SESSION_COLUMNS, saved.sessions.map(toSessionRow))} as r
          on conflict (agent_id, session_id) do update set
            checkpoint_count = excluded.checkpoint_count, clear_count = excluded.clear_count,
            review_count = excluded.review_count, violation_count = excluded.violation_count,
            scored_count = excluded.scored_count, window_positions = excluded.window_positions,
            streak = excluded.streak, calm = excluded.calm, alerted = excluded.alerted,
            unstable = excluded.unstable, trace_drift = excluded.trace_drift,
            started_at = excluded.started_at, last_at = excluded.last_at
        ), counted as (
          ${addDays(saved.days)}
        ), remembered as (
          ${addSlots(saved.slots)}
        )
        update chain_head set length = r.length, chain_hash = r.chain_hash,
          leaf_count = r.leaf_count, edge = r.edge, recent_at = r.recent_at,
          clear_count = r.clear_count, review_count = r.review_count,
          violation_count = r.violation_count, excluded_count = r.excluded_count,
          latest_verdict = r.latest_verdict, sessions_scored = r.sessions_scored,
          sessions_unstable = r.sessions_unstable, session_count = r.session_count,
          leaf_at = r.leaf_at, hour_from = r.hour_from, hour_count = r.hour_count
        from ${rowsOf(HEAD_COLUMNS, saved.heads.map(toHeadRow))} as r
        where chain_head.agent_id = r.agent_id`.execute(tx)
    },
  }
}

function toMember(row: MemberRow): WindowEntry {
  return {
    checkpointId: row.id,
    timestamp: new Date(row.at),
    verdict: row.verdict,
    reasoningSummary: row.summary,
  }
}

function toContentRow(content: Content, place: number) {
  return {
    place,
    agent_id: content.agentId,
    content_key: content.contentKey,
    at_first: content.from,
    at_last: content.to,
  }
}

function toRow({ checkpoint, seal, sentBy }: SentCheckpoint) {
  const { hashes } = checkpoint
  return {
    agent_id: checkpoint.agentId,
    position: seal.position,
    checkpoint_id: checkpoint.checkpointId,
    session_id: checkpoint.sessionId,
    card_id: checkpoint.cardId,
    occurred_at: checkpoint.timestamp,
    created_at: checkpoint.receivedAt,
    provider: checkpoint.provider,
    model: checkpoint.model,
    verdict: checkpoint.verdict,
    violation_type: checkpoint.violationType,
    concerns: checkpoint.concerns,
    reasoning_summary: checkpoint.reasoningSummary,
    conscience_context: checkpoint.conscienceContext,
    window_index: checkpoint.windowPosition?.index ?? null,
    window_size: checkpoint.windowPosition?.window_size ?? null,
    analyzer: checkpoint.analyzer,
    analysis_model: checkpoint.analysisModel,
    analysis_duration_ms: checkpoint.durationMs,
    confidence: checkpoint.confidence,
    analysis_details: checkpoint.details,
    synthetic_reason: checkpoint.syntheticReason,
    flags: checkpoint.flags,
    excluded: checkpoint.excluded,
    cross_validation_warnings: checkpoint.crossValidationWarnings,
    thinking_hash: hashes.thinking,
    output_hash: hashes.output,
    card_hash: hashes.card,
    values_hash: hashes.values,
    context_hash: hashes.context,
    template_version: checkpoint.templateVersion,
    content_key: contentKeyOf(hashes),
    record_hash: seal.recordHash,
    previous_hash: seal.previous,
    chain_hash: seal.chainHash,
    leaf_index: seal.leafIndex,
    linked_trace_id: checkpoint.linkedTraceId,
    provenance: checkpoint.provenance,
    decision_ids: checkpoint.recordVersion === '1.0.0' ? null : checkpoint.decisionIds,
    sent_by: sentBy,
  }
}

function toSessionRow(session: Session) {
  return {
    agent_id: session.agentId,
    session_id: session.sessionId,
    checkpoint_count: session.checkpointCount,
    clear_count: session.verdicts.clear,
    review_count: session.verdicts.review_needed,
    violation_count: session.verdicts.boundary_violation,
    scored_count: session.scoredCount,
    window_positions: session.windowPositions,
    streak: session.streak,
    calm: session.calm,
    alerted: session.alerted,
    unstable: session.unstable,
    trace_drift: session.traceDrift,
    started_at: session.startedAt,
    last_at: session.lastAt,
  }
}

function toHeadRow(head: Head) {
  const { counts } = head
  return {
    agent_id: head.agentId,
    length: head.length,
    chain_hash: head.chainHash,
    leaf_count: head.leafCount,
    edge: Buffer.concat(head.edge).toString('hex'),
    recent_at: head.recentAt.map((time) => time.getTime()),
    clear_count: counts.verdicts.clear,
    review_count: counts.verdicts.review_needed,
    violation_count: counts.verdicts.boundary_violation,
    excluded_count: counts.excluded,
    latest_verdict: head.latestVerdict,
    sessions_scored: counts.sessionsScored,
    sessions_unstable: counts.sessionsUnstable,
    session_count: counts.sessions,
    leaf_at: head.leafAt,
    hour_from: head.hour?.from ?? null,
    hour_count: head.hour?.analysed ?? 0,
  }
}
