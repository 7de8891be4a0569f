import { median, type Row } from './report.ts'

/** The most agents that one request compares (spec: fleet §1.3). */
const AGENTS = 200
const FLEETS = 3
/** Our own limit, including the ledger entries of all pairs. */
const MS_MAX = 400

const VALUES = Array.from({ length: 40 }, (_, n) => `value_${n}`)

/** Declares eight of forty values, different for each agent, and conflicts with one. */
function cardOf(number: number): object {
  const valueAt = (place: number) => VALUES[(number * 7 + place * 5) % VALUES.length]
  return {
    principal: { type: 'organization', relationship: 'delegated_authority' },
    values: {
      declared: [0, 1, 2, 3, 4, 5, 6, 7].map(valueAt),
      conflicts_with: [VALUES[(number * 11 + 3) % VALUES.length]],
    },
    autonomy_envelope: { bounded_actions: ['search'] },
    audit_commitment: { retention_days: 90, queryable: false },
  }
}

export type Target = { url: string; orgId: string; headers: Record<string, string> }

/** Measures the coherence endpoint for fleets that are not cached. */
export async function fleetCoherenceRow(target: Target): Promise<Row> {
  const times: number[] = []
  for (let fleet = 0; fleet < FLEETS; fleet += 1) {
    const agentIds: string[] = []
    for (let number = 0; number < AGENTS; number += 1) {
      const agent_id = `fleet-${fleet}-${number}`
      await send(target, '/v1/agents', { agent_id, card: cardOf(number) })
      agentIds.push(agent_id)
    }
    times.push(await timed(target, agentIds))
  }
  return {
    what: `coherence of ${AGENTS} agents, ledger included`,
    unit: 'ms',
    ours: median(times),
    peer: MS_MAX,
    peerName: 'our maximum',
  }
}

async function timed({ url, orgId, headers }: Target, agentIds: readonly string[]) {
  const query = `agent_ids=${agentIds.join(',')}`
  const startedAt = performance.now()
  const answer = await fetch(`${url}/v1/orgs/${orgId}/coherence?${query}`, { headers })
  const body = (await answer.json()) as { pair_count?: number; cached?: boolean }
  const ms = performance.now() - startedAt
  const pairs = (AGENTS * (AGENTS - 1)) / 2
  if (body.pair_count !== pairs || body.cached !== false) {
    throw new Error(`expected ${pairs} uncached pairs: ${answer.status} ${JSON.stringify(body)}`)
  }
  return ms
}

async function send({ url, headers }: Target, path: string, body: object): Promise<void> {
  const answer = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
}
