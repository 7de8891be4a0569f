import type { Verdict } from '@touchstone/protocol/analysis'
import { edgeOf, type Head } from './head.ts'
import type { Session, Streak } from './session.ts'

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
  hour_from: Date | null
  hour_count: number
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

export function toHead(row: HeadRow): Head {
  return {
    agentId: row.agent_id,
    length: row.length,
    chainHash: row.chain_hash?.toString('hex') ?? null,
    leafCount: row.leaf_count,
    edge: edgeOf(row.edge),
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
    hour: row.hour_from === null ? null : { from: row.hour_from, analysed: row.hour_count },
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
