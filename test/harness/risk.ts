import { COMPONENTS, compositeScore } from '@touchstone/protocol/score'
import { sql } from 'kysely'
import type { TestApp } from './app.ts'
import { scoreWorld } from './scores.ts'

/** Five component scores in the published order. */
export type Components = readonly [number, number, number, number, number]

export type Assessed = {
  agent_id: string
  card?: object
  /** The number of checkpoints in the scoring set. */
  n: number
  /** The published component scores; without them, no score is published. */
  components?: Components | undefined
  /** The published score, regardless of the components. */
  reputation?: number
  violations?: readonly { severity: string; days: number; cardGap?: boolean }[]
  visibility?: string
}

export type RiskWorld = Awaited<ReturnType<typeof riskWorld>>

/** A test world whose agents have the history that an example describes, seeded directly. */
export async function riskWorld(env: Record<string, string> = {}) {
  const w = await scoreWorld(env)
  const { t, key } = w
  return {
    ...w,

    async agent(given: Assessed, token = key): Promise<string> {
      const { agent_id, card, n, violations = [], visibility = 'public' } = given
      const agentId = await w.newAgent(
        { agent_id, visibility, ...(card === undefined ? {} : { card }) },
        token,
      )
      await w.seed(agentId, {
        clear: n - violations.length,
        violations: violations.map(({ severity, days, cardGap = false }, at) => {
          return { hours: 24 * days + 1, sessionId: `s${at}`, severity, cardGap }
        }),
      })
      if (given.components !== undefined) await publish(t, agentId, given)
      return agentId
    },

    assess: (agentId: string, context: object, call: { token?: string; body?: object } = {}) =>
      t.call('POST', '/v1/risk/assess', {
        token: call.token ?? key,
        body: { agent_id: agentId, context, ...call.body },
      }),

    assessTeam: (body: object, token = key) =>
      t.call('POST', '/v1/risk/assess/team', { token, body }),

    /** Sets the plan of the first organisation. */
    async setPlan(planId: string, limits: object = {}): Promise<void> {
      const url = `/v1/admin/orgs/${t.first.org_id}/plan`
      const body = { plan_id: planId, status: 'active', limits }
      const { status } = await t.call('PUT', url, { token: await t.ownerToken(), body })
      if (status !== 200) throw new Error(`the plan was not set: ${status}`)
    },
  }
}

async function publish(t: TestApp, agentId: string, given: Assessed): Promise<void> {
  const { components: scores = [0, 0, 0, 0, 0], n } = given
  const components = COMPONENTS.map(({ key }, at) => ({ key, score: scores[at] ?? 0 }))
  const byKey = Object.fromEntries(components.map(({ key, score }) => [key, score]))
  const score = given.reputation ?? compositeScore(byKey as Parameters<typeof compositeScore>[0])
  await sql`insert into score (agent_id, score, grade, tier, confidence, checkpoint_count,
      trend_30d, components, basis, chain_length, tree_size, root, computed_at)
    values (${agentId}, ${score}, 'A', 'Reliable', 'high', ${n}, 0,
      ${JSON.stringify(components)}, '{}', ${n}, ${n}, '', ${t.clock.now()})
    on conflict (agent_id) do update set score = excluded.score,
      components = excluded.components`.execute(t.app.kernel.db)
}

type CardFields = { declared: string; conflicts?: string; bounded: string; forbidden?: string }

const words = (text = '') => text.split(' ').filter((word) => word !== '')

const cardOf = (fields: CardFields) => ({
  principal: { type: 'organization', relationship: 'delegated_authority' },
  values: {
    declared: words(fields.declared),
    conflicts_with: words(fields.conflicts),
    definitions: Object.fromEntries(
      words(fields.declared).map((one) => [one, { description: one }]),
    ),
    hierarchy: 'lexicographic',
  },
  autonomy_envelope: {
    bounded_actions: words(fields.bounded),
    forbidden_actions: words(fields.forbidden),
  },
  audit_commitment: { retention_days: 90, queryable: true },
})

/** The three agents of spec: risk §2.7. */
export const TEAM: readonly Assessed[] = [
  {
    agent_id: 'agent-a',
    n: 1200,
    reputation: 903,
    components: [950, 1000, 960, 900, 410],
    card: cardOf({
      declared: 'transparency privacy accuracy',
      conflicts: 'data_hoarding',
      bounded: 'search summarize send_report',
      forbidden: 'delete_records',
    }),
  },
  {
    agent_id: 'agent-b',
    n: 347,
    reputation: 806,
    components: [920, 850, 700, 650, 625],
    violations: [{ severity: 'high', days: 10 }],
    card: cardOf({
      declared: 'transparency accuracy speed',
      bounded: 'search send_report delete_records',
    }),
  },
  {
    agent_id: 'agent-c',
    n: 80,
    reputation: 716,
    components: [780, 600, 800, 700, 535],
    violations: [
      { severity: 'critical', days: 5 },
      { severity: 'medium', days: 20 },
    ],
    card: cardOf({
      declared: 'speed accuracy data_hoarding transparency',
      conflicts: 'privacy',
      bounded: 'search archive',
      forbidden: 'send_report',
    }),
  },
]
