import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AlignmentCard } from '@touchstone/protocol/cards'
import { findFaultLines } from '@touchstone/protocol/intelligence'
import { median, report } from './report.ts'
import { createDataFolder, credentialsIn, startProcess } from './service.ts'

const ROUNDS = 15
const AGENTS = 50
const VALUES = 50
const PORT = 8941
const MODEL_PORT = 8942
/** Our own limit for the computation alone. */
const ANALYSIS_MS_MAX = 50
/** Includes reading 50 cards and storing the analysis and the coherence of all 1,225 pairs. */
const REQUEST_MS_MAX = 200
/** How much slower other requests may become while requests wait for a model. */
const SLOWDOWN_MAX = 1.5
const WAITING = 40
const READS = 300

/** A card with its own selection of `known` values; it never rejects a value that it declares. */
function cardOf(agent: number, known: number): AlignmentCard {
  const valueAt = (at: number) => `value_${(agent * 37 + at * 7) % known}`
  const declared = [...new Set(Array.from({ length: known }, (_, at) => valueAt(at)))]
  return {
    aap_version: '0.5.0',
    agent_id: `bench-agent-${String(agent).padStart(2, '0')}`,
    issued_at: '2026-01-01T00:00:00.000Z',
    principal: { type: 'organization', relationship: 'delegated_authority' },
    values: {
      declared: declared.slice(0, VALUES),
      conflicts_with: declared.slice(VALUES, VALUES + 5),
      hierarchy: 'lexicographic',
    },
    autonomy_envelope: {
      bounded_actions: Array.from({ length: 50 }, (_, at) => `act_${(agent * 11 + at) % 120}`),
    },
    audit_commitment: { trace_format: 'ap-trace-v1', retention_days: 90, queryable: false },
  }
}

/** A card that shares no value with any other, which gives the maximum number of fault lines. */
function distinctCardOf(agent: number): AlignmentCard {
  const card = cardOf(agent, 100)
  const declared = Array.from({ length: VALUES }, (_, at) => `own_${agent}_${at}`)
  return { ...card, values: { ...card.values, declared, conflicts_with: [] } }
}

const team = Array.from({ length: AGENTS }, (_, agent) => cardOf(agent, 100))
const distinctCards = Array.from({ length: AGENTS }, (_, agent) => distinctCardOf(agent))

function timed(cards: readonly AlignmentCard[]): { ms: number; lines: number } {
  const figures: number[] = []
  let lines = 0
  for (let round = 0; round <= ROUNDS; round += 1) {
    const startedAt = performance.now()
    lines = findFaultLines(cards).lines.length
    // The first round is a warm-up.
    if (round > 0) figures.push(performance.now() - startedAt)
  }
  return { ms: median(figures), lines }
}

/** A model that leaves requests unanswered until the end of the measurement. */
const pending: ServerResponse[] = []
const model = createServer((req, res) => {
  req.resume()
  pending.push(res)
})
model.listen(MODEL_PORT, '127.0.0.1')
await once(model, 'listening')

const folder = createDataFolder()
const service = await startProcess(
  [
    new URL('../../packages/server/bin/touchstone.mjs', import.meta.url).pathname,
    'serve',
    '--empty',
  ],
  PORT,
  {
    DATA_DIR: folder.dir,
    RATE_LIMITS: 'off',
    METRICS_ADDR: 'off',
    MODEL_PROVIDER: 'openai',
    MODEL_NAME: 'm',
    MODEL_URL: `http://127.0.0.1:${MODEL_PORT}`,
  },
)
const { api_key: key, org_id } = credentialsIn(folder.dir)
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }

async function send(method: string, path: string, body?: object): Promise<Response> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const answer = await fetch(`http://127.0.0.1:${PORT}${path}`, { method, headers, ...sent })
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  return answer
}

for (const { issued_at: _, ...card } of team) {
  await send('POST', '/v1/agents', { agent_id: card.agent_id, card })
}
const agent_ids = team.map(({ agent_id }) => agent_id)
const created = await send('POST', '/v1/teams', { org_id, name: 'bench', agent_ids })
const team_id = ((await created.json()) as { team: { id: string } }).team.id

const requests: number[] = []
let analysisId = ''
for (let round = 0; round <= ROUNDS; round += 1) {
  const startedAt = performance.now()
  const answer = await send('POST', '/v1/teams/fault-lines', { team_id })
  analysisId = ((await answer.json()) as { analysis_id: string }).analysis_id
  if (round > 0) requests.push(performance.now() - startedAt)
}

async function readMs(): Promise<number> {
  const figures: number[] = []
  for (let i = 0; i < READS; i += 1) {
    const startedAt = performance.now()
    await (await send('GET', `/v1/teams/${team_id}/intelligence`)).text()
    figures.push(performance.now() - startedAt)
  }
  return median(figures)
}

await readMs()
const idleMs = await readMs()
const waiting = Array.from({ length: WAITING }, () =>
  send('POST', '/v1/teams/forecast', { team_id, fault_line_analysis_id: analysisId }),
)
while (pending.length < WAITING) await new Promise((resolve) => setTimeout(resolve, 5))
const busyMs = await readMs()
for (const res of pending) res.writeHead(400).end()
const reasons = await Promise.all(
  waiting.map(
    async (answer) =>
      ((await (await answer).json()) as { fallback_reason: string }).fallback_reason,
  ),
)
if (reasons.some((reason) => reason !== 'http_error')) {
  throw new Error('a forecast did not use the fallback')
}

await service.stop()
model.close()
folder.remove()

const shared = timed(team)
const distinct = timed(distinctCards)
const maximum = { peer: ANALYSIS_MS_MAX, peerName: 'our maximum' }
report('fault-lines', [
  {
    what: `${AGENTS} agents × ${VALUES} values, ${shared.lines} lines`,
    unit: 'ms',
    ours: shared.ms,
    ...maximum,
  },
  {
    what: `${AGENTS} agents, no shared values, ${distinct.lines} lines`,
    unit: 'ms',
    ours: distinct.ms,
    ...maximum,
  },
  {
    what: 'POST /v1/teams/fault-lines',
    unit: 'ms',
    ours: median(requests),
    peer: REQUEST_MS_MAX,
    peerName: 'our maximum',
  },
  {
    what: `a read while ${WAITING} forecasts wait for a model`,
    unit: 'ms',
    ours: busyMs,
    peer: idleMs * SLOWDOWN_MAX,
    peerName: `${SLOWDOWN_MAX} × the same read when idle`,
  },
])
