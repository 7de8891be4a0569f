import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import type { Mode, Status, Visibility } from './agent.ts'

export const NUDGE_STRATEGIES = ['always', 'sampling', 'threshold', 'off'] as const

/** Selects the checkpoints that an agent is nudged about. */
export type Nudging = {
  strategy: (typeof NUDGE_STRATEGIES)[number]
  /** For sampling: the percentage of checkpoints. */
  rate: number
  /** For threshold: the first non-clear checkpoint of a session to nudge about. */
  threshold: number
}

/** The enforcement mode and containment status of an agent. */
export type Control = {
  agentId: string
  orgId: string
  status: Status
  enforcementMode: Mode
  nudging: Nudging
  autoContainmentThreshold: number | null
}

type ControlTables = {
  agent: {
    agent_id: string
    org_id: string
    status: Status
    status_before: Status | null
    visibility: Visibility
    enforcement_mode: Mode
    nudge_strategy: Nudging['strategy']
    nudge_rate: number
    nudge_threshold: number
    auto_containment_threshold: number | null
    provider: string | null
    model: string | null
    card_version: number
    last_seen_at: Date | null
    updated_at: Date
  }
}

const CONTROL = [
  'agent_id',
  'org_id',
  'status',
  'enforcement_mode',
  'nudge_strategy',
  'nudge_rate',
  'nudge_threshold',
  'auto_containment_threshold',
] as const

type ControlRow = Pick<ControlTables['agent'], (typeof CONTROL)[number]>

export function createControlStore(db: Db) {
  const q = db.withTables<ControlTables>()
  const one = (agentId: string) =>
    q.selectFrom('agent').select(CONTROL).where('agent_id', '=', agentId)
  const set = async (agentId: string, changes: Partial<ControlTables['agent']>) => {
    await q.updateTable('agent').set(changes).where('agent_id', '=', agentId).execute()
  }
  return {
    /** Without a lock. Includes the status of an archived agent before it was archived. */
    async listStandings(agentIds: readonly string[]) {
      const rows = await q
        .selectFrom('agent')
        .select(['agent_id', 'org_id', 'visibility', 'status', 'status_before', 'card_version'])
        .where('agent_id', '=', sql<string>`any(${agentIds})`)
        .execute()
      return rows.map((row) => ({
        agentId: row.agent_id,
        orgId: row.org_id,
        visibility: row.visibility,
        status: row.status,
        statusBefore: row.status_before,
        cardVersion: row.card_version,
      }))
    },

    async find(agentId: string): Promise<Control | undefined> {
      const row = await one(agentId).executeTakeFirst()
      return row && toControl(row)
    },

    async lock(agentId: string): Promise<Control | undefined> {
      const row = await one(agentId).forUpdate().executeTakeFirst()
      return row && toControl(row)
    },

    /** Locks in order of agent id, to prevent deadlocks. */
    async lockAll(agentIds: readonly string[]): Promise<void> {
      await q
        .selectFrom('agent')
        .select('agent_id')
        .where('agent_id', '=', sql<string>`any(${agentIds})`)
        .orderBy('agent_id')
        .forUpdate()
        .execute()
    },

    setEnforcement: (agentId: string, mode: Mode, nudging: Nudging, now: Date): Promise<void> =>
      set(agentId, {
        enforcement_mode: mode,
        nudge_strategy: nudging.strategy,
        nudge_rate: nudging.rate,
        nudge_threshold: nudging.threshold,
        updated_at: now,
      }),

    setStatus: (agentId: string, status: Status, now: Date): Promise<void> =>
      set(agentId, { status, updated_at: now }),

    setAutoContainment: (agentId: string, threshold: number | null, now: Date): Promise<void> =>
      set(agentId, { auto_containment_threshold: threshold, updated_at: now }),

    /** On the path of every submission, so only the columns that it needs. */
    async listIngesting(orgId: string, agentIds: readonly string[]) {
      const rows = await q
        .selectFrom('agent')
        .select(CONTROL)
        .select(['last_seen_at', 'provider', 'model', 'card_version'])
        .where('agent_id', '=', sql<string>`any(${agentIds})`)
        .where('org_id', '=', orgId)
        .execute()
      return rows.map((row) => ({
        ...toControl(row),
        lastSeenAt: row.last_seen_at,
        provider: row.provider,
        model: row.model,
        cardVersion: row.card_version,
      }))
    },
  }
}

function toControl(row: ControlRow): Control {
  return {
    agentId: row.agent_id,
    orgId: row.org_id,
    status: row.status,
    enforcementMode: row.enforcement_mode,
    nudging: {
      strategy: row.nudge_strategy,
      rate: row.nudge_rate,
      threshold: row.nudge_threshold,
    },
    autoContainmentThreshold: row.auto_containment_threshold,
  }
}
