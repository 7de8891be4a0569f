import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AlignmentCard } from '@touchstone/protocol/cards'
import { findFaultLines } from '@touchstone/protocol/intelligence'
import { median, report } from './report.ts'
import { credentialsIn, dataFolder, startProcess } from './service.ts'

const ROUNDS = 15
const AGENTS = 50
const VALUES = 50
const PORT = 8941
const MODEL_PORT = 8942
/** What we hold ourselves to: an analysis, and what others wait longer while a model thinks. */
const ANALYSIS_MS_MAX = 50
/** With reading 50 cards, keeping the analysis and how each two of 1225 pairs go together. */
const REQUEST_MS_MAX = 200
const SLOWER_MAX = 1.5
const WAITING = 40
const READS = 300

/** Each has its own of `known` values; what it rejects is no value of its own. */
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

/** No two agents share a value: as many lines as there can be. */
function strangerOf(agent: number): AlignmentCard {
  const card = cardOf(agent, 100)
  const declared = Array.from({ length: VALUES }, (_, at) => `own_${agent}_${at}`)
  return { ...card, values: { ...card.values, declared, conflicts_with: [] } }
}

const team = Array.from({ length: AGENTS }, (_, agent) => cardOf(agent, 100))
const strangers = Array.from({ length: AGENTS }, (_, agent) => strangerOf(agent))

function timed(cards: readonly AlignmentCard[]): { ms: number; lines: number } {
  const figures: number[] = []
  let lines = 0
  for (let round = 0; round <= ROUNDS; round += 1) {
    const startedAt = performance.now()
    lines = findFaultLines(cards).lines.length
    // The first round only warms up.
    if (round > 0) figures.push(performance.now() - startedAt)
  }
  return { ms: median(figures), lines }
}

/** Answers nobody until it is told to. */
const held: ServerResponse[] = []
const model = createServer((req, res) => {
  req.resume()
  held.push(res)
})
model.listen(MODEL_PORT, '127.0.0.1')
await once(model, 'listening')

const folder = dataFolder()
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
const made = await send('POST', '/v1/teams', { org_id, name: 'bench', agent_ids })
const team_id = ((await made.json()) as { team: { id: string } }).team.id

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
while (held.length < WAITING) await new Promise((resolve) => setTimeout(resolve, 5))
const busyMs = await readMs()
for (const res of held) res.writeHead(400).end()
const kinds = await Promise.all(
  waiting.map(
    async (one) => ((await (await one).json()) as { fallback_reason: string }).fallback_reason,
  ),
)
if (kinds.some((kind) => kind !== 'http_error')) throw new Error('a forecast did not fall back')

await service.stop()
model.close()
folder.remove()

const shared = timed(team)
const distinct = timed(strangers)
const most = { peer: ANALYSIS_MS_MAX, peerName: 'our most' }
report('fault-lines', [
  {
    what: `${AGENTS} agents × ${VALUES} values, ${shared.lines} lines`,
    unit: 'ms',
    ours: shared.ms,
    ...most,
  },
  {
    what: `the same without a shared value, ${distinct.lines} lines`,
    unit: 'ms',
    ours: distinct.ms,
    ...most,
  },
  {
    what: 'POST /v1/teams/fault-lines, stored',
    unit: 'ms',
    ours: median(requests),
    peer: REQUEST_MS_MAX,
    peerName: 'our most',
  },
  {
    what: `a read while ${WAITING} forecasts wait for a model`,
    unit: 'ms',
    ours: busyMs,
    peer: idleMs * SLOWER_MAX,
    peerName: `the same with none, ${SLOWER_MAX} times`,
  },
])
