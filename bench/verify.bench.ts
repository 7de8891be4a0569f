import { findRunning } from '@touchstone/server/embedded'
import { createTextGenerator } from './ingest-load.ts'
import { markAudited, seedHistory } from './large-agent.ts'
import { median, type Row, report } from './report.ts'
import { createDataFolder, credentialsIn, startService } from './service.ts'

const PORT = 8919
const ORIGIN = `http://127.0.0.1:${PORT}`
const SMALL = 1000
const LARGE = 100_000
/** Checkpoints since the last audit: the most that one batch request accepts, equal for both agents. */
const TAIL = 50
const PROBES = 60
const WARM_UP_PROBES = 10
/** Our own limit: how much more a long history may cost than a short one. */
const RATIO_MAX = 1.5

const folder = createDataFolder()
const service = await startService(folder.dir, PORT, ['--role', 'api'])
const { api_key: key } = credentialsIn(folder.dir)
const databaseUrl = (await findRunning(folder.dir)) ?? ''
const text = createTextGenerator()

async function call<Body>(method: string, path: string, body?: object): Promise<Body> {
  const answer = await fetch(`${ORIGIN}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as Body
}

/** Creates a rated agent with a history of this size, audited except for its tail. */
async function prepare(agentId: string, size: number) {
  const created = await call<{ agent: { card_id: string } }>('POST', '/v1/agents', {
    agent_id: agentId,
  })
  await seedHistory(databaseUrl, { agentId, cardId: created.agent.card_id }, size)
  await markAudited(databaseUrl, agentId)
  const now = Date.now()
  await call('POST', '/v1/checkpoints/batch', {
    checkpoints: Array.from({ length: TAIL }, (_, n) => ({
      agent_id: agentId,
      thinking: text(),
      timestamp: new Date(now - 600_000 + n * 10_000 + (n % 5) * 700).toISOString(),
    })),
  })
  process.stdout.write('.')
  return { agentId, costs: { fresh: [] as number[], again: [] as number[] } }
}

type Agent = Awaited<ReturnType<typeof prepare>>

async function timed(agentId: string): Promise<number> {
  const startedAt = performance.now()
  const { verified } = await call<{ verified: boolean }>('GET', `/v1/reputation/${agentId}/verify`)
  const ms = performance.now() - startedAt
  if (!verified) throw new Error(`${agentId} was not verified`)
  return ms
}

/** A new score invalidates the cached response, so the first request is a cache miss. */
async function probe({ agentId, costs }: Agent, counts: boolean): Promise<void> {
  await call('POST', `/v1/reputation/${agentId}/recompute`, {})
  const [fresh, again] = [await timed(agentId), await timed(agentId)]
  if (!counts) return
  costs.fresh.push(fresh)
  costs.again.push(again)
}

const small = await prepare('bench-small', SMALL)
const large = await prepare('bench-large', LARGE)
for (let i = 0; i < PROBES + WARM_UP_PROBES; i += 1) {
  // The first probes only warm the caches. Alternates, so that other load affects both alike.
  await probe(small, i >= WARM_UP_PROBES)
  await probe(large, i >= WARM_UP_PROBES)
}
await service.stop()
folder.remove()

const rowsOf = (what: string, kind: keyof Agent['costs']): Row[] => {
  const [ours, peer] = [median(large.costs[kind]), median(small.costs[kind])]
  return [
    { what, unit: 'ms', ours, peer, peerName: 'at 1,000' },
    {
      what,
      unit: 'ms',
      ours,
      peer: RATIO_MAX * peer,
      peerName: `our maximum, ${RATIO_MAX} × that`,
    },
  ]
}
report('verify', [
  ...rowsOf('GET verify at 100,000 checkpoints', 'fresh'),
  ...rowsOf('GET verify again, cached', 'again'),
])
