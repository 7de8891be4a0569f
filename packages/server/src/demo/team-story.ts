import type { Client, Step } from './client.ts'
import { WEEKS } from './sessions.ts'

type Teams = {
  care: readonly string[]
  platform: readonly string[]
  who(id: string): string
  inWeek(week: number, hours: number): Date
}

const MADE_IN_WEEK = 1
const ROSTER_WEEK = 6

/** Two teams from their creation on: rosters, cards, and an assessment every few days. */
export function teamSteps({ care, platform, who, inWeek }: Teams): Step[] {
  const ids = new Map<string, string>()
  const make = (key: string, name: string, agent_ids: readonly string[]): Step => ({
    at: inWeek(MADE_IN_WEEK, 8),
    async run({ call, orgId }) {
      const description = 'Demo data. A made-up team of made-up agents.'
      const about = { name, description, visibility: 'public', metadata: { demo: true } }
      const made = await call('POST', '/v1/teams', { org_id: orgId, agent_ids, ...about })
      ids.set(key, made.team.id)
      await call('POST', `/v1/teams/${made.team.id}/card/derive`)
    },
  })
  const of = (key: string) => `/v1/teams/${ids.get(key)}`
  const assess = async ({ call }: Client, key: string) => {
    await call('POST', '/v1/risk/assess/team', {
      team_id: ids.get(key),
      context: { action_type: 'task_delegation', team_task: 'Demo data' },
      prove: false,
    })
  }
  /** Analyses of a team: value conflicts, failure modes and mitigations. */
  const lookInto = async ({ call }: Client, key: string) => {
    const team_id = ids.get(key)
    const { analysis_id } = await call('POST', '/v1/teams/fault-lines', { team_id })
    const about = { team_id, fault_line_analysis_id: analysis_id }
    await call('POST', '/v1/teams/forecast', about)
    await call('POST', '/v1/teams/recommend-policy', { team_id })
  }
  const weeks = Array.from({ length: WEEKS - 2 }, (_, place) => place + 2)
  return [
    make('care', 'Customer care (demo)', care),
    make('platform', 'Platform and data (demo)', platform),
    {
      at: inWeek(MADE_IN_WEEK, 12),
      async run({ call }) {
        const pairs = [...pairsOf(care), ...pairsOf(platform)]
        for (const [agent_a, agent_b] of pairs) {
          await call('POST', '/v1/coherence/check', { agent_a, agent_b })
        }
      },
    },
    {
      at: inWeek(ROSTER_WEEK, 9),
      async run({ call }) {
        await call('POST', `${of('care')}/members`, { agent_ids: [who('demo-claims-anchor')] })
        await call('POST', `${of('platform')}/members`, { agent_ids: [who('demo-invoice-clerk')] })
      },
    },
    ...weeks.flatMap((week) => [
      { at: inWeek(week, 20), run: (client: Client) => assess(client, 'care') },
      { at: inWeek(week, 21), run: (client: Client) => assess(client, 'platform') },
      { at: inWeek(week, 70), run: (client: Client) => assess(client, 'care') },
      { at: inWeek(week, 71), run: (client: Client) => assess(client, 'platform') },
      {
        at: inWeek(week, 72),
        async run({ call }: Client) {
          for (const key of ['care', 'platform'])
            await call('POST', `${of(key)}/reputation/recompute`)
        },
      },
    ]),
    ...['care', 'platform'].map((key) => ({
      at: inWeek(WEEKS - 1, 74),
      run: (client: Client) => lookInto(client, key),
    })),
  ]
}

function pairsOf(ids: readonly string[]): [string, string][] {
  return ids.flatMap((one, place) =>
    ids.slice(place + 1).map((other): [string, string] => [one, other]),
  )
}
