import type { Flag } from '@touchstone/protocol'
import { type Kysely, sql } from 'kysely'
import { asPurger, type Db } from '../../../kernel/db.ts'
import { offsetOf, type Page, type PageRequest } from '../../../kernel/page.ts'
import type {
  AnalysisDetails,
  Analyzer,
  Reclassification,
  SealedCheckpoint,
  SyntheticReason,
} from './checkpoint.ts'
import type { Concern, ConscienceContext, Verdict } from './concern.ts'
import type { Head } from './head.ts'
import type { Session, Streak } from './session.ts'

export type CheckpointRow = {
  agent_id: string
  position: number
  checkpoint_id: string
  session_id: string
  card_id: string
  occurred_at: Date
  created_at: Date
  provider: string
  model: string
  verdict: Verdict
  violation_type: string | null
  concerns: unknown
  reasoning_summary: string
  conscience_context: unknown
  window_index: number | null
  window_size: number | null
  analyzer: Analyzer
  analysis_model: string
  analysis_duration_ms: number
  confidence: number
  analysis_details: unknown
  synthetic_reason: SyntheticReason | null
  flags: string[]
  excluded: boolean
  cross_validation_warnings: string[]
  thinking_hash: Buffer
  output_hash: Buffer | null
  card_hash: Buffer
  values_hash: Buffer
  context_hash: Buffer
  template_version: string
  content_key: Buffer
  record_hash: Buffer
  previous_hash: Buffer | null
  chain_hash: Buffer
  leaf_index: number | null
  linked_trace_id: string | null
  reclassification: Reclassification | null
}

export type HeadRow = {
  agent_id: string
  length: number
  chain_hash: Buffer | null
  leaf_count: number
  edge: Buffer
  recent_at: string[]
  clear_count: number
  review_count: number
  violation_count: number
  excluded_count: number
  latest_verdict: Verdict | null
  sessions_scored: number
  sessions_unstable: number
  session_count: number
  leaf_at: Date | null
  closed: boolean
}

export type SessionRow = {
  agent_id: string
  session_id: string
  checkpoint_count: number
  clear_count: number
  review_count: number
  violation_count: number
  scored_count: number
  window_positions: string[]
  streak: unknown
  calm: number
  alerted: boolean
  unstable: boolean
  trace_drift: boolean
  started_at: Date | null
  last_at: Date | null
}

type CheckpointTables = {
  checkpoint: CheckpointRow
  checkpoint_owner: { checkpoint_id: string; agent_id: string; position: number }
  checkpoint_session: SessionRow
  chain_head: HeadRow
}

export type CheckpointFilter = {
  agentId: string
  verdict: Verdict | undefined
  sessionId: string | undefined
  synthetic: boolean | undefined
  flagged: boolean | undefined
  from: Date | undefined
  to: Date | undefined
}

export function createCheckpointStore(db: Db) {
  const q = db.withTables<CheckpointTables>()
  const ownerOf = (checkpointId: string) =>
    q
      .selectFrom('checkpoint_owner')
      .select(['agent_id', 'position'])
      .where('checkpoint_id', '=', checkpointId)
      .executeTakeFirst()
  return {
    /** Before anything can be added to it. */
    async insertHead(agentId: string): Promise<void> {
      await sql`insert into chain_head (agent_id) values (${agentId})`.execute(db)
    },

    /** In the order in which others lock them, too. */
    async setClosed(agentIds: readonly string[], closed: boolean): Promise<void> {
      await sql`update chain_head set closed = ${closed} from (
          select agent_id from chain_head where agent_id = any(${agentIds})
          order by agent_id for update) as locked
        where chain_head.agent_id = locked.agent_id`.execute(db)
    },

    async findHead(agentId: string): Promise<Head | undefined> {
      const row = await q
        .selectFrom('chain_head')
        .selectAll()
        .where('agent_id', '=', agentId)
        .executeTakeFirst()
      return row && toHead(row)
    },

    /** Those that exist, by agent. */
    async listHeads(agentIds: readonly string[]): Promise<Head[]> {
      const rows = await q
        .selectFrom('chain_head')
        .selectAll()
        .where(sql<boolean>`agent_id = any(${agentIds})`)
        .orderBy('agent_id')
        .execute()
      return rows.map(toHead)
    },

    async find(checkpointId: string): Promise<SealedCheckpoint | undefined> {
      // Two steps, so that the second one looks into a single partition.
      const owner = await ownerOf(checkpointId)
      if (owner === undefined) return undefined
      const row = await q
        .selectFrom('checkpoint')
        .selectAll()
        .where('agent_id', '=', owner.agent_id)
        .where('position', '=', owner.position)
        .executeTakeFirst()
      return row && toSealed(row)
    },

    /** In chain order; from the very first when no position is given. */
    async listFrom(
      agentId: string,
      position: number | undefined,
      limit: number,
    ): Promise<SealedCheckpoint[]> {
      const rows = await q
        .selectFrom('checkpoint')
        .selectAll()
        .where('agent_id', '=', agentId)
        .$if(position !== undefined, (rest) => rest.where('position', '>=', position ?? 0))
        .orderBy('position')
        .limit(limit)
        .execute()
      return rows.map(toSealed)
    },

    async findLeaf(agentId: string, leafIndex: number): Promise<SealedCheckpoint | undefined> {
      const row = await q
        .selectFrom('checkpoint')
        .selectAll()
        .where('agent_id', '=', agentId)
        .where('leaf_index', '=', leafIndex)
        .orderBy('position', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row && toSealed(row)
    },

    /** Where these ids lead to, as far as they lead to the agent. */
    async positionsOf(
      agentId: string,
      checkpointIds: readonly string[],
    ): Promise<Map<string, number>> {
      const rows = await q
        .selectFrom('checkpoint_owner')
        .select(['checkpoint_id', 'position'])
        .where(sql<boolean>`checkpoint_id = any(${checkpointIds})`)
        .where('agent_id', '=', agentId)
        .execute()
      return new Map(rows.map((row) => [row.checkpoint_id, row.position]))
    },

    async listAgentsAfter(agentId: string, limit: number): Promise<string[]> {
      const rows = await q
        .selectFrom('chain_head')
        .select('agent_id')
        .where('agent_id', '>', agentId)
        .orderBy('agent_id')
        .limit(limit)
        .execute()
      return rows.map((row) => row.agent_id)
    },

    /** Newest first by the time of the decision. */
    async list(filter: CheckpointFilter, request: PageRequest): Promise<SealedCheckpoint[]> {
      const rows = await matching(q, filter)
        .selectAll()
        .orderBy('occurred_at', 'desc')
        .orderBy('checkpoint_id')
        .limit(request.perPage)
        .offset(offsetOf(request))
        .execute()
      return rows.map(toSealed)
    },

    async count(filter: CheckpointFilter): Promise<number> {
      const counted = await matching(q, filter)
        .select(sql<number>`count(*)`.as('total'))
        .executeTakeFirstOrThrow()
      return counted.total
    },

    /** The one heard of last comes first. */
    async listSessions(
      agentId: string,
      request: PageRequest,
      total: number,
    ): Promise<Page<Session>> {
      const rows = await q
        .selectFrom('checkpoint_session')
        .selectAll()
        .where('agent_id', '=', agentId)
        .where('checkpoint_count', '>', 0)
        .orderBy('last_at', 'desc')
        .orderBy('session_id')
        .limit(request.perPage)
        .offset(offsetOf(request))
        .execute()
      return { ...request, items: rows.map(toSession), total }
    },

    async linkTrace(link: {
      agentId: string
      checkpointId: string
      traceId: string
    }): Promise<void> {
      const owner = await ownerOf(link.checkpointId)
      if (owner?.agent_id !== link.agentId) return
      await q
        .updateTable('checkpoint')
        .set({ linked_trace_id: link.traceId })
        .where('agent_id', '=', link.agentId)
        .where('position', '=', owner.position)
        .execute()
    },

    async deleteOfAgent(agentId: string): Promise<void> {
      await asPurger(db, async () => {
        await q.deleteFrom('checkpoint').where('agent_id', '=', agentId).execute()
        await q.deleteFrom('checkpoint_owner').where('agent_id', '=', agentId).execute()
      })
      await q.deleteFrom('checkpoint_session').where('agent_id', '=', agentId).execute()
      await q.deleteFrom('chain_head').where('agent_id', '=', agentId).execute()
    },
  }
}

function matching(q: Kysely<CheckpointTables>, filter: CheckpointFilter) {
  const { verdict, sessionId, synthetic, flagged, from, to } = filter
  let rows = q.selectFrom('checkpoint').where('agent_id', '=', filter.agentId)
  if (verdict !== undefined) rows = rows.where('verdict', '=', verdict)
  if (sessionId !== undefined) rows = rows.where('session_id', '=', sessionId)
  if (synthetic !== undefined) {
    rows = rows.where('synthetic_reason', synthetic ? 'is not' : 'is', null)
  }
  if (flagged !== undefined) rows = rows.where(sql<boolean>`(flags <> '{}') = ${flagged}`)
  if (from !== undefined) rows = rows.where('occurred_at', '>=', from)
  if (to !== undefined) rows = rows.where('occurred_at', '<=', to)
  return rows
}

function toSealed(row: CheckpointRow): SealedCheckpoint {
  return {
    checkpoint: {
      checkpointId: row.checkpoint_id,
      agentId: row.agent_id,
      sessionId: row.session_id,
      cardId: row.card_id,
      timestamp: row.occurred_at,
      createdAt: row.created_at,
      provider: row.provider,
      model: row.model,
      verdict: row.verdict,
      violationType: row.violation_type,
      concerns: row.concerns as Concern[],
      reasoningSummary: row.reasoning_summary,
      conscienceContext: row.conscience_context as ConscienceContext,
      windowPosition:
        row.window_index === null || row.window_size === null
          ? null
          : { index: row.window_index, window_size: row.window_size },
      analyzer: row.analyzer,
      analysisModel: row.analysis_model,
      durationMs: row.analysis_duration_ms,
      confidence: row.confidence,
      details: row.analysis_details as AnalysisDetails,
      syntheticReason: row.synthetic_reason,
      crossValidationWarnings: row.cross_validation_warnings,
      flags: row.flags as Flag[],
      excluded: row.excluded,
      hashes: {
        thinking: row.thinking_hash.toString('hex'),
        output: row.output_hash?.toString('hex') ?? null,
        card: row.card_hash.toString('hex'),
        values: row.values_hash.toString('hex'),
        context: row.context_hash.toString('hex'),
      },
      templateVersion: row.template_version,
      linkedTraceId: row.linked_trace_id,
      reclassification: row.reclassification,
    },
    seal: {
      position: row.position,
      previous: row.previous_hash?.toString('hex') ?? null,
      recordHash: row.record_hash.toString('hex'),
      chainHash: row.chain_hash.toString('hex'),
      leafIndex: row.leaf_index,
    },
  }
}

const HASH_BYTES = 32

export function toHead(row: HeadRow): Head {
  const edge: Buffer[] = []
  for (let at = 0; at < row.edge.length; at += HASH_BYTES) {
    edge.push(row.edge.subarray(at, at + HASH_BYTES))
  }
  return {
    agentId: row.agent_id,
    length: row.length,
    chainHash: row.chain_hash?.toString('hex') ?? null,
    leafCount: row.leaf_count,
    edge,
    recentAt: row.recent_at.map((time) => new Date(Number(time))),
    counts: {
      verdicts: {
        clear: row.clear_count,
        review_needed: row.review_count,
        boundary_violation: row.violation_count,
      },
      excluded: row.excluded_count,
      sessions: row.session_count,
      sessionsScored: row.sessions_scored,
      sessionsUnstable: row.sessions_unstable,
    },
    latestVerdict: row.latest_verdict,
    leafAt: row.leaf_at,
    closed: row.closed,
  }
}

export function toSession(row: SessionRow): Session {
  return {
    agentId: row.agent_id,
    sessionId: row.session_id,
    checkpointCount: row.checkpoint_count,
    verdicts: {
      clear: row.clear_count,
      review_needed: row.review_count,
      boundary_violation: row.violation_count,
    },
    scoredCount: row.scored_count,
    windowPositions: row.window_positions.map(Number),
    streak: row.streak as Streak | null,
    calm: row.calm,
    alerted: row.alerted,
    unstable: row.unstable,
    traceDrift: row.trace_drift,
    startedAt: row.started_at,
    lastAt: row.last_at,
  }
}
