import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findRunning } from '@touchstone/server/embedded'
import { cpuSeconds, cpuSecondsOfTree } from './cpu-time.ts'
import { createTextGenerator } from './ingest-load.ts'
import { p99OfPacedLoad } from './paced-load.ts'
import { median, type Row, report } from './report.ts'
import { createDataFolder, credentialsIn, type Running, startService } from './service.ts'

/** The first has the embedded database, the others share it. */
const PORTS = [8961, 8962, 8963] as const
const ROUNDS = Number(process.env['NODES_ROUNDS'] ?? 5)
const SECONDS = Number(process.env['NODES_SECONDS'] ?? 5)
const WARM_UP_SECONDS = 5
const AGENTS = 15
const CONNECTIONS = 4
/** Our own limits of what an item costs with three processes, in parts of what it costs with one. */
const SAME_LOAD_MAX = 1.3
const SAME_BATCHES_MAX = 1.15

const folder = createDataFolder()
const text = createTextGenerator()
const agents = Array.from({ length: AGENTS }, (_, n) => `bench-node-agent-${n}`)

const first = await startService(folder.dir, PORTS[0], ['--role', 'api'])
const databaseUrl = (await findRunning(folder.dir)) ?? ''
const shared = {
  DATABASE_URL: databaseUrl,
  SECRET_KEY: readFileSync(join(folder.dir, 'secret.key'), 'utf8').trim(),
}
const others: Running[] = []
const otherFolders = PORTS.slice(1).map(() => createDataFolder())
for (const [at, port] of PORTS.slice(1).entries()) {
  const { dir } = otherFolders[at] ?? folder
  others.push(await startService(dir, port, ['--role', 'api'], shared))
}
const { api_key: key } = credentialsIn(folder.dir)
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
const postmaster = Number(
  readFileSync(join(folder.dir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0],
)

for (const agent_id of agents) {
  const body = JSON.stringify({ agent_id })
  const answer = await fetch(`http://127.0.0.1:${PORTS[0]}/v1/agents`, {
    method: 'POST',
    headers,
    body,
  })
  if (!answer.ok) throw new Error(`/v1/agents answered ${answer.status}`)
}

type Kind = { name: string; perSecond: number; request(agent: string): Request }
type Request = { path: string; body: string }

const KINDS: readonly Kind[] = [
  {
    name: 'decision',
    perSecond: 300,
    request: (agent) => ({
      path: '/v1/gateway/decide',
      body: JSON.stringify({ agent_id: agent, session_id: 'bench', tool: 'search' }),
    }),
  },
  {
    name: 'checkpoint',
    perSecond: 75,
    request: (agent) => ({
      path: `/v1/agents/${agent}/checkpoints`,
      body: JSON.stringify({ thinking: text() }),
    }),
  },
]

/** Spreads the load over some of the processes, and over all agents on each. Returns the items. */
async function load(
  kind: Kind,
  processes: number,
  perSecond: number,
  seconds: number,
): Promise<number> {
  const origins = PORTS.slice(0, processes).map((port) => `http://127.0.0.1:${port}`)
  const perPair = perSecond / origins.length / AGENTS
  const loads = origins.flatMap((origin) =>
    agents.map((agent) =>
      p99OfPacedLoad({
        origin,
        ...kind.request(agent),
        headers,
        perSecond: perPair,
        seconds,
        connections: CONNECTIONS,
      }),
    ),
  )
  await Promise.all(loads)
  return Math.ceil(perPair * seconds) * loads.length
}

const pidsOf = (processes: number): number[] =>
  [first, ...others].slice(0, processes).map(({ child }) => child.pid ?? 0)

/** Microseconds of CPU per item, of the processes and of the database. */
async function cost(kind: Kind, processes: number, perSecond: number) {
  const pids = pidsOf(processes)
  const spent = () => ({
    nodes: pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0),
    database: cpuSecondsOfTree(postmaster),
  })
  const before = spent()
  const items = await load(kind, processes, perSecond, SECONDS)
  const after = spent()
  const perItem = 1_000_000 / items
  return {
    nodes: (after.nodes - before.nodes) * perItem,
    database: (after.database - before.database) * perItem,
  }
}

type Costs = { nodes: number[]; database: number[] }
const noCosts = (): Costs => ({ nodes: [], database: [] })

async function measure(kind: Kind): Promise<Row[]> {
  await load(kind, PORTS.length, kind.perSecond * PORTS.length, WARM_UP_SECONDS)
  const costs = { one: noCosts(), sameLoad: noCosts(), sameBatches: noCosts() }
  for (let round = 0; round < ROUNDS; round += 1) {
    const given = [
      [costs.one, await cost(kind, 1, kind.perSecond)],
      [costs.sameLoad, await cost(kind, PORTS.length, kind.perSecond)],
      [costs.sameBatches, await cost(kind, PORTS.length, kind.perSecond * PORTS.length)],
    ] as const
    for (const [to, { nodes, database }] of given) {
      to.nodes.push(nodes)
      to.database.push(database)
    }
    process.stdout.write('.')
  }
  const row = (of: Costs, what: string, limit: number): Row[] => [
    {
      what: `CPU per ${kind.name}, 3 processes, ${what}`,
      unit: 'µs',
      ours: median(of.nodes),
      peer: median(costs.one.nodes),
      peerName: `1 process at ${kind.perSecond}/s; at most ${limit} times`,
    },
    {
      what: `the same of PostgreSQL`,
      unit: 'µs',
      ours: median(of.database),
      peer: median(costs.one.database),
      peerName: '1 process',
    },
  ]
  return [
    ...row(costs.sameLoad, 'the same load over all', SAME_LOAD_MAX),
    ...row(costs.sameBatches, 'the same load on each', SAME_BATCHES_MAX),
  ]
}

const rows: Row[] = []
for (const kind of KINDS) rows.push(...(await measure(kind)))
for (const { stop } of [...others, first]) await stop()
for (const { remove } of [...otherFolders, folder]) remove()
report('nodes', rows)
