import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import { offsetOf, type Page, type PageRequest } from '../../../kernel/db.ts'
import type { AgentId } from '../../../kernel/ids.ts'
import type { Alert, Kind, Resolution, Severity, Status } from './alert.ts'

type DriftTables = {
  drift_alert: {
    agent_id: string
    alert_id: string
    org_id: string
    kind: string
    session_id: string
    card_id: string
    severity: string
    drift_direction: string
    similarity: number
    sustained: number
    evidence_ids: string[]
    baseline_ids: string[]
    followed_ids: string[]
    streak_id: string | null
    detected_at: Date
    resolution: string | null
    resolved_at: Date | null
    acknowledged_by: string | null
  }
}

type AlertRow = DriftTables['drift_alert']

export type AlertFilter = { kind: Kind | undefined; status: Status | undefined }

/** Open integrity alerts are found by session, open trace alerts by card. */
export type OpenAlerts = { agentId: string } & (
  | { kind: 'integrity'; sessionId: string }
  | { kind: 'trace'; cardId: string }
)

/**
 * Upper bound of the alerts that can share a trace with a streak: 500 traces at three or more per
 * alert. Keeps a long history of alerts from being read for every deviating trace.
 */
const SHARING_MAX = 200

export function createAlertStore(db: Db) {
  const q = db.withTables<DriftTables>()
  const ofAgent = (agentId: string) =>
    q.selectFrom('drift_alert').selectAll().where('agent_id', '=', agentId)
  const open = (wanted: OpenAlerts) => {
    const rows = ofAgent(wanted.agentId)
      .where('kind', '=', wanted.kind)
      .where('resolution', 'is', null)
    return wanted.kind === 'integrity'
      ? rows.where('session_id', '=', wanted.sessionId)
      : rows.where('card_id', '=', wanted.cardId)
  }

  return {
    /**
     * Serialises the comparisons of a card's traces, so that no streak is found twice. False if the
     * lock is not acquired within two seconds.
     */
    async lockCard(agentId: string, cardId: string): Promise<boolean> {
      const key = JSON.stringify(['trace drift', agentId, cardId])
      const found = await sql<{ locked: boolean }>`
        select lock_trace_drift(hashtextextended(${key}, 0)) as locked`.execute(q)
      return found.rows[0]?.locked === true
    },

    async insert(alert: Alert): Promise<void> {
      await q.insertInto('drift_alert').values(toRow(alert)).execute()
    },

    async update(alert: Alert): Promise<void> {
      const { agent_id: agentId, alert_id: alertId, ...changed } = toRow(alert)
      await q
        .updateTable('drift_alert')
        .set(changed)
        .where('agent_id', '=', agentId)
        .where('alert_id', '=', alertId)
        .execute()
    },

    async find(alertId: string): Promise<Alert | undefined> {
      const row = await q
        .selectFrom('drift_alert')
        .selectAll()
        .where('alert_id', '=', alertId)
        .executeTakeFirst()
      return row && toAlert(row)
    },

    async lock(alertId: string): Promise<Alert | undefined> {
      const row = await q
        .selectFrom('drift_alert')
        .selectAll()
        .where('alert_id', '=', alertId)
        .forUpdate()
        .executeTakeFirst()
      return row && toAlert(row)
    },

    /** Alerts of the agent, in order of id, which avoids deadlocks. */
    async lockAll(agentId: string, alertIds: readonly string[]): Promise<Alert[]> {
      const rows = await ofAgent(agentId)
        .where('alert_id', '=', sql<string>`any(${alertIds})`)
        .orderBy('alert_id')
        .forUpdate()
        .execute()
      return rows.map(toAlert)
    },

    async lockOfStreak(agentId: string, streakId: string): Promise<Alert[]> {
      const rows = await ofAgent(agentId).where('streak_id', '=', streakId).forUpdate().execute()
      return rows.map(toAlert)
    },

    /** Alerts of the card that name one of these traces, newest first. */
    async lockSharing(
      agentId: string,
      cardId: string,
      traceIds: readonly string[],
    ): Promise<Alert[]> {
      const recent = q
        .selectFrom('drift_alert')
        .select('alert_id')
        .where('agent_id', '=', agentId)
        .where('card_id', '=', cardId)
        .where('kind', '=', 'trace')
        .orderBy('detected_at', 'desc')
        .limit(SHARING_MAX)
      const rows = await ofAgent(agentId)
        .where('alert_id', 'in', recent)
        // A hashed lookup; `&&` would compare every pair of elements.
        .where(
          sql<boolean>`exists (select from unnest(evidence_ids) as held (id)
            where held.id in (select unnest(${traceIds}::text[])))`,
        )
        .orderBy('detected_at', 'desc')
        .orderBy('alert_id')
        .forUpdate()
        .execute()
      return rows.map(toAlert)
    },

    /** Oldest first. */
    async lockOpen(wanted: OpenAlerts): Promise<Alert[]> {
      const rows = await open(wanted)
        .orderBy('detected_at')
        .orderBy('alert_id')
        .forUpdate()
        .execute()
      return rows.map(toAlert)
    },

    async hasOpen(wanted: OpenAlerts): Promise<boolean> {
      return (await open(wanted).limit(1).executeTakeFirst()) !== undefined
    },

    /** Newest first. */
    async list(agentId: string, filter: AlertFilter, request: PageRequest): Promise<Page<Alert>> {
      let rows = q.selectFrom('drift_alert').where('agent_id', '=', agentId)
      if (filter.kind !== undefined) rows = rows.where('kind', '=', filter.kind)
      if (filter.status !== undefined) {
        rows = rows.where('resolution', filter.status === 'open' ? 'is' : 'is not', null)
      }
      const counted = await rows.select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow()
      const items = await rows
        .selectAll()
        .orderBy('detected_at', 'desc')
        .orderBy('alert_id')
        .limit(request.perPage)
        .offset(offsetOf(request))
        .execute()
      return { ...request, items: items.map(toAlert), total: counted.total }
    },

    /** Agents without open alerts are left out. */
    async countOpen(agentIds: readonly string[]): Promise<Map<string, number>> {
      const rows = await q
        .selectFrom('drift_alert')
        .select(['agent_id', sql<number>`count(*)`.as('count')])
        .where('agent_id', '=', sql<string>`any(${agentIds})`)
        .where('resolution', 'is', null)
        .groupBy('agent_id')
        .execute()
      return new Map(rows.map((row) => [row.agent_id, row.count]))
    },

    async deleteOfAgent(agentId: AgentId): Promise<void> {
      await q.deleteFrom('drift_alert').where('agent_id', '=', agentId).execute()
    },
  }
}

function toRow(alert: Alert): AlertRow {
  return {
    agent_id: alert.agentId,
    alert_id: alert.alertId,
    org_id: alert.orgId,
    kind: alert.kind,
    session_id: alert.sessionId,
    card_id: alert.cardId,
    severity: alert.severity,
    drift_direction: alert.direction,
    similarity: alert.similarity,
    sustained: alert.sustained,
    evidence_ids: [...alert.evidenceIds],
    baseline_ids: [...alert.baselineIds],
    followed_ids: [...alert.followedIds],
    streak_id: alert.streakId,
    detected_at: alert.detectedAt,
    resolution: alert.resolution,
    resolved_at: alert.resolvedAt,
    acknowledged_by: alert.acknowledgedBy,
  }
}

/** The casts are safe, because only this store writes the rows. */
function toAlert(row: AlertRow): Alert {
  return {
    alertId: row.alert_id,
    agentId: row.agent_id,
    orgId: row.org_id,
    kind: row.kind as Kind,
    sessionId: row.session_id,
    cardId: row.card_id,
    severity: row.severity as Severity,
    direction: row.drift_direction,
    similarity: row.similarity,
    sustained: row.sustained,
    evidenceIds: row.evidence_ids,
    baselineIds: row.baseline_ids,
    followedIds: row.followed_ids,
    streakId: row.streak_id,
    detectedAt: row.detected_at,
    resolution: row.resolution as Resolution | null,
    resolvedAt: row.resolved_at,
    acknowledgedBy: row.acknowledged_by,
  }
}
