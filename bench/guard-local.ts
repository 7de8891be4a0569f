import { createTouchstone } from '@touchstone/sdk'
import { createGuard } from '@touchstone/sdk/guard'
import { createLocalPolicy } from '@touchstone/sdk/local-policy'
import { policyFixture } from './policy-fixture.ts'
import { median, type Row } from './report.ts'
import { createDataFolder, credentialsIn, startService } from './service.ts'

const PORT = 8942
const AGENT = 'bench-local'
const ROUNDS = 9
const CALLS = 5_000
/** Our own limit for a decision by the local policy. */
const LOCAL_US_MAX = 100

/** Measures how long a guard takes to allow a call with a local policy of 220 globs. */
export async function localRows(): Promise<Row[]> {
  const data = createDataFolder()
  const service = await startService(data.dir, PORT)
  try {
    const token = credentialsIn(data.dir).api_key
    const client = createTouchstone({ baseUrl: `http://127.0.0.1:${PORT}`, token })
    const { policy, card, tools } = policyFixture()
    await client.agents.create({ agent_id: AGENT, card: { ...CARD, ...card } })
    await client.policies.put(AGENT, policy)
    // Prevents a refresh during the measurement.
    const local = createLocalPolicy({
      client,
      agentId: AGENT,
      refreshMs: 600_000,
      staleMs: 600_000,
    })
    await local.refresh()
    const guard = createGuard({ client, agentId: AGENT, local })
    const mapped = tools.slice(0, 7)
    const check = async (count: number) => {
      const tool = mapped[count % mapped.length] ?? ''
      const startedAt = performance.now()
      const verdict = await guard.check({ tool, arguments: { order: count, amount: 20 } })
      const tookMs = performance.now() - startedAt
      if (verdict.source !== 'local') throw new Error(`${tool} was not decided locally`)
      return tookMs
    }
    return await rowsOf(check)
  } finally {
    await service.stop()
    data.remove()
  }
}

const CARD = {
  principal: { type: 'organization', relationship: 'delegated_authority' },
  values: { declared: ['honesty'] },
  audit_commitment: { retention_days: 30, queryable: false },
}

async function rowsOf(check: (count: number) => Promise<number>): Promise<Row[]> {
  const medians: number[] = []
  const tails: number[] = []
  for (let round = 0; round <= ROUNDS; round += 1) {
    const took: number[] = []
    for (let count = 0; count < CALLS; count += 1) took.push((await check(count)) * 1000)
    // The first round is a warm-up.
    if (round === 0) continue
    medians.push(median(took))
    tails.push(took.sort((a, b) => a - b)[Math.floor(CALLS * 0.99)] ?? 0)
  }
  const common = { unit: 'µs', peer: LOCAL_US_MAX, peerName: 'our maximum' }
  const what = 'decision by the local policy'
  return [
    { ...common, what: `${what}, p50`, ours: median(medians) },
    { ...common, what: `${what}, p99`, ours: median(tails) },
  ]
}
