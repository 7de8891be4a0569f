import type pg from 'pg'
import { median, type Row } from './report.ts'
import { seedPopulation } from './scored-agents.ts'

const TRUSTING = 100_000
/** The most agents that a correction propagates to (spec: control §1.4). */
const REACHED = 50
const PROBES = 18
const WARM_UP_PROBES = 3

const HUB = 'bench-hub-1'
const OTHER = 'bench-hub-2'

/** Our own limit, without the recomputes that follow. */
const PROPAGATION_MS_MAX = 10

type Service = {
  origin: string
  headers: Record<string, string>
  orgId: string
  metricsAddr: string
}

/**
 * Measures the propagation of a correction, which the service times separately from the recomputes
 * that follow, and the whole correction including them. Compares an agent that very many agents
 * trust with one that only as many trust as a correction reaches.
 */
export async function hubRows(client: pg.Client, service: Service): Promise<Row[]> {
  await seed(client, service.orgId)
  const { rows } = await client.query<{ agent_id: string; checkpoint_id: string }>(
    `select agent_id, checkpoint_id from checkpoint
     where agent_id = any($1) and verdict = 'boundary_violation' order by position`,
    [[HUB, OTHER]],
  )
  const taken: Record<string, number[]> = { [HUB]: [], [OTHER]: [] }
  const propagation: number[] = []
  for (let probe = 0; probe < PROBES + WARM_UP_PROBES; probe += 1) {
    for (const hub of [HUB, OTHER]) {
      const own = rows.filter(({ agent_id }) => agent_id === hub)
      const before = await propagations(service)
      const ms = await correct(service, hub, own[probe]?.checkpoint_id ?? '')
      const after = await propagations(service)
      if (after.count !== before.count + 1) throw new Error('the correction did not propagate')
      if (probe < WARM_UP_PROBES) continue
      taken[hub]?.push(ms)
      if (hub === HUB) propagation.push((after.seconds - before.seconds) * 1000)
    }
  }
  const medianOf = (hub: string) => median(taken[hub] ?? [])
  return [
    {
      what: `propagation from a hub trusted by ${TRUSTING.toLocaleString('en')} agents`,
      unit: 'ms',
      ours: median(propagation),
      peer: PROPAGATION_MS_MAX,
      peerName: 'our maximum',
    },
    {
      what: `correction at a hub trusted by ${TRUSTING.toLocaleString('en')} agents`,
      unit: 'ms',
      ours: medianOf(HUB),
      peer: medianOf(OTHER),
      peerName: `at a hub trusted by ${REACHED}`,
    },
  ]
}

async function seed(client: pg.Client, orgId: string): Promise<void> {
  const trusting = { prefix: 'bench-trusting-', agents: TRUSTING, checkpoints: 200, rows: false }
  await seedPopulation(client, orgId, trusting)
  await seedPopulation(client, orgId, {
    prefix: 'bench-hub-',
    agents: 2,
    checkpoints: 2000,
    rows: true,
  })
  await client.query(
    `insert into checkpoint_owner (checkpoint_id, agent_id, position)
     select checkpoint_id, agent_id, position from checkpoint where agent_id = any($1)`,
    [[HUB, OTHER]],
  )
  // Disables the triggers that reject updates, because these rows are generated.
  await client.query('set session_replication_role = replica')
  await client.query(
    `update checkpoint set violation_type = 'UNBOUNDED_ACTION'
     where agent_id = any($1) and verdict = 'boundary_violation'`,
    [[HUB, OTHER]],
  )
  await client.query('reset session_replication_role')
  for (const [hub, count] of [
    [HUB, TRUSTING],
    [OTHER, REACHED],
  ]) {
    await client.query(
      `insert into trust_edge (edge_id, source_agent_id, target_agent_id, trust_rank, created_at)
       select $1 || '-' || n, 'bench-trusting-' || n, $1, n % 3, now()
       from generate_series(1, $2::int) as n`,
      [hub, count],
    )
  }
  await client.query('vacuum analyze agent, chain_head, checkpoint, trust_edge')
}

/** Reclassifies a checkpoint; returns the milliseconds of the recompute that propagates it. */
async function correct(service: Service, hub: string, checkpointId: string): Promise<number> {
  const reason = 'The card lacked it.'
  await post(service, `/v1/agents/${hub}/reclassify`, {
    checkpoint_id: checkpointId,
    new_type: 'card_gap',
    reason,
  })
  const startedAt = performance.now()
  await post(service, `/v1/reputation/${hub}/recompute`, {})
  return performance.now() - startedAt
}

async function propagations({ metricsAddr }: Service): Promise<{ seconds: number; count: number }> {
  const text = await (await fetch(`http://${metricsAddr}/metrics`)).text()
  const read = (part: string) =>
    Number(
      new RegExp(`^touchstone_propagation_duration_seconds_${part} (.+)$`, 'm').exec(text)?.[1],
    )
  return { seconds: read('sum'), count: read('count') }
}

async function post({ origin, headers }: Service, path: string, body: object): Promise<void> {
  const answer = await fetch(origin + path, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text.slice(0, 300)}`)
}
