import { findRunning } from '@touchstone/server/embedded'
import { createTextGenerator, type Request, send } from './ingest-load.ts'
import { markAudited } from './large-agent.ts'
import { median, type Row, report } from './report.ts'
import { createDataFolder, credentialsIn, startService } from './service.ts'

const PORT = 8919
const ORIGIN = `http://127.0.0.1:${PORT}`
const SMALL = 1000
const LARGE = 100_000
const BATCH = 50
const CONNECTIONS = 4
/** Checkpoints since the last audit: the most that one batch request accepts, equal for both agents. */
const TAIL = BATCH
/** Older checkpoints that an answer recomputes. */
const SAMPLED = 200
const PROBES = 60
const WARM_UP_PROBES = 10
/** Our own limit: with 200 checkpoints of the past and the tail recomputed. */
const VERIFY_MS_MAX = 60

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

function batchOf(agentId: string): Request {
  const checkpoints = Array.from({ length: BATCH }, () => ({ agent_id: agentId, thinking: text() }))
  return { path: '/v1/checkpoints/batch', body: JSON.stringify({ checkpoints }) }
}

/** Creates a rated agent with a history of this size, audited except for its tail. */
async function prepare(agentId: string, size: number) {
  await call('POST', '/v1/agents', { agent_id: agentId })
  // Sent to the service, because an answer verifies the records and signatures of its sample.
  const target = { origin: ORIGIN, key, connections: CONNECTIONS }
  await send(
    target,
    Array.from({ length: size / BATCH }, () => batchOf(agentId)),
  )
  await markAudited(databaseUrl, agentId)
  await send(target, [batchOf(agentId)])
  process.stdout.write('.')
  return { agentId, costs: { fresh: [] as number[], again: [] as number[] } }
}

type Agent = Awaited<ReturnType<typeof prepare>>

type Verified = { verified: boolean; checked: { since_audit: number; sampled: number } }

async function timed(agentId: string): Promise<number> {
  const startedAt = performance.now()
  const answer = await call<Verified>('GET', `/v1/reputation/${agentId}/verify`)
  const ms = performance.now() - startedAt
  const { since_audit: sinceAudit, sampled } = answer.checked
  if (!answer.verified || sinceAudit !== TAIL || sampled !== SAMPLED) {
    throw new Error(`${agentId} was not verified: ${JSON.stringify(answer)}`)
  }
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

const rowOf = (what: string, kind: keyof Agent['costs']): Row => {
  const [ours, peer] = [median(large.costs[kind]), median(small.costs[kind])]
  return { what, unit: 'ms', ours, peer, peerName: 'at 1,000' }
}
const fresh = rowOf('GET verify at 100,000 checkpoints', 'fresh')
report('verify', [
  fresh,
  { ...fresh, peer: VERIFY_MS_MAX, peerName: 'our maximum' },
  rowOf('GET verify again within 10 s', 'again'),
])
