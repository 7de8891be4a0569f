import { Cluster, type CommonRedisOptions, Redis } from 'ioredis'

type Node = { host: string; port: number }
type Login = { username?: string; password?: string }

export type RedisAddress =
  | { kind: 'single'; url: string }
  | { kind: 'sentinel'; isTls: boolean; nodes: Node[]; login: Login; service: string; db: number }
  | { kind: 'cluster'; isTls: boolean; nodes: Node[]; login: Login }

const PARTS = /^(rediss?)(?:\+(sentinel|cluster))?:\/\/(?:([^/?#]*)@)?([^/?#]+)(?:\/([^?#]*))?$/
const NODE = /^(?:\[([^\]]+)\]|([^:[\]\s]+))(?::(\d{1,5}))?$/
const PORTS = { sentinel: 26_379, cluster: 6379 }

const FORM =
  'must be redis://host:port, redis+sentinel://host1:port,host2:port/service or redis+cluster://host1:port,host2:port; with rediss for TLS.'

/** Throws an error that says what an address must look like, without its password. */
export function parseRedisAddress(url: string): RedisAddress {
  const [, scheme, kind, login = '', hosts = '', path = ''] = PARTS.exec(url) ?? []
  if (scheme === undefined || !URL.canParse(`redis://${login}@localhost`)) throw new Error(FORM)
  if (kind === undefined) {
    if (!URL.canParse(url)) throw new Error(FORM)
    return { kind: 'single', url }
  }
  const isTls = scheme === 'rediss'
  const port = kind === 'cluster' ? PORTS.cluster : PORTS.sentinel
  const nodes = hosts.split(',').map((host) => toNode(host, port))
  if (kind === 'cluster') {
    if (path !== '') throw new Error(FORM)
    return { kind, isTls, nodes, login: toLogin(login) }
  }
  const [, service, db = '0'] = /^([\w.-]+)(?:\/(\d{1,3}))?$/.exec(path) ?? []
  if (service === undefined) throw new Error(FORM)
  return { kind: 'sentinel', isTls, nodes, login: toLogin(login), service, db: Number(db) }
}

function toNode(text: string, port: number): Node {
  const [, address, name, digits = String(port)] = NODE.exec(text) ?? []
  const host = address ?? name
  if (host === undefined || Number(digits) > 65_535) throw new Error(FORM)
  return { host, port: Number(digits) }
}

function toLogin(text: string): Login {
  const { username, password } = new URL(`redis://${text}@localhost`)
  return {
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
  }
}

/** For every connection, also those to the nodes of a cluster. */
type ConnectionOptions = Pick<
  CommonRedisOptions,
  | 'connectTimeout'
  | 'commandTimeout'
  | 'socketTimeout'
  | 'maxRetriesPerRequest'
  | 'autoResendUnfulfilledCommands'
  | 'reconnectOnError'
>

type Scripts = Record<string, { lua: string; numberOfKeys: number }>

/** A client that is not connected yet. */
export function createRedis(
  address: RedisAddress,
  given: {
    keyPrefix: string
    scripts: Scripts
    options: ConnectionOptions
    retryDelayMs(attempt: number): number
  },
): Redis {
  const { keyPrefix, scripts, options, retryDelayMs } = given
  const own = { keyPrefix, scripts, lazyConnect: true, enableOfflineQueue: false } as const
  const alone = { ...options, ...own, retryStrategy: retryDelayMs }
  if (address.kind === 'single') return new Redis(address.url, alone)
  const { nodes, login, isTls } = address
  const tls = isTls ? { tls: {} } : {}
  if (address.kind === 'cluster') {
    const redisOptions = { ...options, ...login, ...tls }
    const cluster = new Cluster(nodes, { ...own, redisOptions, clusterRetryStrategy: retryDelayMs })
    // The cast is safe for the commands and events that both have.
    return cluster as unknown as Redis
  }
  return new Redis({
    ...alone,
    ...login,
    ...tls,
    ...(isTls ? { enableTLSForSentinelMode: true, sentinelTLS: {} } : {}),
    sentinels: nodes,
    name: address.service,
    db: address.db,
    sentinelRetryStrategy: retryDelayMs,
  })
}
