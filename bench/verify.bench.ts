import { findRunning } from '@touchstone/server/embedded'
import { createTexts } from './ingest-load.ts'
import { markAudited, seedHistory } from './large-agent.ts'
import { median, type Row, report } from './report.ts'
import { credentialsIn, dataFolder, startService } from './service.ts'

const PORT = 8919
const ORIGIN = `http://127.0.0.1:${PORT}`
const SMALL = 1000
const LARGE = 100_000
/** What came since the last audit; as much as a request takes at once, and the same for both. */
const TAIL = 50
const PROBES = 60
const WARMING = 10
/** What we hold ourselves to: a long history may cost so much more than a short one. */
const RATIO_MAX = 1.5

const folder = dataFolder()
const service = await startService(folder.dir, PORT, ['--role', 'api'])
const { api_key: key } = credentialsIn(folder.dir)
const databaseUrl = (await findRunning(folder.dir)) ?? ''
const text = createTexts()

async function call<Body>(method: string, path: string, body?: object): Promise<Body> {
  const answer = await fetch(`${ORIGIN}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as Body
}

/** A rated agent with so long a history, of which all but the tail was audited. */
async function prepare(agentId: string, size: number) {
  const made = await call<{ agent: { card_id: string } }>('POST', '/v1/agents', {
    agent_id: agentId,
  })
  await seedHistory(databaseUrl, { agentId, cardId: made.agent.card_id }, size)
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

/** A new score makes the answer before it worthless, so the first one is proved anew. */
async function probe({ agentId, costs }: Agent, counts: boolean): Promise<void> {
  await call('POST', `/v1/reputation/${agentId}/recompute`, {})
  const [fresh, again] = [await timed(agentId), await timed(agentId)]
  if (!counts) return
  costs.fresh.push(fresh)
  costs.again.push(again)
}

const small = await prepare('bench-small', SMALL)
const large = await prepare('bench-large', LARGE)
for (let i = 0; i < PROBES + WARMING; i += 1) {
  // The first ones only warm the caches. In turns, so that whatever else happens falls on both.
  await probe(small, i >= WARMING)
  await probe(large, i >= WARMING)
}
await service.stop()
folder.remove()

const rowsOf = (what: string, kind: keyof Agent['costs']): Row[] => {
  const [ours, peer] = [median(large.costs[kind]), median(small.costs[kind])]
  return [
    { what, unit: 'ms', ours, peer, peerName: 'at 1,000' },
    { what, unit: 'ms', ours, peer: RATIO_MAX * peer, peerName: `our limit, ${RATIO_MAX} of that` },
  ]
}
report('verify', [
  ...rowsOf('GET verify at 100,000 checkpoints', 'fresh'),
  ...rowsOf('GET verify again, unchanged', 'again'),
])
