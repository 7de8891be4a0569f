import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { CARD } from '#harness/checkpoints.ts'
import { onFileFinished } from '#harness/on-file-finished.ts'
import { freePort } from '#harness/port.ts'
import { type Service, startService } from '#harness/process.ts'
import { type Receiver, startReceiver } from '#harness/receiver.ts'
import { hasRedis, startRedis, stopRedis } from '#harness/redis.ts'
import { startTcpProxy } from '#harness/tcp-proxy.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'
import { type Cluster, startCluster } from '../../packages/server/src/postgres/cluster.ts'

const AGENTS = 10
const DATABASE = 'touchstone'
const SKEWED_CLOCK = new URL('./skewed-clock.mjs', import.meta.url).href

/** A process of the service, which reaches the database and Redis through proxies of its own. */
export type Node = {
  name: string
  service: Service
  database: Awaited<ReturnType<typeof startTcpProxy>>
  redis: Awaited<ReturnType<typeof startTcpProxy>> | undefined
  /** Its own API key, so that each node has the rate limits of one caller. */
  key: string
  restart(): Promise<void>
}

export type World = {
  nodes: readonly Node[]
  agents: readonly string[]
  cluster: Cluster
  /** A session of the superuser, past all proxies; a new one after a crash of the database. */
  ask(text: string, values?: readonly unknown[]): Promise<pg.QueryResult>
  receiver: Receiver
  /** An additional node without rate limits, for reading everything. */
  startAuditor(): Promise<{ service: Service; key: string }>
}

/** One PostgreSQL, a Redis if there is one, and nodes that do everything. */
export async function createWorld(nodeCount: number): Promise<World> {
  const cluster = await startDatabase()
  const redisUrl = hasRedis ? await startOwnRedis() : undefined
  const shared = {
    SECRET_KEY: randomBytes(32).toString('base64'),
    BASE_URL: 'http://touchstone.test',
    ALLOW_LOOPBACK_EGRESS: 'true',
    LOG_LEVEL: 'fatal',
  }
  const start = async (n: number, dir: string) =>
    startNode({ name: `node ${n}`, dir, shared, cluster, redisUrl })
  const firstDir = await temporaryDir()
  const first = await start(1, firstDir)
  const others = Array.from({ length: nodeCount - 1 }, async (_, n) =>
    start(n + 2, await temporaryDir()),
  )
  const nodes = [first, ...(await Promise.all(others))]
  const credentials = JSON.parse(await readFile(join(firstDir, 'credentials.json'), 'utf8'))
  const receiver = await startReceiver()
  const agents = await furnish(nodes, credentials, receiver)
  return {
    nodes,
    agents,
    cluster,
    receiver,
    ask: (text, values) => askOnce(cluster.url(DATABASE), text, values),
    async startAuditor() {
      const DATABASE_URL = cluster.url(DATABASE)
      const env = { ...shared, DATABASE_URL, DATA_DIR: await temporaryDir() }
      return { service: await startService(env, ['--role', 'api']), key: credentials.api_key }
    },
  }
}

async function startDatabase(): Promise<Cluster> {
  const cluster = await startCluster({
    dataDir: join(await temporaryDir(), 'postgres'),
    packageName: process.env['TEST_POSTGRES_PACKAGE'],
    settings: { max_connections: '200' },
  })
  onFileFinished(() => cluster.stop())
  await askOnce(cluster.url(), `create database ${DATABASE}`)
  return cluster
}

async function startOwnRedis(): Promise<string> {
  const port = await freePort()
  const redis = await startRedis(port, await temporaryDir())
  onFileFinished(() => stopRedis(redis))
  return `redis://127.0.0.1:${port}`
}

async function askOnce(
  connectionString: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<pg.QueryResult> {
  // Faults that concern every session must not concern this one.
  const client = new pg.Client({
    connectionString,
    options: '-c default_transaction_read_only=off',
  })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await client.query(text, [...values])
  } finally {
    await client.end()
  }
}

type NodeOptions = {
  name: string
  dir: string
  shared: Record<string, string>
  cluster: Cluster
  redisUrl: string | undefined
}

async function startNode({ name, dir, shared, cluster, redisUrl }: NodeOptions): Promise<Node> {
  const database = await startTcpProxy(cluster.url(DATABASE))
  const redis = redisUrl === undefined ? undefined : await startTcpProxy(redisUrl)
  const env = {
    ...shared,
    DATABASE_URL: database.url,
    DATA_DIR: dir,
    NODE_OPTIONS: `--import ${SKEWED_CLOCK}`,
    ...(redis === undefined ? {} : { RATE_LIMITS: 'on', REDIS_URL: redis.url }),
  }
  const node = {
    name,
    service: await startService(env),
    database,
    redis,
    key: '',
    async restart() {
      node.service = await startService(env)
    },
  }
  return node
}

type Credentials = { email: string; password: string; org_id: string; api_key: string }

/** Creates the agents, a webhook for their checkpoints, and a key for each node. */
async function furnish(
  nodes: readonly Node[],
  { email, password, org_id: org, api_key: key }: Credentials,
  receiver: Receiver,
): Promise<string[]> {
  const [{ service } = fail('there is no node')] = nodes
  const must = async (path: string, body: object, token = key) => {
    const answer = await service.call('POST', path, { token, body })
    if (answer.status >= 300) fail(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const { access_token: token } = await must('/v1/auth/login', { email, password })
  for (const node of nodes) node.key = (await must('/v1/api-keys', {}, token)).key
  const event_types = ['integrity.checkpoint']
  await must(`/v1/orgs/${org}/webhooks`, { url: receiver.url, event_types }, token)
  const agents = Array.from({ length: AGENTS }, (_, n) => `soak-agent-${n}`)
  for (const agent_id of agents) await must('/v1/agents', { agent_id, card: CARD })
  return agents
}

export function fail(message: string): never {
  throw new Error(message)
}
