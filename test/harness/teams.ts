import { sql } from 'kysely'
import { expect } from 'vitest'
import {
  createAssessmentLedger,
  type TeamAssessment,
} from '../../packages/server/src/areas/fleet/team-reputation/ledger-service.ts'
import { scoreWorld } from './scores.ts'

type CardFields = { declared: string; conflicts?: string; bounded: string; forbidden?: string }

const words = (text = '') => text.split(' ').filter((word) => word !== '')

const cardOf = ({ declared, conflicts, bounded, forbidden }: CardFields) => ({
  principal: { type: 'organization', relationship: 'delegated_authority' },
  values: { declared: words(declared), conflicts_with: words(conflicts) },
  autonomy_envelope: { bounded_actions: words(bounded), forbidden_actions: words(forbidden) },
  audit_commitment: { retention_days: 90, queryable: false },
})

/** The three cards of spec: risk §2.7. */
export const CARDS = {
  a: cardOf({
    declared: 'transparency privacy accuracy',
    conflicts: 'data_hoarding',
    bounded: 'search summarize send_report',
    forbidden: 'delete_records',
  }),
  b: cardOf({
    declared: 'transparency accuracy speed',
    bounded: 'search send_report delete_records',
  }),
  c: cardOf({
    declared: 'speed accuracy data_hoarding transparency',
    conflicts: 'privacy',
    bounded: 'search archive',
    forbidden: 'send_report',
  }),
}

export type TeamWorld = Awaited<ReturnType<typeof teamWorld>>

/** The service with agents, and helpers for teams of them. */
export async function teamWorld(env: Record<string, string> = {}) {
  const w = await scoreWorld(env)
  const { t, key } = w
  let agents = 0
  let teams = 0
  let assessments = 0
  const ledger = createAssessmentLedger(t.app.kernel)

  const newAgents = async (count: number, changes: object = {}): Promise<string[]> => {
    const ids: string[] = []
    for (let n = 0; n < count; n += 1) {
      agents += 1
      ids.push(
        await w.newAgent({ agent_id: `member-${String(agents).padStart(4, '0')}`, ...changes }),
      )
    }
    return ids
  }

  const call = (method: string, url: string, body?: unknown, token: string | undefined = key) =>
    t.call(method, url, { token, ...(body === undefined ? {} : { body }) })

  return {
    ...w,
    newAgents,
    call,

    create: (body: object, token = key) =>
      call('POST', '/v1/teams', { org_id: t.first.org_id, ...body }, token),

    /** Creates a team of two new agents, unless agents are given. */
    async newTeam(given: object = {}): Promise<{ teamId: string; agentIds: string[] }> {
      teams += 1
      const agentIds = 'agent_ids' in given ? [] : await newAgents(2)
      const body = { org_id: t.first.org_id, name: `Team ${teams}`, agent_ids: agentIds, ...given }
      const created = await call('POST', '/v1/teams', body)
      expect(created.status, created.text).toBe(201)
      return {
        teamId: created.body.team.id,
        agentIds: created.body.members.map((one: { agent_id: string }) => one.agent_id),
      }
    },

    /** Records a team assessment in the reputation ledger, without running the assessment. */
    async assess(teamId: string, given: Partial<TeamAssessment> = {}): Promise<boolean> {
      assessments += 1
      const assessment: TeamAssessment = {
        teamId,
        assessmentId: `tra-${assessments}`,
        createdAt: t.clock.now(),
        coherence: 800_000,
        structuralRisk: 100_000,
        level: 'low',
        ...given,
      }
      return t.app.kernel.db.transaction().execute((tx) => ledger.append(tx, assessment))
    },

    /** Advances past the computation window and runs everything that is due. */
    async nextWindow(): Promise<void> {
      t.clock.advance(60_000)
      await t.settle()
    },

    async teamEvents(teamId: string): Promise<{ type: string; data: Record<string, unknown> }[]> {
      const found = await sql<{ type: string; data: Record<string, unknown> }>`
        select type, data from event where data ->> 'team_id' = ${teamId}
        order by created_at, type, data ->> 'agent_id'`.execute(t.app.kernel.db)
      return found.rows
    },
  }
}
